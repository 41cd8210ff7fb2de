# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky, behind everything."""

import moderngl

from ..shader import load_program


class SkyPass:
    """Fills what the opaque passes left at the far depth."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, vertex_shader="lib/fullscreen.vert", fragment_shader="sky/sky.frag")
        self._triangle = ctx.vertex_array(self._program, [])

    def draw(self) -> None:
        """Draw into the framebuffer in use."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<="
        self._triangle.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free the pass's objects."""
        self._triangle.release()
        self._program.release()
