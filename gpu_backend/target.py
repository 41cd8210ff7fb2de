# SPDX-License-Identifier: GPL-3.0-or-later
"""What the passes draw into, and read of one another."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import IntEnum

import moderngl

from ..voxel.errors import VoxelwrightError
from .context import capabilities, check_errors
from .owned import Owned
from .views import View


class ImageBinding(IntEnum):
    """The image units that compute passes write to; shaders name them by number."""

    DISTANCES = 0
    COLORS = 1
    SURFACES = 2
    LIGHT = 3
    SUM = 4
    PICTURE = 5
    VISIBILITY = 6
    OCCLUSION = 7


TILE = 8
"""Pixels along each edge of a tile of depth, and tiles along each edge of a block."""


class Layer:
    """What one sees through, before what is opaque: light (RGBA16F) premultiplied by the opacity in alpha, and a depth
    of its own. geometry is drawn into, which the light is made from; lit has the light alone, depth_only the depth."""

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], rasterised: Sequence[moderngl.Texture]) -> None:
        with Owned() as owned:
            self.light = owned.add(ctx.texture(size, 4, dtype="f2"))
            self.depth = owned.add(ctx.depth_texture(size))
            check_errors(ctx, f"what is seen through in a picture of {size[0]} × {size[1]} pixels")
            for texture in (self.light, self.depth):
                texture.filter = moderngl.NEAREST, moderngl.NEAREST
            self.depth.compare_func = ""
            self.geometry = owned.add(ctx.framebuffer(rasterised, self.depth))
            self.lit = owned.add(ctx.framebuffer([self.light]))
            self.depth_only = owned.add(ctx.framebuffer(depth_attachment=self.depth))
            self._owned = owned.pop_all()

    def clear_light(self) -> None:
        """Nothing is seen through anywhere."""
        self.lit.clear()

    def release(self) -> None:
        """Free everything."""
        self._owned.close()


class LightTarget(ABC):
    """The targets of one picture size that both renderers have.

    Of one world at a time: visibility (R32UI), 0 where nothing is seen of it; distances (R32F), colors (RGBA8) and
    surfaces (RG32UI) are the G-buffer, which lib/gbuffer.glsl describes. occlusion (RG8) is what keeps light away, and
    is evened by way of half_blurred; kept_away and half_kept_away are framebuffers of both.

    light is RGBA16F, with an alpha of 0 where nothing is seen; depth is of what is opaque. sum is RGBA32F, picture
    RGBA8 in sRGB. has_layer says whether the last frame has a layer, and view by which view its light becomes colour.
    """

    def __init__(self, ctx: moderngl.Context, width: int, height: int) -> None:
        self._ctx, self.size = ctx, (width, height)
        largest = capabilities(ctx).max_texture_edge
        if max(self.size) > largest:
            raise VoxelwrightError(f"This graphics driver draws pictures of at most {largest} pixels along an edge.")
        self.has_layer, self.view = False, View.LIT
        self._layer: Layer | None = None
        with Owned() as owned:
            self._owned = owned
            self.depth = owned.add(ctx.depth_texture(self.size))
            self.depth.filter = moderngl.NEAREST, moderngl.NEAREST
            self.depth.compare_func = ""
            self.visibility = self._texture(1, "u4")
            self.distances = self._texture(1, "f4")
            self.colors = self._texture(4, "f1")
            self.surfaces = self._texture(2, "u4")
            self.occlusion = self._texture(2, "f1")
            self.half_blurred = self._texture(2, "f1")
            self.light = self._texture(4, "f2")
            self.sum = self._texture(4, "f4")
            self.picture = self._texture(4, "f1")
            self._make_more()
            check_errors(ctx, f"a picture of {width} × {height} pixels")
            self.geometry = owned.add(ctx.framebuffer(self._rasterised, self.depth))
            self._depth_only = owned.add(ctx.framebuffer(depth_attachment=self.depth))
            self.kept_away = owned.add(ctx.framebuffer([self.occlusion]))
            self.half_kept_away = owned.add(ctx.framebuffer([self.half_blurred]))
            self._owned = owned.pop_all()

    @property
    def layer(self) -> Layer:
        """The layer, made when it is first asked for. Raises VoxelwrightError where graphics memory is short."""
        if self._layer is None:
            self._layer = Layer(self._ctx, self.size, self._rasterised)
        return self._layer

    def clear_depth(self) -> None:
        """Set all depths to the farthest."""
        self._depth_only.depth_mask = True
        self._depth_only.clear(depth=1.0)

    def release(self) -> None:
        """Free everything."""
        if self._layer is not None:
            self._layer.release()
        self._owned.close()

    @abstractmethod
    def _make_more(self) -> None:
        """Make what the other renderer does not need."""

    @property
    @abstractmethod
    def _rasterised(self) -> list[moderngl.Texture]:
        """What surfaces are drawn into."""

    def _texture(self, n_components: int, dtype: str, scale: int = 1) -> moderngl.Texture:
        """A texture of the picture's size, or smaller by scale."""
        size = tuple(-(-edge // scale) for edge in self.size)
        texture = self._owned.add(self._ctx.texture((size[0], size[1]), n_components, dtype=dtype))
        texture.filter = moderngl.NEAREST, moderngl.NEAREST
        return texture


class FrameTarget(LightTarget):
    """The targets of Renderer.

    Only visibility, which says which quad is seen, and depth are rasterised into. depth_tiles and depth_blocks (R32F)
    have the farthest depth in tiles of pixels and in blocks of tiles.
    """

    def _make_more(self) -> None:
        self.depth_tiles = self._texture(1, "f4", TILE)
        self.depth_blocks = self._texture(1, "f4", TILE**2)

    @property
    def _rasterised(self) -> list[moderngl.Texture]:
        return [self.visibility]

    def bind_images(self) -> None:
        """Bind what compute passes write."""
        gbuffer = (self.distances, self.colors, self.surfaces)
        images = (*gbuffer, self.light, self.sum, self.picture, self.visibility, self.occlusion)
        for binding, texture in zip(ImageBinding, images, strict=True):
            texture.bind_to_image(binding, read=True, write=True)


class BasicTarget(LightTarget):
    """The targets of BasicRenderer, with framebuffers to write each of them. All of the G-buffer is rasterised into."""

    @property
    def _rasterised(self) -> list[moderngl.Texture]:
        return [self.visibility, self.distances, self.colors, self.surfaces]

    def _make_more(self) -> None:
        self.seen = self._owned.add(self._ctx.framebuffer([self.visibility]))
        self.lit = self._owned.add(self._ctx.framebuffer([self.light]))
        self.summed = self._owned.add(self._ctx.framebuffer([self.sum]))
        self.composed = self._owned.add(self._ctx.framebuffer([self.picture]))
