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
_MAX_KEPT = 24

_kept: dict[Hashable, Lines] = {}
"""By the parts' keys, the newest last."""

_failed: list[bool] = []


_drawn: list[cursor.Cursor] = []
"""What the last redraw of a region showed, for its text."""


def draw() -> None:
    """Called by Blender for every 3D viewport, after worlds have been drawn."""
    _guarded(_draw)


def draw_text() -> None:
    """Called by Blender for every 3D viewport, when its text is drawn."""
    if _drawn:
        _guarded(_draw_text)


def _guarded(function: Callable[[bpy.types.Context], None]) -> None:
    if _failed:
        return
    try:
        function(bpy.context)
    except Exception as error:  # it would be raised again at every redraw
        _failed.append(True)
        print(f"Voxelwright: tools have no cursor any more, please report it: {error!r}")


def _draw(context: bpy.types.Context) -> None:
    _drawn.clear()
    found = cursor.current(context)
    if found is None:
        return
    _drawn.append(found)
    matrix = found.owner.matrix_world
    placed = [(_lines_of(part), matrix @ Matrix.Translation(part.offset), part.color) for part in found.parts]
    with kept_state():
        for lines, place, _ in placed:
            lines.hide_behind(place)
        for lines, place, color in placed:
            lines.draw(context, place, color, _FAINT, _LINE_WIDTH)


def _draw_text(context: bpy.types.Context) -> None:
    found = _drawn.pop()
    scale = context.preferences.system.ui_scale
    blf.size(0, _TEXT_SIZE * scale)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 0.8)
    blf.position(0, found.place[0] + _TEXT_PLACE[0] * scale, found.place[1] - _TEXT_PLACE[1] * scale, 0)
    blf.draw(0, found.text)
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
    _drawn.clear()
    _kept.clear()
    _failed.clear()
