# SPDX-License-Identifier: GPL-3.0-or-later
"""How much is drawn and how long it takes, as text in a viewport, where and how Blender puts its own statistics."""

from typing import TYPE_CHECKING, Any

import blf
import bpy

if TYPE_CHECKING:
    from ...gpu_backend.renderer import Figures

_FONT = 0
_MARGIN, _LINE, _COLUMN = 10, 1.6, 9
"""From the edges, in pixels at a scale of 1; and between lines and from labels to values, in heights of a letter."""

_NAME_LINES, _STATISTICS_LINES = 3, 7
"""The lines of Blender's own text in the same corner: the names of view and object, and its statistics."""

Row = tuple[str, str]


def rows(figures: "Figures") -> list[Row]:
    """Labels and values."""
    counts = [
        ("Chunks", f"{figures.chunks:,}"),
        ("Quads", f"{figures.quads:,}"),
        ("Vertices", f"{4 * figures.quads:,}"),
        ("Draws", f"{figures.draws:,}"),
        ("Memory", f"{figures.nbytes / 2**20:.1f} MiB"),
    ]
    stages = [
        (name.capitalize(), f"{gpu:.2f} ms GPU, {figures.cpu_milliseconds[name]:.2f} ms CPU")
        for name, gpu in figures.gpu_milliseconds.items()
    ]
    return counts + stages


def draw_stats(context: bpy.types.Context, figures: "Figures | None") -> None:
    """Draw them into the region that is being drawn."""
    if figures is None:
        return
    preferences = context.preferences
    assert preferences is not None
    size = preferences.ui_styles[0].widget.points * preferences.system.ui_scale
    scale = preferences.system.ui_scale
    left, top = _corner(context)
    left, top = left + _MARGIN * scale, top - (_MARGIN + _own_lines(context) * _LINE * size / scale) * scale
    blf.size(_FONT, size)
    color: Any = preferences.themes[0].view_3d.space.text_hi
    blf.color(_FONT, color.r, color.g, color.b, 1.0)
    blf.enable(_FONT, blf.SHADOW)
    blf.shadow(_FONT, 3, 0.0, 0.0, 0.0, 0.6)
    for number, (label, value) in enumerate(rows(figures), 1):
        y = top - number * _LINE * size
        for x, text in ((left, label), (left + _COLUMN * size, value)):
            blf.position(_FONT, x, y, 0)
            blf.draw(_FONT, text)
    blf.disable(_FONT, blf.SHADOW)


def _corner(context: bpy.types.Context) -> tuple[float, float]:
    """The top left corner of what headers and toolbar leave free of the region."""
    region, area = context.region, context.area
    assert region is not None
    assert area is not None
    left, top = 0, region.height
    for other in area.regions:
        kind: Any = other.type
        if kind == "TOOLS" and other.alignment == "LEFT" and other.width > 1:
            left = max(left, other.x + other.width - region.x)
        if kind in ("HEADER", "TOOL_HEADER") and other.height > 1 and other.y > region.y + region.height // 2:
            top = min(top, other.y - region.y)
    return left, top


def _own_lines(context: bpy.types.Context) -> int:
    """How many lines of Blender's own are above."""
    space: Any = context.space_data
    overlay = space.overlay
    if not overlay.show_overlays:
        return 0
    return _NAME_LINES * overlay.show_text + _STATISTICS_LINES * overlay.show_stats
