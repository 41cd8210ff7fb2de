# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of a view the sun's shadow maps are for, and how the sun looks at each.

A part is a slice of the camera's frustum. Its map covers the slice's bounding sphere, which has the same size however
the camera turns, and lies on a grid in the sun's space: so texels stay where they are in the world, and their size
changes only where the camera goes much nearer to the world or farther away.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .camera import Camera

MAX_CASCADES = 4

MAP_EDGE = 2048
"""Texels along each edge of a map."""

_STEPS = 16
"""A map moves by this part of its edge at a time, so that it is not drawn anew with every move of the camera."""

_LOGARITHMIC = 0.85
"""The share of the logarithmic scheme in where slices end; the rest is even."""

_NEAREST = 1 / 512
"""Of the farthest depth: where the first slice begins at the nearest."""

_SMALLEST = 16.0
"""Voxels: slices whose spheres would be smaller become one. A texel is a 64th of a voxel then."""

_BLENDED = 0.12
"""The part of a slice in which the next one takes over."""

_BESIDE_TEXELS, _BESIDE_VOXELS = 4, 1.0
"""What is looked up beside a surface: the filter's reach, and the way from it along its normal."""


@dataclass(frozen=True)
class MapPlace:
    """What a map shows: the place of its middle on the grid, half its edge in voxels, and the sun. Maps at the same
    place of the same world are equal."""

    steps: tuple[int, int, int]
    half: float
    sun: tuple[float, float, float]

    @property
    def camera(self) -> Camera:
        """How the sun sees it: orthographic, half before and half behind the middle."""
        axes = sun_axes(self.sun)
        view = np.eye(4)
        view[:3, :3] = axes
        view[:3, 3] = -np.array(self.steps) * grid_step(self.half) - (0, 0, self.half)
        projection = np.diag([1 / self.half, 1 / self.half, -1 / self.half, 1.0])
        projection[2, 3] = -1
        return Camera(view, projection)


@dataclass(frozen=True)
class Cascade:
    """A map, and up to which depth of the view, in voxels, it serves: from begins_to_end on the next one takes over, or
    shadows fade."""

    place: MapPlace
    begins_to_end: float
    end: float


def sun_axes(sun: ArrayLike) -> NDArray[np.float64]:
    """(3, 3) float64: right, up and towards the sun, unit vectors in rows."""
    towards = np.asarray(sun, np.float64)
    towards = towards / np.linalg.norm(towards)
    beside = np.eye(3)[np.abs(towards).argmin()]
    right = np.cross(beside, towards)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def grid_step(half: float) -> float:
    """The step of the grid that maps of this size lie on, in voxels."""
    return 2 * half / _STEPS


def fit_cascades(
    camera: Camera, sun: ArrayLike, low: ArrayLike, high: ArrayLike, reach: float = math.inf
) -> list[Cascade]:
    """1 to MAX_CASCADES maps for what a camera sees of a box (low to high, in voxels) within reach voxels, nearest
    first. Where a slice is larger than the box, a map of all of it is the last. Nothing but reach ends what the last
    one serves, and parallel views have no reach."""
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    middle, radius = (low + high) / 2, float(np.linalg.norm(high - low) / 2)
    towards = np.asarray(sun, np.float64) / np.linalg.norm(sun)
    frustum = _Frustum(camera)
    if camera.is_orthographic:
        reach = math.inf
        ends = _even_ends(float((middle - camera.eye) @ camera.direction), radius)
    else:
        ends = _perspective_ends(camera.eye, low, high, frustum, reach)
    cascades: list[Cascade] = []
    start = ends[0]
    for end in ends[1:]:
        center, size = _bounding_sphere(frustum.corners(start), frustum.corners(end))
        if size >= radius:
            begins_to_end = reach if reach == math.inf else reach - _BLENDED * (reach - start)
            return [*cascades, Cascade(_map_place(middle, radius, towards), begins_to_end, reach)]
        is_last = end == ends[-1]
        if size < _SMALLEST and not is_last:
            continue
        begins_to_end = end - _BLENDED * (end - start)
        ways = (math.inf, math.inf) if is_last and end != reach else (begins_to_end, end)
        cascades.append(Cascade(_map_place(center, size, towards), *ways))
        start = begins_to_end
    return cascades


def texels_from_eye(place: MapPlace, index: int, camera: Camera) -> NDArray[np.float64]:
    """(4, 4) float64 for column vectors: from a camera's eye space (voxel space's axes, the eye as origin) to texels of
    a texture of maps one above the other, of which this is the index-th, and depth, 0 … 1."""
    light = place.camera
    clip_from_eye = light.projection @ light.view
    clip_from_eye[:, 3] = clip_from_eye @ (*camera.eye, 1.0)
    to_texels = np.diag([MAP_EDGE / 2, MAP_EDGE / 2, 0.5, 1.0])
    to_texels[:3, 3] = 0.5 * MAP_EDGE, (index + 0.5) * MAP_EDGE, 0.5
    return to_texels @ clip_from_eye


class _Frustum:
    """What a camera sees: near and far are the depths of its first and its last plane, in voxels, and slant is how much
    longer than its depth a ray at the picture's corner is."""

    def __init__(self, camera: Camera) -> None:
        clip = np.array([(x, y, z, 1) for z in (-1, 1) for x in (-1, 1) for y in (-1, 1)], np.float64)
        corners = np.linalg.solve(camera.projection @ camera.view, clip.T).T
        self._first, last = (corners[:, :3] / corners[:, 3:]).reshape(2, 4, 3)
        self.near, self.far = (float(((c - camera.eye) @ camera.direction).mean()) for c in (self._first, last))
        self._along = (last - self._first) / (self.far - self.near)
        self.slant = float(np.linalg.norm(self._along, axis=1).max())

    def corners(self, depth: float) -> NDArray[np.float64]:
        """(4, 3): the corners of what is seen at a depth, in voxel space."""
        return self._first + (depth - self.near) * self._along


def _perspective_ends(
    eye: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], frustum: _Frustum, reach: float
) -> list[float]:
    """Where slices begin and end. Steps of a root of two, so that nearly always they stay as the camera moves."""
    to_box = float(np.linalg.norm(np.maximum(np.maximum(low - eye, eye - high), 0)))
    through_box = float(np.linalg.norm(np.maximum(np.abs(low - eye), np.abs(high - eye))))
    far = min(2 ** (math.ceil(2 * math.log2(through_box)) / 2), frustum.far, reach)
    before_box = 2 ** (math.floor(2 * math.log2(max(to_box / frustum.slant, 1e-6))) / 2)
    near = min(max(far * _NEAREST, frustum.near, before_box), far / 2)
    shares = np.arange(MAX_CASCADES + 1) / MAX_CASCADES
    ends = _LOGARITHMIC * near * (far / near) ** shares + (1 - _LOGARITHMIC) * (near + (far - near) * shares)
    return [*ends[:-1].tolist(), far]


def _even_ends(depth: float, radius: float) -> list[float]:
    """Where slices of a parallel view begin and end, for a sphere at a depth."""
    step = radius / 8
    start = math.floor((depth - radius) / step) * step
    return [start + share * (2 * radius + step) / MAX_CASCADES for share in range(MAX_CASCADES + 1)]


def _bounding_sphere(near: NDArray[np.float64], far: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The middle and the radius of a sphere about the corners (4, 3) of both ends of a slice, the smallest one where
    those lie evenly about the view's axis."""
    first, last = near.mean(axis=0), far.mean(axis=0)
    length = float(np.sum((last - first) ** 2))
    before, behind = (float(np.sum((corners - corners.mean(axis=0)) ** 2, axis=1).max()) for corners in (near, far))
    share = min(max((behind - before + length) / (2 * length), 0.0), 1.0)
    middle = first + share * (last - first)
    return middle, float(np.linalg.norm(np.concatenate([near, far]) - middle, axis=1).max())


def _map_place(middle: NDArray[np.float64], radius: float, sun: NDArray[np.float64]) -> MapPlace:
    """The map about a sphere. Its size is rounded up, so that what rounding adds to the radius changes nothing."""
    half = (radius + _BESIDE_VOXELS) / (1 - 1 / _STEPS - 2 * _BESIDE_TEXELS / MAP_EDGE)
    unit = 2.0 ** (math.floor(math.log2(half)) - 6)
    half = math.ceil(half / unit - 1e-6) * unit
    x, y, z = np.rint(sun_axes(sun) @ middle / grid_step(half)).astype(int).tolist()
    return MapPlace((x, y, z), half, (float(sun[0]), float(sun[1]), float(sun[2])))
