# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes that draw one triangle over the whole of a framebuffer."""

from collections.abc import Mapping

import moderngl

from ..context import LEAST_VERSION
from ..shader import load_program
from .pixels import FIRST_TEXTURE_UNIT


class PicturePass:
    """A fragment program over the framebuffer in use, which reads textures by the names of its samplers."""

    def __init__(
        self,
        ctx: moderngl.Context,
        file: str,
        vertex_file: str = "compose/picture.vert",
        defines: Mapping[str, object] | None = None,
    ) -> None:
        files = {"vertex_shader": vertex_file, "fragment_shader": file}
        self.program = load_program(ctx, defines, version=LEAST_VERSION, **files)
        self._vertices = ctx.vertex_array(self.program, [])

    def run(
        self, textures: Mapping[str, moderngl.Texture], **uniforms: int | float | bool | tuple[float, float]
    ) -> None:
        """Run over the viewport. Blending and tests are those that are set."""
        for unit, (name, texture) in enumerate(textures.items(), FIRST_TEXTURE_UNIT):
            texture.use(unit)
            self.program[name] = unit
        for name, value in uniforms.items():
            self.program[name] = value
        self._vertices.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free the program."""
        self._vertices.release()
        self.program.release()


class CopyDepthPass:
    """Copies depths."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._pass = PicturePass(ctx, "draw/copy_depth.frag")

    def run(self, depth: moderngl.Texture, into: moderngl.Framebuffer) -> None:
        """Draw into a framebuffer that has depths alone, as many as depth."""
        into.depth_mask = True  # which use() sets
        into.use()
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "1"
        self._pass.run({"depths": depth})

    def release(self) -> None:
        """Free the program."""
        self._pass.release()
