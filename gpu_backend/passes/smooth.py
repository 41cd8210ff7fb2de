# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth terrain: the quads of Surface Nets."""

import moderngl

from ..pool import VERTICES_PER_QUAD, WorldPool
from ..shader import load_program
from .surface import set_surface_state


class SmoothPass:
    """Draws a pool's smooth quads by vertex pulling."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, vertex_shader="smooth/smooth.vert", fragment_shader="lib/surface.frag")
        self._vertices = ctx.vertex_array(self._program, [])

    def draw(self, pool: WorldPool, *, transparent: bool) -> None:
        """Draw the quads of opaque or of transparent materials into the framebuffer in use; the pool is bound."""
        if pool.n_smooth_quads == 0:
            return
        set_surface_state(self._ctx, self._program, transparent=transparent)
        self._vertices.render(moderngl.TRIANGLES, vertices=pool.n_smooth_quads * VERTICES_PER_QUAD)

    def release(self) -> None:
        """Free the pass's objects."""
        self._vertices.release()
        self._program.release()
