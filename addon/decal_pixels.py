# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's images as decals have them, read again where they have changed."""

import time
import zlib
from collections.abc import Hashable, Iterable
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..gpu_backend.decal_images import DecalImage, color_image, normal_image
from ..voxel.errors import VoxelwrightError

MAX_PIXELS = 4096 * 4096

_LINEAR_PREFIXES = ("Linear", "Non-Color", "scene_linear", "ACEScg", "ACES2065")
_PATIENCE = 20.0
"""Blender does not tell that pixels were painted or loaded again. Images are compared whole, one after another, the
next one after so many times as long as that took."""

_images: dict[tuple[int, bool], tuple[Hashable, DecalImage]] = {}
"""By session uid, and whether it is a normal map."""


def version_of(image: bpy.types.Image) -> Hashable:
    """Equal for equal pixels, as long as Blender runs; what was painted may count some tenths of a second late."""
    settings = image.filepath_raw, image.source, image.colorspace_settings.name, image.alpha_mode
    size: Any = image.size
    # What is too large is never read.
    return *settings, *size, _checksums.of(image) if size[0] * size[1] <= MAX_PIXELS else 0


def decal_image(image: bpy.types.Image, version: Hashable, *, is_normal_map: bool) -> DecalImage:
    """The image in that version, read where it was not read before. Raises VoxelwrightError where it has no pixels, or
    too many."""
    key = image.session_uid, is_normal_map
    if key not in _images or _images[key][0] != version:
        pixels = _pixels(image)
        made = (
            normal_image(pixels) if is_normal_map else color_image(_straight(image, pixels), linear=_is_linear(image))
        )
        _images[key] = version, made
    return _images[key][1]


def keep_only(images: Iterable[bpy.types.Image]) -> None:
    """Forget all others."""
    uids = {image.session_uid for image in images}
    for key in [key for key in _images if key[0] not in uids]:
        del _images[key]
    _checksums.keep_only(uids)


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


class _Checksums:
    """Of images' pixels as they were when they were compared last."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # by session uid, the one that was compared last at the end
        self._next = 0.0

    def of(self, image: bpy.types.Image) -> int:
        uid, begun = image.session_uid, time.monotonic()
        if uid in self._known and (begun < self._next or uid != next(iter(self._known))):
            return self._known[uid]
        self._known.pop(uid, None)
        self._known[uid] = zlib.crc32(_values(image).data)
        ended = time.monotonic()
        self._next = ended + _PATIENCE * (ended - begun)
        return self._known[uid]

    def keep_only(self, uids: set[int]) -> None:
        for uid in self._known.keys() - uids:
            del self._known[uid]


_checksums = _Checksums()
