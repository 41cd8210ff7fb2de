# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a picture is taken from."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..voxel.errors import VoxelwrightError

_MARGIN = 0.06
"""The share of the picture's half that stays free on each side of a framed box."""

_CENTERING_STEPS = 32


@dataclass(frozen=True, eq=False)
class Camera:
    """view and projection: (4, 4) float64 for column vectors, from voxel space to camera space (looking along −Z,
    Y up; scaled, where voxels are), and from there to OpenGL's clip space (near plane at z = −w)."""

    view: NDArray[np.float64]
    projection: NDArray[np.float64]

    @property
    def eye(self) -> NDArray[np.float64]:
        """(3,) float64: the eye in voxel space."""
        return np.linalg.solve(self.view[:3, :3], -self.view[:3, 3])

    @property
    def direction(self) -> NDArray[np.float64]:
        """(3,) float64: the unit vector along the view, in voxel space."""
        along = np.linalg.solve(self.view[:3, :3], (0.0, 0.0, -1.0))
        return along / np.linalg.norm(along)

    @property
    def is_orthographic(self) -> bool:
        """Whether all rays are parallel."""
        return bool(self.projection[3, 2] == 0)

    @property
    def front_face(self) -> Literal["ccw", "cw"]:
        """How the corners of faces that look at the eye go round in the picture: the other way in a mirrored world."""
        return "ccw" if np.linalg.det(self.view[:3, :3]) > 0 else "cw"

    @property
    def depth_range(self) -> tuple[float, float]:
        """The distances of the near and the far plane, in voxels."""
        planes = np.linalg.inv(self.projection) @ np.array([(0, 0, -1, 1), (0, 0, 1, 1)], np.float64).T
        near, far = -planes[2] / planes[3] / self._scale
        return float(near), float(far)

    def voxels_per_pixel(self, height: int) -> float:
        """The voxels that one of height pixels is high, where clip w is 1."""
        return float(2.0 / (self.projection[1, 1] * height * self._scale))

    @property
    def _scale(self) -> float:
        """How many units of camera space a voxel is wide; the mean, where it is not the same along all axes."""
        return float(abs(np.linalg.det(self.view[:3, :3])) ** (1 / 3))


def orbit_camera(
    bounds_low: ArrayLike,
    bounds_high: ArrayLike,
    azimuth_degrees: float,
    elevation_degrees: float,
    aspect: float,
    fov_degrees: float = 30.0,
) -> Camera:
    """A perspective camera that looks at a box (low to high, in voxels) from outside and frames it tightly.

    Azimuth 0 looks from −Y and grows counter-clockwise seen from above. Elevation goes from −90 (from below) through
    0 (level) to 90 (straight down; up is then where the azimuth looks to). aspect is width by height; fov_degrees is
    the vertical angle of view. Raises VoxelwrightError for angles that are not such.
    """
    if not (math.isfinite(azimuth_degrees) and -90 <= elevation_degrees <= 90):
        raise VoxelwrightError("A view needs an azimuth and an elevation in degrees, the elevation from -90 to 90.")
    axes = _orbit_axes(math.radians(azimuth_degrees), math.radians(elevation_degrees))
    low, high = np.asarray(bounds_low, np.float64), np.asarray(bounds_high, np.float64)
    center = (low + high) / 2
    half = np.maximum((high - low) / 2, 0.5)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    right, up, back = (corners @ axes.T).T

    slope = math.tan(math.radians(fov_degrees) / 2)
    eye = _framing_eye(right, up, -back, slope * aspect * (1 - _MARGIN), slope * (1 - _MARGIN))
    depths = -(back - eye[2])
    view = np.eye(4)
    view[:3, :3] = axes
    view[:3, 3] = -axes @ center - eye
    return Camera(view, _perspective(slope, aspect, depths.min() * 0.9, depths.max() * 1.1))


def _orbit_axes(azimuth: float, elevation: float) -> NDArray[np.float64]:
    # Right comes from the azimuth alone, so that straight up and straight down are no special cases.
    back = np.array(
        [math.sin(azimuth) * math.cos(elevation), -math.cos(azimuth) * math.cos(elevation), math.sin(elevation)]
    )
    right = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
    return np.stack([right, np.cross(back, right), back])


def _framing_eye(
    x: NDArray[np.float64], y: NDArray[np.float64], depth: NDArray[np.float64], slope_x: float, slope_y: float
) -> NDArray[np.float64]:
    """The nearest eye (right, up, back) from which all points lie within the slopes, centred in the picture.

    A point is inside the right side plane where x − eye_x ≤ slope · (depth − eye_depth), and likewise for the others.
    """
    sides = [(np.max(p - s * depth), np.max(-p - s * depth), s) for p, s in ((x, slope_x), (y, slope_y))]
    eye_depth = min(-(a + b) / (2 * s) for a, b, s in sides)
    starts = [(a - b) / 2 for a, b, _ in sides]
    return np.array([*(_centered(p, depth - eye_depth, e) for p, e in zip((x, y), starts, strict=True)), -eye_depth])


def _centered(offsets: NDArray[np.float64], depths: NDArray[np.float64], start: float) -> float:
    # Exact from the start along the axis that the box fills. Along the other one the eye moves until both margins are
    # equal; steps of the smallest depth never go too far.
    eye = start
    for _ in range(_CENTERING_STEPS):
        slopes = (offsets - eye) / depths
        eye += (slopes.max() + slopes.min()) / 2 * depths.min()
    return eye


def _perspective(slope: float, aspect: float, near: float, far: float) -> NDArray[np.float64]:
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = 1 / (slope * aspect), 1 / slope
    matrix[2, 2], matrix[2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    matrix[3, 2] = -1
    return matrix
