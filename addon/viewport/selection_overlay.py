# SPDX-License-Identifier: GPL-3.0-or-later
"""The outlines of selected voxels in 3D viewports, and of those that are being placed: bright where they are seen,
faint where something hides them.

Nothing here writes a property or keeps a reference to anything of Blender's data.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import gpu
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from .. import kernel_cache, selections, session
from ..properties import of_object
from . import handler

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection

_LINE_WIDTH = 1.5
_NEARER = 0.002
"""Lines are drawn nearer to the eye by this part of their distance, or the faces they lie on would hide them."""

_SELECTED, _PLACED = (1.0, 0.75, 0.2), (0.35, 0.8, 1.0)
"""sRGB colours, as Blender's own shaders take them."""

_FAINT = 0.25
"""The opacity of lines that are hidden."""


_state: Any = gpu.state
_matrices: Any = gpu.matrix


class Lines:
    """Line segments (n, 2, 3) float32, which are brought to the graphics card when they are drawn first."""

    def __init__(self, segments: NDArray[np.float32]) -> None:
        self._segments: NDArray[np.float32] | None = segments
        self._batch: Any = None

    def draw(self, context: bpy.types.Context, matrix: Matrix, color: tuple[float, float, float]) -> None:
        """Draw them in a 3D viewport; matrix goes from their space to Blender's world."""
        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        if self._segments is not None:
            self._batch = _batch_of(self._segments) if len(self._segments) else None
            self._segments = None
        if self._batch is None:
            return
        shader.bind()
        shader.uniform_float("viewportSize", (context.region.width, context.region.height))
        shader.uniform_float("lineWidth", _LINE_WIDTH * context.preferences.system.ui_scale)
        with _matrices.push_pop():
            _matrices.load_matrix(_towards_the_eye(context) @ _matrices.get_model_view_matrix() @ matrix)
            for depth_test, opacity in (("GREATER", _FAINT), ("LESS_EQUAL", 1.0)):
                _state.depth_test_set(depth_test)
                shader.uniform_float("color", (*color, opacity))
                self._batch.draw(shader)


def _batch_of(segments: NDArray[np.float32]) -> Any:
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    points: Any = gpu.types.GPUVertBuf(layout, 2 * len(segments))
    points.attr_fill("pos", segments.reshape(-1, 3))
    return gpu.types.GPUBatch(type="LINES", buf=points)


def _towards_the_eye(context: bpy.types.Context) -> Matrix:
    """What brings points of view space nearer, on the spot where they are seen."""
    view = context.region_data
    if view.is_perspective:
        return Matrix.Scale(1 - _NEARER, 4)
    return Matrix.Translation((0, 0, _NEARER * view.view_distance))


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
    if not drawn:
        return
    depth_test, blend, depth_mask = _state.depth_test_get(), _state.blend_get(), _state.depth_mask_get()
    _state.blend_set("ALPHA")
    _state.depth_mask_set(False)
    try:
        for lines, matrix, color in drawn:
            lines.draw(context, matrix, color)
    finally:
        _state.depth_test_set(depth_test)
        _state.blend_set(blend)
        _state.depth_mask_set(depth_mask)


def _to_draw(context: bpy.types.Context) -> Iterator[tuple[Lines, Matrix, tuple[float, float, float]]]:
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
