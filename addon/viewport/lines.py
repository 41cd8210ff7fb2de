# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines over a viewport's picture, where they are hidden too, but fainter."""

from typing import Any

import gpu
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

Color = tuple[float, float, float, float]
"""sRGB and opacity, 0 to 1."""

_GAMMA = 2.2
"""Blender shows what is drawn over the scene as its power of 1/2.2 (docs/viewport.md)."""

_TOWARDS_EYE = 2e-4
"""How much nearer lines are than the faces that they lie on, in clip space."""

VISIBLE, HIDDEN = 0.9, 0.15
"""Opacities of lines before and behind what is drawn."""


def new_batch(lines: NDArray[np.float32]) -> Any:
    """Line segments (n, 2, 3) on the graphics card."""
    return _batch_of("LINES", lines)


def new_mask(faces: NDArray[np.float32]) -> Any:
    """Faces (n, 4, 3), corners in an order that goes round, on the graphics card."""
    return _batch_of("TRIS", faces[:, (0, 1, 2, 0, 2, 3)])


def _batch_of(kind: Any, points: NDArray[np.float32]) -> Any:
    flat = np.ascontiguousarray(points.reshape(-1, 3), np.float32)
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    buffer = gpu.types.GPUVertBuf(format=layout, len=len(flat))
    buffer.attr_fill(id="pos", data=flat)
    return gpu.types.GPUBatch(type=kind, buf=buffer)


def mask(batch: Any, matrix: Matrix) -> None:
    """Have faces of new_mask(), which are not seen themselves, hide lines that are drawn later."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(matrix)
        gpu.state.color_mask_set(False, False, False, False)
        gpu.state.depth_test_set("LESS_EQUAL")
        gpu.state.depth_mask_set(True)
        try:
            batch.draw(shader)
        finally:
            gpu.state.depth_test_set("NONE")
            gpu.state.color_mask_set(True, True, True, True)


def draw(batch: Any, matrix: Matrix, color: Color, width: float, size: tuple[int, int]) -> None:
    """Draw a batch in a 3D viewport of size pixels, matrix from its space to Blender's; width is in pixels."""
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    projection = gpu.matrix.get_projection_matrix()
    nearer = projection.copy()
    nearer[2] -= _TOWARDS_EYE * projection[3]
    *rgb, opacity = color
    linear = [c**_GAMMA for c in rgb]
    with gpu.matrix.push_pop_projection(), gpu.matrix.push_pop():
        gpu.matrix.load_projection_matrix(nearer)
        gpu.matrix.multiply_matrix(matrix)
        gpu.state.blend_set("ALPHA")
        gpu.state.depth_mask_set(False)
        try:
            for test, share in (("GREATER", HIDDEN), ("LESS_EQUAL", VISIBLE)):
                gpu.state.depth_test_set(test)
                shader.uniform_float("viewportSize", size)
                shader.uniform_float("lineWidth", width)
                shader.uniform_float("color", (*linear, opacity * share))
                batch.draw(shader)
        finally:
            gpu.state.depth_test_set("NONE")
            gpu.state.depth_mask_set(True)
            gpu.state.blend_set("NONE")
