# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen where: all quads of a world into the visibility target, in one multi-draw a kind of surface."""

from collections.abc import Mapping
from enum import IntEnum

import moderngl
import numpy as np

from ...voxel.layout import CHUNK_VOXELS, QUAD_TRIANGLES
from ...voxel.limits import MAX_DRAWN_CHUNKS
from ..context import check_errors
from ..owned import Owned
from ..shader import load_program
from .cull import DrawCommands

_MAX_DRAW_QUADS = 3 * CHUNK_VOXELS
"""Quads of one draw command: a smooth chunk has one for each crossed edge between two voxels at most."""

_Drawing = tuple[moderngl.Program, moderngl.VertexArray]

SMOOTH_DEPTH_BIAS = (-1 / 16, -1.0)
"""Towards the eye, in slopes of depth a pixel and in steps of depth: where blocks and a smooth surface lie in one plane
the smooth one is seen. Steps alone do not do: corners are rounded to parts of a pixel, which tilts the planes."""


class Drawn(IntEnum):
    """Which materials a draw is for; shaders/lib/materials_drawn.glsl has the same numbers."""

    ALL = 0
    OPAQUE = 1
    TRANSPARENT = 2
    CASTERS = 3


class DrawPass:
    """Draws blocks and smooth surfaces by vertex pulling, four vertices a quad."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        with Owned() as owned:
            # GLSL 4.30 has no gl_BaseInstance; an attribute that counts the instances is offset by it.
            rows = owned.add(ctx.buffer(np.arange(MAX_DRAWN_CHUNKS, dtype=np.uint32).tobytes()))
            corners = 4 * np.arange(_MAX_DRAW_QUADS, dtype=np.uint32)[:, None] + QUAD_TRIANGLES.astype(np.uint32)
            indices = owned.add(ctx.buffer(corners.astype(np.uint32).tobytes()))
            check_errors(ctx, "the tables of the draws")
            self._content, self._indices = [(rows, "1u4/i", "row")], indices
            self._plain = self._make(owned, {})
            self._owned = owned.pop_all()
        self._fading: tuple[_Drawing, _Drawing] | None = None

    def run(self, commands: DrawCommands, drawn: Drawn, *, levels: bool) -> None:
        """Draw into the framebuffer in use; the world is bound, and the context's front_face is its camera's. levels
        says that it is drawn in several levels of detail, which fade into one another."""
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.cull_face = "back"
        self._ctx.depth_func = "<"
        if levels and self._fading is None:
            self._fading = self._make(self._owned, {"LEVELS": 1})
        blocky, smooth = self._fading if levels and self._fading else self._plain
        transparent = drawn is Drawn.TRANSPARENT
        commands.bind_quads()
        for (program, vertices), (first, count), depth_bias in (
            (blocky, commands.blocky(transparent=transparent), (0.0, 0.0)),
            (smooth, commands.smooth(transparent=transparent), SMOOTH_DEPTH_BIAS),
        ):
            if count:
                program["drawn"] = drawn
                self._ctx.polygon_offset = depth_bias
                vertices.render_indirect(commands.buffer, moderngl.TRIANGLES, count=count, first=first)
        self._ctx.polygon_offset = 0.0, 0.0

    def run_casters(self, commands: moderngl.Buffer, blocky: tuple[int, int], smooth: tuple[int, int]) -> None:
        """Draw what casts shadows into the framebuffer in use, by the first of the commands of each kind and their
        number."""
        for (program, vertices), (first, count) in zip(self._plain, (blocky, smooth), strict=True):
            if count:
                program["drawn"] = Drawn.CASTERS
                vertices.render_indirect(commands, moderngl.TRIANGLES, count=count, first=first)

    def _make(self, owned: Owned, defines: Mapping[str, object]) -> tuple[_Drawing, _Drawing]:
        """What draws blocks, and what draws smooth surfaces."""
        made = []
        for vertex in ("draw/blocky.vert", "draw/smooth.vert"):
            program = owned.add(
                load_program(self._ctx, defines, vertex_shader=vertex, fragment_shader="draw/visibility.frag")
            )
            made.append((program, owned.add(self._ctx.vertex_array(program, self._content, self._indices))))
        return made[0], made[1]

    def release(self) -> None:
        """Free the pass's objects."""
        self._owned.close()
