# SPDX-License-Identifier: GPL-3.0-or-later
"""What the passes draw into, and read of one another."""

from enum import IntEnum

import moderngl

from ..voxel.errors import VoxelwrightError
from .context import capabilities, check_errors


class ImageBinding(IntEnum):
    """The image units that compute passes write to; shaders name them by number."""

    DISTANCES = 0
    COLORS = 1
    SURFACES = 2
    LIGHT = 3
    SUM = 4
    PICTURE = 5


class FrameTarget:
    """The targets of one picture size.

    visibility (R32UI) and depth are rasterised into; distances (R32F), colors (RGBA8) and surfaces (RG32UI) are the
    G-buffer, which lib/gbuffer.glsl describes; light is RGBA16F, sum RGBA32F, picture RGBA8 in sRGB.
    """

    def __init__(self, ctx: moderngl.Context, width: int, height: int) -> None:
        self.size = (width, height)
        largest = capabilities(ctx).max_texture_edge
        if max(self.size) > largest:
            raise VoxelwrightError(f"This graphics driver draws pictures of at most {largest} pixels along an edge.")
        self.visibility = ctx.texture(self.size, 1, dtype="u4")
        self.depth = ctx.depth_texture(self.size)
        self.distances = ctx.texture(self.size, 1, dtype="f4")
        self.colors = ctx.texture(self.size, 4)
        self.surfaces = ctx.texture(self.size, 2, dtype="u4")
        self.light = ctx.texture(self.size, 4, dtype="f2")
        self.sum = ctx.texture(self.size, 4, dtype="f4")
        self.picture = ctx.texture(self.size, 4)
        self._textures = (
            self.visibility, self.depth, self.distances, self.colors, self.surfaces, self.light, self.sum, self.picture
        )  # fmt: skip
        try:
            check_errors(ctx, f"a picture of {width} × {height} pixels")
        except VoxelwrightError:
            for texture in self._textures:
                texture.release()
            raise
        for texture in self._textures:
            texture.filter = moderngl.NEAREST, moderngl.NEAREST
        self.geometry = ctx.framebuffer([self.visibility], self.depth)
        self.visibility_only = ctx.framebuffer([self.visibility])
        self._distances_only = ctx.framebuffer([self.distances])

    def clear(self) -> None:
        """Nothing is seen anywhere."""
        self.geometry.depth_mask = True
        self.geometry.clear(depth=1.0)
        self._distances_only.clear()

    def bind_images(self) -> None:
        """Bind what compute passes write."""
        images = (self.distances, self.colors, self.surfaces, self.light, self.sum, self.picture)
        for binding, texture in zip(ImageBinding, images, strict=True):
            texture.bind_to_image(binding, read=True, write=True)

    def release(self) -> None:
        """Free everything."""
        for item in (self.geometry, self.visibility_only, self._distances_only, *self._textures):
            item.release()
