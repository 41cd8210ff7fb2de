# SPDX-License-Identifier: GPL-3.0-or-later
"""What all passes of a frame share, as the record that they read."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..voxel.errors import VoxelwrightError
from .camera import Camera
from .records import FRAME

SUN_DIRECTION = (-0.35, -0.65, 0.8)
"""Towards the sun, in voxel space: from the front left, so that the front view shows a lit and an unlit side."""

MAX_SUN_SIZE = 45
"""The largest diameter of the sun's disc, in degrees."""


def frame_record(
    camera: Camera,
    width: int,
    height: int,
    sun_direction: ArrayLike = SUN_DIRECTION,
    shift: tuple[float, float] = (0.0, 0.0),
    *,
    haze: bool = True,
    detail: float = 0.0,
) -> NDArray[Any]:
    """() FRAME. The eye is split into a voxel and a fraction, both exact or nearly so in float32, so that nothing
    trembles far from the origin. shift moves the picture by parts of a pixel, to the right and up. haze lets far
    surfaces fade. detail is Look.detail, where the world has levels.

    Raises VoxelwrightError for a sun without a direction.
    """
    sun = np.asarray(sun_direction, np.float64)
    length = np.linalg.norm(sun) if sun.shape == (3,) else 0.0
    if not 0 < length < np.inf:
        raise VoxelwrightError("The sun's direction must be three numbers that are not all zero.")
    eye = camera.eye
    clip_from_eye = _shifted(camera.projection, shift[0] * 2 / width, shift[1] * 2 / height) @ camera.view
    clip_from_eye[:, 3] = clip_from_eye @ (*eye, 1.0)
    near, far = camera.depth_range
    frame = np.zeros((), FRAME)
    frame["clip_from_eye"] = clip_from_eye.T
    frame["eye_from_clip"] = np.linalg.inv(clip_from_eye).T
    frame["eye_voxel"] = *np.floor(eye), near
    frame["eye_fraction"] = *(eye - np.floor(eye)), camera.voxels_per_pixel(height)
    frame["sun_direction"] = *(sun / length), far - near if haze else np.inf
    frame["view_direction"] = *camera.direction, camera.is_orthographic
    frame["picture"] = width, height, shift[1], detail
    return frame


def _shifted(projection: NDArray[np.float64], x: float, y: float) -> NDArray[np.float64]:
    """A projection whose picture is moved in clip space."""
    moved = projection.copy()
    moved[0] += x * projection[3]
    moved[1] += y * projection[3]
    return moved


def pixel_shift(sample: int) -> tuple[float, float]:
    """A place in a pixel, −½ … ½, for each frame of several: spread evenly however many they are (the Halton sequence
    in 2 and 3); that of sample 0 is its middle."""
    if sample == 0:
        return 0.0, 0.0
    return _radical_inverse(sample, 2) - 0.5, _radical_inverse(sample, 3) - 0.5


def _radical_inverse(index: int, base: int) -> float:
    value, scale = 0.0, 1.0
    while index:
        scale /= base
        index, digit = divmod(index, base)
        value += digit * scale
    return value
