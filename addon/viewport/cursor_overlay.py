# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the cursor of our tools: outlines, and a few words beside the mouse."""

from collections.abc import Callable, Hashable
from typing import Any

import blf
import bpy
from mathutils import Matrix

from .. import cursor
from .lines import Lines, kept_state

_LINE_WIDTH = 1.0
_FAINT = 0.12
_TEXT_PLACE = 24, 30
"""Right of the mouse and below it, in pixels at a scale of 1."""

_TEXT_SIZE = 11
_MAX_KEPT = 64

_kept: dict[Hashable, Lines] = {}
"""By the parts' keys, the newest last."""

_failed: list[bool] = []


def draw() -> None:
    """Called by Blender for every 3D viewport, after worlds have been drawn."""
    _guarded(_draw)


def draw_text() -> None:
    """Called by Blender for every 3D viewport, when its text is drawn."""
    _guarded(_draw_text)


def _guarded(function: Callable[[bpy.types.Context, cursor.Cursor, bpy.types.Object], None]) -> None:
    context = bpy.context
    shown = cursor.shown()
    if _failed or shown is None or shown.region != context.region.as_pointer() or not cursor.active_tool(context):
        return
    owner: bpy.types.Object | None = context.scene.objects.get(shown.owner)
    if owner is None:
        return
    try:
        function(context, shown, owner)
    except Exception as error:  # it would be raised again at every redraw
        _failed.append(True)
        print(f"Voxelwright: tools have no cursor any more, please report it: {error!r}")


def _draw(context: bpy.types.Context, shown: cursor.Cursor, owner: bpy.types.Object) -> None:
    drawn = [
        (_lines_of(part), owner.matrix_world @ Matrix.Translation(part.offset), part.color) for part in shown.parts
    ]
    with kept_state():
        for lines, matrix, _ in drawn:
            lines.hide_behind(matrix)
        for lines, matrix, color in drawn:
            lines.draw(context, matrix, color, _FAINT, _LINE_WIDTH)


def _draw_text(context: bpy.types.Context, shown: cursor.Cursor, _owner: bpy.types.Object) -> None:
    scale = context.preferences.system.ui_scale
    blf.size(0, _TEXT_SIZE * scale)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 0.8)
    blf.position(0, shown.place[0] + _TEXT_PLACE[0] * scale, shown.place[1] - _TEXT_PLACE[1] * scale, 0)
    blf.draw(0, shown.text)
    blf.disable(0, blf.SHADOW)


def _lines_of(part: cursor.Part) -> Lines:
    if part.key is None:
        return Lines(part.lines, part.faces)
    lines = _kept.pop(part.key, None) or Lines(part.lines, part.faces)
    _kept[part.key] = lines
    while len(_kept) > _MAX_KEPT:
        _kept.pop(next(iter(_kept)))
    return lines


_handles: list[Any] = []


def register() -> None:
    """Add the handlers, after that which draws worlds."""
    for function, when in ((draw, "POST_VIEW"), (draw_text, "POST_PIXEL")):
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(function, (), "WINDOW", when))


def unregister() -> None:
    """Remove them."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    cursor.hide()
    _kept.clear()
    _failed.clear()
