# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's images as decals have them, read again where they have changed."""

import time
import zlib
from collections.abc import Hashable
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..gpu_backend.decal_images import DecalImage, color_image, normal_image
from ..voxel.errors import VoxelwrightError

MAX_PIXELS = 4096 * 4096

_LINEAR_PREFIXES = ("Linear", "Non-Color", "scene_linear", "ACEScg", "ACES2065")
_PATIENCE = 20.0
"""Blender does not tell that pixels were painted or loaded again. They are compared whole, and again after so many
times as long as that takes."""

_images: dict[tuple[int, bool], tuple[Hashable, DecalImage]] = {}
"""By session uid, and whether it is a normal map."""

_checksums: dict[int, tuple[int, float]] = {}
"""Of images by their session uids, and when to look at them again."""


def version_of(image: bpy.types.Image) -> Hashable:
    """Equal for equal pixels, as long as Blender runs; what was painted may count some tenths of a second late."""
    settings = image.filepath_raw, image.source, image.colorspace_settings.name, image.alpha_mode
    size: Any = image.size
    return *settings, *size, _checksum(image)


def decal_image(image: bpy.types.Image, *, is_normal_map: bool) -> DecalImage:
    """The image, read where that version of it was not read before. Raises VoxelwrightError where it has no pixels, or
    too many."""
    key, version = (image.session_uid, is_normal_map), version_of(image)
    if key not in _images or _images[key][0] != version:
        pixels = _pixels(image)
        made = (
            normal_image(pixels) if is_normal_map else color_image(_straight(image, pixels), linear=_is_linear(image))
        )
        _images[key] = version, made
    return _images[key][1]


def keep_only(images: set[int]) -> None:
    """Forget all but those with these session uids."""
    for key in [key for key in _images if key[0] not in images]:
        del _images[key]


def _pixels(image: bpy.types.Image) -> NDArray[np.float32]:
    """(height, width, 4) float32, row 0 at the bottom."""
    size: Any = image.size
    width, height = tuple(size)
    if width * height > MAX_PIXELS:
        raise VoxelwrightError(f'The image "{image.name}" has more than 4096 × 4096 pixels; scale it down.')
    values = _values(image)
    if not width or len(values) != width * height * image.channels:
        raise VoxelwrightError(f'The image "{image.name}" cannot be read; find its file again or choose another one.')
    pixels = values.reshape(height, width, image.channels)
    if image.channels == 4:
        return pixels
    full = np.ones((height, width, 4), np.float32)
    full[..., :3] = pixels[..., :3] if image.channels == 3 else pixels[..., :1]
    return full


def _values(image: bpy.types.Image) -> NDArray[np.float32]:
    """All its numbers; none where they cannot be had."""
    pixels: Any = image.pixels
    values = np.empty(len(pixels), np.float32)
    pixels.foreach_get(values)
    return values


def _straight(image: bpy.types.Image, pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same with straight alpha: pixels of floats are multiplied by it."""
    if image.alpha_mode == "NONE":
        pixels = pixels.copy()
        pixels[..., 3] = 1
    elif image.is_float and image.alpha_mode != "CHANNEL_PACKED":
        pixels = pixels.copy()
        pixels[..., :3] /= np.maximum(pixels[..., 3:], 1e-6)
    return pixels


def _is_linear(image: bpy.types.Image) -> bool:
    """Whether the pixels are linear light: those of floats always are."""
    return image.is_float or image.colorspace_settings.name.startswith(_LINEAR_PREFIXES)


def _checksum(image: bpy.types.Image) -> int:
    known, due = _checksums.get(image.session_uid, (0, 0.0))
    begun = time.monotonic()
    if begun < due:
        return known
    checksum, ended = zlib.crc32(_values(image).data), time.monotonic()
    _checksums[image.session_uid] = checksum, ended + _PATIENCE * (ended - begun)
    return checksum
