# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of materials, as icons: round ones of smooth materials, square ones of blocks."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..voxel.palette import Material, linear_to_srgb, srgb_to_linear

_SIZE = 64
_MAX_ICONS = 1024
"""Where there would be more they are all made anew: colours that are turned leave one at every step."""

_LEAST_ALPHA = 0.35
_RIM = 3
"""Pixels of a dark rim, by which swatches of the interface's own grey are seen."""

_icons: dict[Material, int] = {}
_previews: list[Any] = []


def icon_of(material: Material) -> int:
    """The icon of a material, made when it is first asked for; 0, which is none, where Blender has no window."""
    if bpy.app.background:
        return 0
    if material not in _icons:
        _icons[material] = _new_icon(material)
    return _icons[material]


def clear() -> None:
    """Forget all icons."""
    from bpy.utils import previews

    _icons.clear()
    while _previews:
        previews.remove(_previews.pop())


def _new_icon(material: Material) -> int:
    from bpy.utils import previews

    if len(_icons) >= _MAX_ICONS:
        clear()
    if not _previews:
        _previews.append(previews.new())
    preview = _previews[0].new(str(len(_icons)))
    pixels = swatch(material).reshape(-1)
    # One for buttons, the other where an icon is drawn large.
    preview.icon_size = preview.image_size = (_SIZE, _SIZE)
    preview.icon_pixels_float.foreach_set(pixels)
    preview.image_pixels_float.foreach_set(pixels)
    icon: int = preview.icon_id
    return icon


def swatch(material: Material) -> NDArray[np.float32]:
    """(64, 64, 4) float32, row 0 below: one tile of the material's texture in sRGB, times its alpha, and alpha."""
    from ..gpu_backend.textures import MEAN, SIZE, texture_layer

    step = SIZE // _SIZE
    texels = texture_layer(material.texture)[:, :, 0].reshape(_SIZE, step, _SIZE, step).mean(axis=(1, 3))
    brightness = 1.0 + material.texture_contrast * (texels / MEAN - 1.0)
    linear = srgb_to_linear(np.array(material.color) / 255.0) * brightness[:, :, None]
    alpha = np.full((_SIZE, _SIZE, 1), max(material.opacity, _LEAST_ALPHA))
    to_edge = _SIZE / 2 - np.abs(np.arange(_SIZE) + 0.5 - _SIZE / 2)
    inside = np.minimum(*np.meshgrid(to_edge, to_edge))[:, :, None]
    if material.smooth:
        inside = _SIZE / 2 - np.hypot(*np.meshgrid(_SIZE / 2 - to_edge, _SIZE / 2 - to_edge))[:, :, None]
        alpha = alpha * np.clip(inside, 0.0, 1.0)
    color = linear_to_srgb(np.clip(linear, 0.0, 1.0)) * np.where(inside < _RIM, 0.5, 1.0)
    return np.concatenate([color * alpha, alpha], axis=2).astype(np.float32)
