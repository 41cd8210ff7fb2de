# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals for pictures: the samples, on a cliff of stone blocks beside smooth ground."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxelwright.gpu_backend.decal_images import DecalImage, color_image, normal_image
from voxelwright.gpu_backend.decal_samples import sample
from voxelwright.gpu_backend.decals import Decal, Decals

_images: dict[str, tuple[DecalImage, DecalImage | None]] = {}


def _decal(name: str, half: Any, at: Any, degrees: float = 0.0, lean: float = 0.0, **settings: Any) -> Decal:
    """A sample in a box that is turned about Z, and leans about its own X axis before."""
    if name not in _images:
        drawn = sample(name)
        bumps = normal_image(drawn.normals) if drawn.normals is not None else None
        _images[name] = color_image(drawn.pixels, linear=False), bumps
    matrix = np.eye(4)
    matrix[:3, :3] = _turn(2, degrees) @ _turn(0, lean) * half
    matrix[:3, 3] = at
    return Decal(name, matrix, *_images[name], **settings)


def _turn(axis: int, degrees: float) -> NDArray[np.float64]:
    one, other = (axis + 1) % 3, (axis + 2) % 3
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    made = np.eye(3)
    made[one, one], made[one, other], made[other, one], made[other, other] = cosine, -sine, sine, cosine
    return made


def over_a_cliff() -> Decals:
    """Moss on all slopes, a crack on none but level ground, an arrow on the cliff's side."""
    return Decals.of(
        [
            _decal("moss", (5, 5, 6), (-6, -1, 5), max_angle=np.pi),
            _decal("crack", (4, 4, 6), (3, 1, 5), 20, max_angle=np.pi / 2),
            _decal("arrow", (2.2, 3, 1.5), (9.5, -3, 3.5), lean=90),
        ]
    )


def overlapping() -> Decals:
    return Decals.of(
        [
            _decal("puddle", (5, 5, 2), (-2, 0, 1)),
            _decal("line", (1, 9, 2), (0, 0, 1), 60),
            _decal("arrow", (2.5, 4, 2), (2, 1, 1), -30),
            _decal("moss", (4, 4, 2), (5, 2, 1), color_mix=0.8),
        ]
    )


def on_smooth_ground() -> Decals:
    return Decals.of(
        [_decal("line", (1.2, 12, 6), (0, 0, 3), 75, max_angle=np.pi), _decal("crack", (4, 4, 6), (-3, -2, 3))]
    )


def tinted_and_faded() -> Decals:
    """Arrows up a stair: red, blue and half there, fading with the height; and a line that fades with the distance."""
    level = {"max_angle": np.pi}
    return Decals.of(
        [
            _decal("arrow", (2, 3, 3), (-9, 0, 1), tint=(1.0, 0.1, 0.1), **level),
            _decal("arrow", (2, 3, 3), (-4.5, 0, 1), tint=(0.1, 0.3, 1.0), color_mix=0.4, **level),
            _decal("arrow", (2, 3, 4), (0, 0, 0.5), upper_fade=1.0, **level),
            _decal("line", (1.5, 12, 6), (6, 0, 3), distance_begin=36, distance_length=20, **level),
        ]
    )
