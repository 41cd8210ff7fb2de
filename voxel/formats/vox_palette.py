# SPDX-License-Identifier: GPL-3.0-or-later
"""MagicaVoxel's colours and material settings as Materials."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..palette import Material

Properties = Mapping[bytes, bytes]
"""The settings of one colour as the file's MATL chunk has them: keys such as b"_rough", all values as text."""

MATT_TYPES = (b"_diffuse", b"_metal", b"_glass", b"_emit")
"""The types of the old MATT chunk, by number, under the names that MATL gives them."""

_MIN_OPACITY = 0.1
_MAX_NUMBER_LENGTH = 64


def default_colors() -> NDArray[np.uint8]:
    """(256, 3) uint8 sRGB: the colours of files without a palette, by colour index; index 0 is black and unused.

    Indices 1 to 215 are the 6×6×6 colour cube from white downwards, blue fastest, without its black; then ten
    shades each of red, green, blue and grey.
    """
    levels = np.array([255, 204, 153, 102, 51, 0], np.uint8)
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
    shades = np.array([0xEE, 0xDD, 0xBB, 0xAA, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11], np.uint8)
    channels = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], np.uint8)
    ramps = (channels[:, None, :] * shades[None, :, None]).reshape(-1, 3)
    return np.concatenate([np.zeros((1, 3), np.uint8), cube[:-1], ramps])


def vox_material(name: str, color: tuple[int, int, int], properties: Properties) -> Material:
    """The Material nearest to a colour's settings. Values that are no numbers or out of range never raise: the
    former count as missing, the latter are clamped."""
    kind = properties.get(b"_type", b"_diffuse")
    if kind not in (b"_metal", b"_glass", b"_emit", b"_blend", b"_media"):
        # MagicaVoxel's diffuse materials are matt whatever the other keys say, which it writes all the same.
        return Material(name, color, texture="plain")
    roughness = _number(properties, (b"_rough",), 0.1)
    metallic, emission, transparency = 0.0, 0.0, 0.0
    if kind == b"_metal":
        metallic = _number(properties, (b"_metal", b"_weight"), 1.0)
    elif kind == b"_blend":
        metallic = _number(properties, (b"_metal",), 0.0)
        transparency = _number(properties, (b"_trans", b"_alpha"), 0.0)
    elif kind == b"_emit":
        emission = _emission(properties)
    else:
        transparency = _number(properties, (b"_trans", b"_alpha", b"_weight"), 0.5)
    # Wholly clear glass keeps a little opacity, or its voxels could not be seen.
    opacity = max(1.0 - transparency, _MIN_OPACITY)
    return Material(name, color, roughness, metallic, emission, opacity, _refraction(properties), texture="plain")


def _emission(properties: Properties) -> float:
    """MagicaVoxel's emission of 0 to 1, doubled with each step of its power (flux 0 to 4)."""
    flux = _number(properties, (b"_flux",), 0.0, high=4.0)
    return _number(properties, (b"_emit", b"_weight"), 1.0) * 2.0 ** (flux + 1.0)


def _refraction(properties: Properties) -> float:
    """The index of refraction: _ri in new files, _ior + 1 in older ones."""
    return _number(properties, (b"_ri",), 1.0 + _number(properties, (b"_ior",), 0.3, 0.0, 3.0), 1.0, 4.0)


def _number(
    properties: Properties, keys: tuple[bytes, ...], default: float, low: float = 0.0, high: float = 1.0
) -> float:
    """The first of these keys that holds a finite number, clamped from low to high; else the default."""
    for key in keys:
        text = properties.get(key, b"")
        try:
            value = float(text[:_MAX_NUMBER_LENGTH])
        except ValueError:
            continue
        if math.isfinite(value):
            return min(max(value, low), high)
    return default
