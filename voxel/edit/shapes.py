# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of brushes, and the weights from 0 to 1 that they give voxels.

Places are kept in half voxels, as whole numbers: the middle of voxel x is 2x + 1, the border below it 2x. So a shape
about the middle of a voxel, or about a corner, is exactly symmetric, and so are its images.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..kernels import kernel
from ..layout import CHUNK_SHAPE, CHUNK_SHIFT, CHUNK_SIZE, FACE_AXIS, FACE_SIGN, POS_Z
from ..limits import MAX_BRUSH_RADIUS, MAX_LINE_POINTS, MAX_SWEPT_VOXELS, MAX_WORLD_EDGE
from ..world import Coord
from .brushes import FALLOFFS
from .draft import check_chunks

SPHERE, BOX, CYLINDER, PRISM, CONE, STAMP = range(6)

_NO_STAMP = np.ones((1, 1, 1), np.bool_)


class Placement(NamedTuple):
    """A shape and where its middle is, in half voxels."""

    shape: "Shape"
    middle: Coord


@dataclass(frozen=True, eq=False)
class Shape:
    """One shape, by one of the functions below. half is its extent to each side along x, y and z, in voxels; face is
    where a cone's tip points, and the axis of a cylinder; stamp (nx, ny, nz) bool says which voxels a stamp has."""

    kind: int
    half: tuple[float, float, float]
    face: int = POS_Z
    falloff: str = "constant"
    stamp: NDArray[np.bool_] = field(default_factory=lambda: _NO_STAMP)

    def __post_init__(self) -> None:
        if self.falloff not in FALLOFFS:
            raise VoxelwrightError(f"A brush's falloff must be one of {', '.join(FALLOFFS)}.")

    def at(self, point: tuple[float, float, float], between: bool = False) -> Placement:
        """The shape in the middle of the voxel that holds point (in voxels); or, between voxels, about the corner
        nearest to point. Stamps, and cylinders and cones along their axis, always lie as their size wants it: between
        voxels where it is even."""
        on_corner = [n % 2 == 0 for n in self.stamp.shape] if self.kind == STAMP else [between] * 3
        if self.kind in (CYLINDER, PRISM, CONE):
            axis = FACE_AXIS[self.face]
            on_corner[axis] = round(2 * self.half[axis]) % 2 == 0
        x, y, z = (
            int(2 * np.floor(p + 0.5)) if corner else int(2 * np.floor(p)) + 1
            for p, corner in zip(point, on_corner, strict=True)
        )
        return Placement(self, (x, y, z))

    def mirrored(self, axis: int) -> "Shape":
        """The shape's mirror image along an axis."""
        face = self.face ^ 1 if FACE_AXIS[self.face] == axis else self.face
        return replace(self, face=face, stamp=np.flip(self.stamp, axis))

    def turned(self, quarters: int) -> "Shape":
        """The shape after quarter turns about the z axis, from x towards y."""
        half = (self.half[1], self.half[0], self.half[2]) if quarters % 2 else self.half
        return replace(self, half=half, face=turned_face(self.face, quarters), stamp=np.rot90(self.stamp, quarters))


def turned_face(face: int, quarters: int) -> int:
    """The face after quarter turns about the z axis, from x towards y."""
    around = (0, 2, 1, 3)
    return around[(around.index(face) + quarters) % 4] if face in around else face


def sphere(radius: float, falloff: str = "constant") -> Shape:
    """All voxels whose middles are at most radius from the brush's."""
    return Shape(SPHERE, (_checked(radius),) * 3, falloff=falloff)


def cube(radius: float, falloff: str = "constant") -> Shape:
    return Shape(BOX, (_checked(radius),) * 3, falloff=falloff)


def cylinder(radius: float, height: float, face: int = POS_Z, falloff: str = "constant") -> Shape:
    """A cylinder whose axis goes through face; the weight falls from the axis outwards."""
    return Shape(CYLINDER, _about_axis(_checked(radius), height, face), face, falloff)


def prism(radius: float, height: float, face: int = POS_Z, falloff: str = "constant") -> Shape:
    """A square column whose axis goes through face; the weight falls from the axis outwards."""
    return Shape(PRISM, _about_axis(_checked(radius), height, face), face, falloff)


def disc(radius: float, face: int = POS_Z, falloff: str = "constant") -> Shape:
    """One layer of voxels along a face."""
    return cylinder(radius, 1, face, falloff)


def cone(radius: float, height: float, face: int = POS_Z, falloff: str = "constant") -> Shape:
    """A cone that points to face; its middle is halfway up."""
    return Shape(CONE, _about_axis(_checked(radius), height, face), face, falloff)


def custom(stamp: NDArray[np.bool_]) -> Shape:
    """The voxels where stamp (nx, ny, nz) is true, each with weight 1."""
    stamp = np.array(stamp, np.bool_, order="C")
    if stamp.ndim != 3 or not 1 <= min(stamp.shape) <= max(stamp.shape) <= 2 * MAX_BRUSH_RADIUS:
        raise VoxelwrightError(f"A brush made from a stamp must be 1 to {2 * MAX_BRUSH_RADIUS} voxels on each axis.")
    x, y, z = stamp.shape
    return Shape(STAMP, (x / 2, y / 2, z / 2), stamp=stamp)


def box_between(one: Coord, other: Coord, falloff: str = "constant") -> Placement:
    """The box of which one and other are opposite corner voxels, both in it."""
    sizes = [abs(a - b) + 1 for a, b in zip(one, other, strict=True)]
    if max(sizes) > MAX_WORLD_EDGE:
        raise VoxelwrightError(f"A box may be at most {MAX_WORLD_EDGE} voxels on each axis; make it smaller.")
    x, y, z = (a + b + 1 for a, b in zip(one, other, strict=True))
    return Placement(Shape(BOX, (sizes[0] / 2, sizes[1] / 2, sizes[2] / 2), falloff=falloff), (x, y, z))


def line_between(shape: Shape, start: Coord, end: Coord, between: bool = False) -> list[Placement]:
    """The shape at every voxel of the line from start to end, as at() puts it to the voxel's middle."""
    return [shape.at((x + 0.5, y + 0.5, z + 0.5), between) for x, y, z in line_voxels(start, end).tolist()]


def line_voxels(start: Coord, end: Coord) -> NDArray[np.int64]:
    """(n, 3) int64: the voxels of a line, ends included, one for each step along its longest axis (J. E. Bresenham
    1965, in three dimensions)."""
    way = np.array(end, np.int64) - start
    n_steps = int(np.abs(way).max())
    if n_steps >= MAX_LINE_POINTS:
        raise VoxelwrightError(f"A line may be at most {MAX_LINE_POINTS} voxels long; draw it in parts.")
    steps = np.arange(n_steps + 1)[:, None]
    return np.array(start, np.int64) + (2 * steps * way + n_steps) // max(2 * n_steps, 1)


def weights_by_chunk(placements: Iterable[Placement]) -> Iterator[tuple[Coord, NDArray[np.float32]]]:
    """Yield (chunk, weights (32, 32, 32) float32) for all chunks where a voxel has a weight, the greatest that a
    placement gives it. The array is the same one each time.

    Raises VoxelwrightError where that is too much for one edit.
    """
    meeting: dict[Coord, list[Placement]] = {}
    swept = 0.0
    for placement in placements:
        swept += float(np.prod([2 * h for h in placement.shape.half]))
        if swept > MAX_SWEPT_VOXELS:
            raise VoxelwrightError(
                f"The brush would go over more than {MAX_SWEPT_VOXELS} voxels at once; make it smaller or shorter."
            )
        for coord in _chunks_met(placement):
            meeting.setdefault(coord, []).append(placement)
        check_chunks(len(meeting))
    weights = np.empty(CHUNK_SHAPE, np.float32)
    for coord, there in meeting.items():
        weights[...] = 0.0
        corner = np.array(coord, np.int64) * CHUNK_SIZE
        # No generator expression: all placements add to the weights.
        if sum([_weigh_by(placement, corner, weights) for placement in there]):
            yield coord, weights


def _weigh_by(placement: Placement, corner: NDArray[np.int64], weights: NDArray[np.float32]) -> int:
    shape = placement.shape
    half, middle = np.array(shape.half), np.array(placement.middle, np.int64)
    axis, sign = int(FACE_AXIS[shape.face]), int(FACE_SIGN[shape.face])
    stamp = np.ascontiguousarray(shape.stamp)
    return _weigh(shape.kind, half, axis, sign, FALLOFFS.index(shape.falloff), stamp, middle, corner, weights)


def _chunks_met(placement: Placement) -> list[Coord]:
    spans = []
    for middle, half in zip(placement.middle, placement.shape.half, strict=True):
        low, high = int(np.ceil(middle / 2 - half - 0.5)), int(np.floor(middle / 2 + half - 0.5))
        spans.append(range(low >> CHUNK_SHIFT, (high >> CHUNK_SHIFT) + 1))
    check_chunks(len(spans[0]) * len(spans[1]) * len(spans[2]))
    return [(x, y, z) for x in spans[0] for y in spans[1] for z in spans[2]]


def _checked(radius: float) -> float:
    if not 0.5 <= radius <= MAX_BRUSH_RADIUS:
        raise VoxelwrightError(f"A brush's radius must be a number from 0.5 to {MAX_BRUSH_RADIUS}.")
    return float(radius)


def _about_axis(radius: float, height: float, face: int) -> tuple[float, float, float]:
    if not 1 <= height <= 2 * MAX_BRUSH_RADIUS:
        raise VoxelwrightError(f"A brush's height must be a number from 1 to {2 * MAX_BRUSH_RADIUS}.")
    half = [radius] * 3
    half[FACE_AXIS[face]] = height / 2
    return half[0], half[1], half[2]


@kernel
def _weigh(kind, half, axis, sign, falloff, stamp, middle, corner, weights):
    """Raise the weights (32, 32, 32) float32 of the chunk at corner (3,) int64 to those of a shape about middle (3,)
    int64, in half voxels; half (3,) float64 in voxels. Returns how many were raised."""
    n_raised = 0
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    for a in range(3):
        low[a] = max(0, np.int64(np.ceil(middle[a] / 2 - half[a] - 0.5)) - corner[a])
        high[a] = min(CHUNK_SIZE, np.int64(np.floor(middle[a] / 2 + half[a] - 0.5)) + 1 - corner[a])
    along, across = half[axis] * 2, half[(axis + 1) % 3] * 2
    for x in range(low[0], high[0]):
        dx = 2 * (x + corner[0]) + 1 - middle[0]
        for y in range(low[1], high[1]):
            dy = 2 * (y + corner[1]) + 1 - middle[1]
            for z in range(low[2], high[2]):
                dz = 2 * (z + corner[2]) + 1 - middle[2]
                # Squares are summed as whole numbers: no order of the axes rounds otherwise than another.
                t = 0.0
                if kind == SPHERE:
                    square = dx * dx + dy * dy + dz * dz
                    if square > across * across:
                        continue
                    t = np.sqrt(np.float64(square)) / across if falloff else 0.0
                elif kind in (BOX, PRISM):
                    tx, ty, tz = abs(dx) / (2 * half[0]), abs(dy) / (2 * half[1]), abs(dz) / (2 * half[2])
                    if kind == PRISM:
                        tx, ty, tz = (0.0 if axis == 0 else tx), (0.0 if axis == 1 else ty), (0.0 if axis == 2 else tz)
                    t = max(tx, ty, tz)
                elif kind == STAMP:
                    i, j, k = dx + stamp.shape[0] - 1, dy + stamp.shape[1] - 1, dz + stamp.shape[2] - 1
                    t = 0.0 if stamp[i >> 1, j >> 1, k >> 1] else 2.0
                else:
                    d = dx if axis == 0 else (dy if axis == 1 else dz)
                    radial = np.sqrt(np.float64(dx * dx + dy * dy + dz * dz - d * d)) / across
                    if abs(d) > along:
                        continue
                    t = radial if kind == CYLINDER else radial + (sign * d + along) / (2 * along)
                if t > 1.0:
                    continue
                weight = np.float32(_fallen(falloff, t))
                if weight > weights[x, y, z]:
                    weights[x, y, z] = weight
                    n_raised += 1
    return n_raised


@kernel
def _fallen(falloff, t):
    """The weight at t, by the falloff's place in FALLOFFS."""
    if falloff == 0:
        return 1.0
    if falloff == 1:
        return 1.0 - t
    if falloff == 2:
        return (1.0 - t) * (1.0 - t) * (1.0 + 2.0 * t)
    if falloff == 3:
        return (1.0 - t) * (1.0 - t)
    return np.sqrt(1.0 - t * t)
