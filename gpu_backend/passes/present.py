# SPDX-License-Identifier: GPL-3.0-or-later
"""Packed pictures, and their way into a framebuffer of somebody else's in the same context."""

import moderngl

from ..context import check_errors
from ..shader import load_program

Size = tuple[int, int]


def new_packed_picture(ctx: moderngl.Context, size: Size) -> moderngl.Texture:
    """A texture for Renderer.pack(). Raises VoxelwrightError where graphics memory is short."""
    texture = ctx.texture(size, 2, dtype="f4")
    texture.filter = moderngl.NEAREST, moderngl.NEAREST
    check_errors(ctx, f"a picture of {size[0]} × {size[1]} pixels")
    return texture


class PresentPass:
    """Draws a packed picture, colour and depth, over the framebuffer in use, where it lies before what is there."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(
            ctx, vertex_shader="viewport/present.vert", fragment_shader="viewport/present.frag"
        )
        self._triangle = ctx.vertex_array(self._program, [])

    def run(self, picture: moderngl.Texture) -> None:
        """Draw it over the whole viewport."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<="
        self._ctx.fbo.depth_mask = True
        picture.use(0)
        self._program["packed_picture"] = 0
        self._triangle.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free the pass's objects."""
        self._triangle.release()
        self._program.release()
