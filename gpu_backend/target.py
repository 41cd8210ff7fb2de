# SPDX-License-Identifier: GPL-3.0-or-later
"""What the passes draw into."""

import moderngl

from ..voxel.errors import VoxelwrightError
from .context import capabilities, check_errors


class FrameTarget:
    """The targets of one picture size: linear light with depth, several samples a pixel; and the finished picture.

    scene: RGBA16F with 24 bits of depth, samples a pixel. light is its colour as a texture. picture: RGBA8, sRGB.
    """

    def __init__(self, ctx: moderngl.Context, width: int, height: int, samples: int) -> None:
        self.size = (width, height)
        largest = capabilities(ctx).max_texture_edge
        if max(self.size) > largest:
            raise VoxelwrightError(f"This graphics driver draws pictures of at most {largest} pixels along an edge.")
        self.light = ctx.texture(self.size, 4, samples=samples, dtype="f2")
        self._depth = ctx.depth_renderbuffer(self.size, samples=samples)
        self._pixels = ctx.renderbuffer(self.size, 4)
        self._attachments = (self.light, self._depth, self._pixels)
        try:
            check_errors(ctx, f"a picture of {width} × {height} pixels")
        except VoxelwrightError:
            for attachment in self._attachments:
                attachment.release()
            raise
        self.scene = ctx.framebuffer([self.light], self._depth)
        self.picture = ctx.framebuffer([self._pixels])

    def release(self) -> None:
        """Free everything."""
        for item in (self.scene, self.picture, *self._attachments):
            item.release()
