# SPDX-License-Identifier: GPL-3.0-or-later
"""The outlines of selected voxels in 3D viewports, and of those that are being placed: bright where they are seen,
faint where something hides them.

Nothing here writes a property or keeps a reference to anything of Blender's data.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .. import kernel_cache, selections, session
from ..properties import of_object
from . import handler
from .lines import Color, Lines, kept_state

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection

_SELECTED, _PLACED = (1.0, 0.75, 0.2), (0.35, 0.8, 1.0)
_FAINT = 0.25
"""The opacity of lines that are hidden."""


class Placed(NamedTuple):
    """What is being placed in a world: its outline, and the matrix (4, 4) from there to the world's voxels."""

    world_id: str
    lines: Lines
    matrix: NDArray[np.float64]


_placed: list[Placed] = []
_lines: dict[int, Lines] = {}
"""By the number of the selection."""

_failed: list[bool] = []


def show_placed(placed: Placed | None) -> None:
    """Show what is being placed, or nothing any more."""
    _placed[:] = [placed] if placed is not None else []


def draw() -> None:
    """Called by Blender for every 3D viewport, after worlds have been drawn."""
    if _failed:
        return
    try:
        _draw(bpy.context)
    except Exception as error:  # it would be raised again at every redraw
        _failed.append(True)
        print(f"Voxelwright: selections are not shown any more, please report it: {error!r}")


def _draw(context: bpy.types.Context) -> None:
    space: Any = context.space_data
    if not space.overlay.show_overlays:
        return
    drawn = list(_to_draw(context))
    if drawn:
        with kept_state():
            for lines, matrix, color in drawn:
                lines.draw(context, matrix, color, _FAINT)


def _to_draw(context: bpy.types.Context) -> Iterator[tuple[Lines, Matrix, Color]]:
    for owner in handler.shown_worlds(context):
        selection = selections.selection_of(owner)
        if selection is not None:
            yield _lines_of(owner, selection), owner.matrix_world, _SELECTED
        for placed in _placed:
            if placed.world_id == session.world_id(owner):
                yield placed.lines, owner.matrix_world @ Matrix(placed.matrix.tolist()), _PLACED


def _lines_of(owner: bpy.types.Object, selection: "Selection") -> Lines:
    number = selections.number_of(owner)
    if number not in _lines:
        for gone in _lines.keys() - {of_object(other).selection for other in bpy.data.objects}:
            del _lines[gone]
        kernel_cache.prepare()
        from ...voxel.edit.outline import outline

        _lines[number] = Lines(outline(selection))
    return _lines[number]


_handles: list[Any] = []


def register() -> None:
    """Add the handler, after that which draws worlds."""
    _handles.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    """Remove it."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _placed.clear()
    _lines.clear()
    _failed.clear()
