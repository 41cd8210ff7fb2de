# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of decals as layers of one texture array, which grows as it is asked for more."""

from collections.abc import Iterable

import moderngl

from ..voxel.errors import VoxelwrightError
from .context import check_errors
from .decal_images import EDGE, DecalImage
from .texture_levels import build_levels

_CHANNELS = 4


class DecalTextures:
    """The context must be current in every call."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._layers: list[DecalImage | None] = []
        self._textures: moderngl.TextureArray | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory, mip levels and all."""
        texels = sum((EDGE >> level) ** 2 for level in range(EDGE.bit_length()))
        return texels * len(self._layers) * _CHANNELS

    def bring(self, images: Iterable[DecalImage | None]) -> dict[DecalImage | None, int]:
        """The layer of each image, brought over where it was not there, in the place of one that is not asked for;
        that of None is −1. Raises VoxelwrightError where graphics memory is short."""
        wanted = dict.fromkeys(image for image in images if image is not None)
        new = [image for image in wanted if image not in self._layers]
        if new:
            free = [layer for layer, image in enumerate(self._layers) if image not in wanted]
            if len(free) < len(new):
                new, free = list(wanted), self._grow(len(wanted))
            for image, layer in zip(new, free, strict=False):
                self._write(image, layer)
            build_levels(self._ctx, self.array)
        return {None: -1, **{image: self._layers.index(image) for image in wanted}}

    @property
    def array(self) -> moderngl.TextureArray:
        """What was brought over before."""
        assert self._textures is not None
        return self._textures

    def release(self) -> None:
        """Free it."""
        if self._textures is not None:
            self._textures.release()
        self._textures, self._layers = None, []

    def _write(self, image: DecalImage, layer: int) -> None:
        self.array.write(image.texels.tobytes(), (0, 0, layer, EDGE, EDGE, 1))
        self._layers[layer] = image

    def _grow(self, n_images: int) -> list[int]:
        """Make an array of as many layers as a power of two, and forget what was there; all its layers."""
        self.release()
        n_layers = 1 << (n_images - 1).bit_length()
        textures = self._ctx.texture_array((EDGE, EDGE, n_layers), _CHANNELS)
        try:
            check_errors(self._ctx, f"{n_images} images of decals")
        except VoxelwrightError:
            textures.release()
            raise
        textures.repeat_x = textures.repeat_y = False
        self._textures, self._layers = textures, [None] * n_layers
        return list(range(n_layers))
