# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines over a viewport's picture: bright where they are seen, faint where something hides them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import gpu
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

Color = tuple[float, float, float]
"""sRGB, 0 to 1, which Blender's own shaders turn into what it shows over a scene."""

_WIDTH = 1.5
_NEARER = 0.002
"""Lines are drawn nearer to the eye by this part of their distance, or the faces they lie on would hide them."""

_state: Any = gpu.state
_matrices: Any = gpu.matrix


class Lines:
    """Line segments (n, 2, 3) float32, which are brought to the graphics card when they are drawn first; and faces
    (m, 4, 3) float32, corners in an order that goes round, which are not seen but hide lines behind them."""

    def __init__(self, segments: NDArray[np.float32], faces: NDArray[np.float32] | None = None) -> None:
        self._segments, self._faces = segments, faces
        self._batch: Any = None
        self._mask: Any = None

    def hide_behind(self, matrix: Matrix) -> None:
        """Have the faces hide lines that are drawn later."""
        if self._faces is None or not len(self._faces):
            return
        if self._mask is None:
            self._mask = _batch_of("TRIS", self._faces[:, (0, 1, 2, 0, 2, 3)])
        with _matrices.push_pop():
            _matrices.multiply_matrix(matrix)
            _state.color_mask_set(False, False, False, False)
            _state.depth_test_set("LESS_EQUAL")
            _state.depth_mask_set(True)
            try:
                self._mask.draw(gpu.shader.from_builtin("UNIFORM_COLOR"))
            finally:
                _state.color_mask_set(True, True, True, True)

    def draw(
        self, context: bpy.types.Context, matrix: Matrix, color: Color, faint: float, width: float = _WIDTH
    ) -> None:
        """Draw them in a 3D viewport. matrix goes from their space to Blender's world; faint is the opacity of what is
        hidden."""
        if not len(self._segments):
            return
        if self._batch is None:
            self._batch = _batch_of("LINES", self._segments)
        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        shader.bind()
        shader.uniform_float("viewportSize", (context.region.width, context.region.height))
        shader.uniform_float("lineWidth", width * context.preferences.system.ui_scale)
        _state.blend_set("ALPHA")
        _state.depth_mask_set(False)
        with _matrices.push_pop():
            _matrices.load_matrix(_towards_the_eye(context) @ _matrices.get_model_view_matrix() @ matrix)
            for depth_test, opacity in (("GREATER", faint), ("LESS_EQUAL", 1.0)):
                _state.depth_test_set(depth_test)
                shader.uniform_float("color", (*color, opacity))
                self._batch.draw(shader)


@contextmanager
def kept_state() -> Iterator[None]:
    """Puts Blender's state back after drawing."""
    depth_test, blend, depth_mask = _state.depth_test_get(), _state.blend_get(), _state.depth_mask_get()
    try:
        yield
    finally:
        _state.depth_test_set(depth_test)
        _state.blend_set(blend)
        _state.depth_mask_set(depth_mask)


def _batch_of(kind: Any, points: NDArray[np.float32]) -> Any:
    flat = np.ascontiguousarray(points.reshape(-1, 3), np.float32)
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    buffer: Any = gpu.types.GPUVertBuf(layout, len(flat))
    buffer.attr_fill("pos", flat)
    return gpu.types.GPUBatch(type=kind, buf=buffer)


def _towards_the_eye(context: bpy.types.Context) -> Matrix:
    """What brings points of view space nearer, on the spot where they are seen."""
    view = context.region_data
    if view.is_perspective:
        return Matrix.Scale(1 - _NEARER, 4)
    return Matrix.Translation((0, 0, _NEARER * view.view_distance))
