# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the cursor of our tools: outlines, and a few words beside the mouse."""

from collections.abc import Callable, Hashable
from typing import Any

import blf
import bpy
from mathutils import Matrix

from .. import cursor
from . import lines

_LINE_WIDTH = 1.0
_TEXT_PLACE = 24, 30
"""Right of the mouse and below it, in pixels at a scale of 1."""

_TEXT_SIZE = 11
_MAX_BATCHES = 64

_batches: dict[Hashable, Any] = {}
"""What is on the graphics card, the newest last."""


def draw(context: bpy.types.Context) -> None:
    """Draw the outlines, where the mouse is in the context's region."""
    shown, owner = _shown(context)
    if shown is None or owner is None:
        return
    size, scale = (context.region.width, context.region.height), context.preferences.system.ui_scale
    drawn = [(part, owner.matrix_world @ Matrix.Translation(part.offset)) for part in shown.parts if len(part.lines)]
    for part, matrix in drawn:
        if part.faces is not None:
            lines.mask(_kept(("mask", part.key), lambda part=part: lines.new_mask(part.faces)), matrix)
    for part, matrix in drawn:
        batch = _kept(("lines", part.key), lambda part=part: lines.new_batch(part.lines))
        lines.draw(batch, matrix, (*part.color, 1.0), _LINE_WIDTH * scale, size)


def draw_text(context: bpy.types.Context) -> None:
    """Draw the words."""
    shown, owner = _shown(context)
    if shown is None or owner is None or not shown.text:
        return
    scale = context.preferences.system.ui_scale
    blf.size(0, _TEXT_SIZE * scale)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 0.8)
    blf.position(0, shown.place[0] + _TEXT_PLACE[0] * scale, shown.place[1] - _TEXT_PLACE[1] * scale, 0)
    blf.draw(0, shown.text)
    blf.disable(0, blf.SHADOW)


def release() -> None:
    """Forget what is on the graphics card."""
    _batches.clear()


def _shown(context: bpy.types.Context) -> tuple[cursor.Cursor | None, bpy.types.Object | None]:
    """The cursor of the context's region, and the object that it belongs to."""
    shown = cursor.shown()
    if shown is None or shown.region != context.region.as_pointer() or not cursor.active_tool(context):
        return None, None
    return shown, context.scene.objects.get(shown.owner)


def _kept(key: tuple[str, Hashable], make: Callable[[], Any]) -> Any:
    """What was made under the same key; parts without one are made for each draw."""
    if key[1] is None:
        return make()
    batch = _batches.pop(key, None)
    if batch is None:
        batch = make()
    _batches[key] = batch
    while len(_batches) > _MAX_BATCHES:
        _batches.pop(next(iter(_batches)))
    return batch
