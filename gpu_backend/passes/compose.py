# SPDX-License-Identifier: GPL-3.0-or-later
"""From linear light, several samples a pixel, to a picture in sRGB."""

import moderngl

from ..shader import load_program
from ..target import FrameTarget


class ComposePass:
    """Maps each sample's light to display brightness and averages them: edges stay smooth beside very bright light."""

    def __init__(self, ctx: moderngl.Context, samples: int) -> None:
        self._ctx = ctx
        self._program = load_program(
            ctx,
            {"SAMPLES": samples},
            vertex_shader="lib/fullscreen.vert",
            fragment_shader="compose/compose.frag",
        )
        self._triangle = ctx.vertex_array(self._program, [])

    def draw(self, target: FrameTarget) -> None:
        """Fill target.picture from target.light."""
        target.picture.use()
        self._ctx.enable_only(moderngl.NOTHING)
        target.light.use(0)
        self._triangle.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free the pass's objects."""
        self._triangle.release()
        self._program.release()
