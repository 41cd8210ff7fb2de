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
    VISIBILITY = 6


TILE = 8
"""Pixels along each edge of a tile of depth, and tiles along each edge of a block."""


class FrameTarget:
    """The targets of one picture size.

    visibility (R32UI) and depth are rasterised into; distances (R32F), colors (RGBA8) and surfaces (RG32UI) are the
    G-buffer, which lib/gbuffer.glsl describes; light is RGBA16F, sum RGBA32F, picture RGBA8 in sRGB. depth_tiles and
    depth_blocks (R32F) have the farthest depth in tiles of pixels and in blocks of tiles.
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
        self.depth_tiles = ctx.texture((-(-width // TILE), -(-height // TILE)), 1, dtype="f4")
        self.depth_blocks = ctx.texture((-(-width // TILE**2), -(-height // TILE**2)), 1, dtype="f4")
        self._images = (
            self.distances, self.colors, self.surfaces, self.light, self.sum, self.picture, self.visibility
        )  # fmt: skip
        self._textures = (*self._images, self.depth, self.depth_tiles, self.depth_blocks)
        try:
            check_errors(ctx, f"a picture of {width} × {height} pixels")
        except VoxelwrightError:
            for texture in self._textures:
                texture.release()
            raise
        for texture in self._textures:
            texture.filter = moderngl.NEAREST, moderngl.NEAREST
        self.depth.compare_func = ""
        self.geometry = ctx.framebuffer([self.visibility], self.depth)
        self._depth_only = ctx.framebuffer(depth_attachment=self.depth)

    def clear_depth(self) -> None:
        """Set all depths to the farthest."""
        self._depth_only.depth_mask = True
        self._depth_only.clear(depth=1.0)

    def bind_images(self) -> None:
        """Bind what compute passes write."""
        for binding, texture in zip(ImageBinding, self._images, strict=True):
            texture.bind_to_image(binding, read=True, write=True)

    def release(self) -> None:
        """Free everything."""
        for item in (self.geometry, self._depth_only, *self._textures):
            item.release()
