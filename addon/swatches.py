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
    preview.icon_size = (_SIZE, _SIZE)
    preview.icon_pixels_float.foreach_set(swatch(material).reshape(-1))
    icon: int = preview.icon_id
    return icon


def swatch(material: Material) -> NDArray[np.float32]:
    """(64, 64, 4) float32, sRGB and alpha, row 0 below: one tile of the material's texture."""
    from ..gpu_backend.textures import MEAN, SIZE, texture_layer

    step = SIZE // _SIZE
    texels = texture_layer(material.texture)[:, :, 0].reshape(_SIZE, step, _SIZE, step).mean(axis=(1, 3))
    brightness = 1.0 + material.texture_contrast * (texels / MEAN - 1.0)
    linear = srgb_to_linear(np.array(material.color) / 255.0) * brightness[:, :, None]
    picture = np.empty((_SIZE, _SIZE, 4), np.float32)
    picture[:, :, :3] = linear_to_srgb(np.clip(linear, 0.0, 1.0))
    picture[:, :, 3] = max(material.opacity, _LEAST_ALPHA)
    if material.smooth:
        away = np.hypot(*np.meshgrid(*[np.arange(_SIZE) + 0.5 - _SIZE / 2] * 2))
        picture[:, :, 3] *= np.clip(_SIZE / 2 - away, 0.0, 1.0)
    return picture
