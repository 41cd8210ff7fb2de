# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen where: all quads of a world into the visibility target, in one multi-draw a kind of surface."""

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
        fragment = "draw/visibility.frag"
        with Owned() as owned:
            self._blocky = owned.add(load_program(ctx, vertex_shader="draw/blocky.vert", fragment_shader=fragment))
            self._smooth = owned.add(load_program(ctx, vertex_shader="draw/smooth.vert", fragment_shader=fragment))
            # GLSL 4.30 has no gl_BaseInstance; an attribute that counts the instances is offset by it.
            rows = owned.add(ctx.buffer(np.arange(MAX_DRAWN_CHUNKS, dtype=np.uint32).tobytes()))
            corners = 4 * np.arange(_MAX_DRAW_QUADS, dtype=np.uint32)[:, None] + QUAD_TRIANGLES.astype(np.uint32)
            indices = owned.add(ctx.buffer(corners.astype(np.uint32).tobytes()))
            check_errors(ctx, "the tables of the draws")
            content = [(rows, "1u4/i", "row")]
            self._blocky_vertices = owned.add(ctx.vertex_array(self._blocky, content, indices))
            self._smooth_vertices = owned.add(ctx.vertex_array(self._smooth, content, indices))
            self._owned = owned.pop_all()

    def run(self, commands: DrawCommands, drawn: Drawn) -> None:
        """Draw into the framebuffer in use; the world is bound, and the context's front_face is its camera's."""
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.cull_face = "back"
        self._ctx.depth_func = "<"
        transparent = drawn is Drawn.TRANSPARENT
        commands.bind_quads()
        for program, vertices, (first, count), depth_bias in (
            (self._blocky, self._blocky_vertices, commands.blocky(transparent=transparent), (0.0, 0.0)),
            (self._smooth, self._smooth_vertices, commands.smooth(transparent=transparent), SMOOTH_DEPTH_BIAS),
        ):
            if count:
                program["drawn"] = drawn
                self._ctx.polygon_offset = depth_bias
                vertices.render_indirect(commands.buffer, moderngl.TRIANGLES, count=count, first=first)
        self._ctx.polygon_offset = 0.0, 0.0

    def run_casters(self, commands: moderngl.Buffer, blocky: tuple[int, int], smooth: tuple[int, int]) -> None:
        """Draw what casts shadows into the framebuffer in use, by the first of the commands of each kind and their
        number."""
        for program, vertices, (first, count) in (
            (self._blocky, self._blocky_vertices, blocky),
            (self._smooth, self._smooth_vertices, smooth),
        ):
            if count:
                program["drawn"] = Drawn.CASTERS
                vertices.render_indirect(commands, moderngl.TRIANGLES, count=count, first=first)

    def release(self) -> None:
        """Free the pass's objects."""
        self._owned.close()
