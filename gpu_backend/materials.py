# SPDX-License-Identifier: GPL-3.0-or-later
"""A palette on the GPU: a record for each material, and the patterns that they use as a texture array."""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import N_MATERIALS
from ..voxel.palette import Palette
from .context import check_errors
from .records import MATERIAL, TEXTURE_PERIOD, StorageBinding
from .texture_levels import build_levels
from .textures import SIZE, texture_layer

TEXTURE_UNIT = 0
"""Where lib/material.glsl has its sampler, material_textures."""

_CHANNELS = 2


class PaletteMaterials:
    """The materials of the palette that update() was given last. The context must be current in every call."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._palette: Palette | None = None
        self._records = ctx.buffer(reserve=N_MATERIALS * MATERIAL.itemsize)
        self._layers: list[str] = []
        self._textures: moderngl.TextureArray | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory that the records and the textures with their mip levels take."""
        texels = sum((SIZE >> level) ** 2 for level in range(SIZE.bit_length()))
        return self._records.size + texels * len(self._layers) * _CHANNELS

    @property
    def has_transparency(self) -> bool:
        """Whether one sees through any material."""
        return self._palette is not None and bool(self._palette.transparent.any())

    def update(self, palette: Palette) -> bool:
        """Bring over a palette, where it is another; whether other materials than before are transparent.

        Raises VoxelwrightError where the graphics memory is too small; the palette before stays then.
        """
        before = self._palette
        if palette == before:
            return False
        layers = texture_names(palette)
        if layers != self._layers:
            self._replace_textures(layers)
        self._records.write(material_records(palette).tobytes())
        self._palette = palette
        return before is None or not np.array_equal(before.transparent, palette.transparent)

    def bind(self) -> None:
        """Bind the records to their storage block and the textures to TEXTURE_UNIT."""
        self._records.bind_to_storage_buffer(StorageBinding.MATERIALS)
        self._bind_textures()

    def bind_as_uniforms(self, binding: int) -> None:
        """Bind likewise, but the records to a uniform block, for contexts without storage blocks."""
        self._records.bind_to_uniform_block(binding)
        self._bind_textures()

    def release(self) -> None:
        """Free the buffer and the textures."""
        self._records.release()
        if self._textures is not None:
            self._textures.release()

    def _bind_textures(self) -> None:
        if self._textures is not None:
            self._textures.use(TEXTURE_UNIT)

    def _replace_textures(self, names: list[str]) -> None:
        texels = np.stack([texture_layer(name) for name in names])
        textures = self._ctx.texture_array((SIZE, SIZE, len(names)), _CHANNELS, texels.tobytes())
        build_levels(self._ctx, textures)
        try:
            check_errors(self._ctx, f"{len(names)} textures of materials")
        except VoxelwrightError:
            textures.release()
            raise
        if self._textures is not None:
            self._textures.release()
        self._textures, self._layers = textures, names


def texture_names(palette: Palette) -> list[str]:
    """The patterns that a palette uses, in the order of the texture array's layers; "plain" comes first and always."""
    return list(dict.fromkeys(["plain", *(material.texture for _, material in palette.items())]))


def material_records(palette: Palette) -> NDArray[Any]:
    """(256,) MATERIAL; entries that are not in use are black, opaque and plain, and run into nothing."""
    layers = {name: layer for layer, name in enumerate(texture_names(palette))}
    records = np.zeros(N_MATERIALS, MATERIAL)
    records["color"] = palette.linear_colors
    records["opacity"] = 1.0
    for index, material in palette.items():
        for name in ("opacity", "roughness", "metallic", "emission", "texture_contrast", "bleeds", "resists"):
            records[name][index] = getattr(material, name)
        records["texture_layer"][index] = layers[material.texture]
        records["tiles_per_period"][index] = round(TEXTURE_PERIOD / material.texture_scale)
    return records
