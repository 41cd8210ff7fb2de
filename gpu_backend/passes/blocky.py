# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocky terrain: PackedQuads, in one multi-draw."""

import moderngl
import numpy as np

from ...voxel.limits import MAX_DRAWN_CHUNKS
from ..context import check_errors
from ..pool import WorldPool
from ..shader import load_program
from .surface import set_surface_state


class BlockyPass:
    """Draws a pool's quads by vertex pulling."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, vertex_shader="blocky/blocky.vert", fragment_shader="lib/surface.frag")
        # GLSL 4.30 has no gl_BaseInstance; an attribute that counts the instances is offset by it.
        self._indices = ctx.buffer(np.arange(MAX_DRAWN_CHUNKS, dtype=np.uint32).tobytes())
        check_errors(ctx, "the table of chunk indices")
        self._vertices = ctx.vertex_array(self._program, [(self._indices, "1u4/i", "chunk_index")])

    def draw(self, pool: WorldPool, *, transparent: bool) -> None:
        """Draw the quads of opaque or of transparent materials into the framebuffer in use; the pool is bound."""
        if pool.n_draws == 0:
            return
        set_surface_state(self._ctx, self._program, transparent=transparent)
        self._vertices.render_indirect(pool.commands, moderngl.TRIANGLES, count=pool.n_draws)

    def release(self) -> None:
        """Free the pass's objects."""
        for item in (self._vertices, self._indices, self._program):
            item.release()
