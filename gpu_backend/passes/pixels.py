# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute passes that have a thread for each pixel of the picture."""

from collections.abc import Mapping

import moderngl

from ..shader import load_program

_GROUP = 8
"""Threads along each edge of a work group; the shaders say the same."""

_WRITTEN = (
    moderngl.SHADER_IMAGE_ACCESS_BARRIER_BIT | moderngl.TEXTURE_FETCH_BARRIER_BIT | moderngl.TEXTURE_UPDATE_BARRIER_BIT
)


class PixelPass:
    """A compute program over the picture, which reads textures by the names of its samplers."""

    def __init__(self, ctx: moderngl.Context, file: str, defines: Mapping[str, object] | None = None) -> None:
        self._ctx = ctx
        self.program = load_program(ctx, defines, compute_shader=file)

    def run(
        self,
        size: tuple[int, int],
        textures: Mapping[str, moderngl.Texture | moderngl.TextureArray],
        **uniforms: int | float | bool | tuple[float, float],
    ) -> None:
        """Run over size pixels. What it writes can be read by the passes after it, and by the CPU."""
        for unit, (name, texture) in enumerate(textures.items(), FIRST_TEXTURE_UNIT):
            texture.use(unit)
            self.program[name] = unit
        for name, value in uniforms.items():
            self.program[name] = value
        self.program.run(-(-size[0] // _GROUP), -(-size[1] // _GROUP))
        self._ctx.memory_barrier(_WRITTEN)

    def release(self) -> None:
        """Free the program."""
        self.program.release()


FIRST_TEXTURE_UNIT = 1
"""Unit 0 has the materials' textures."""
