# SPDX-License-Identifier: GPL-3.0-or-later
"""Sculpting on voxels: surfaces that rise, sink, are smoothed, flattened, grown, eroded or roughened."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..generate.noise import permutation
from ..generate.point_noise import simplex3_at
from ..kernels import kernel
from ..layout import AIR, CHUNK_SIZE, FACE_AXIS, FACE_SIGN, MATERIAL_SHIFT, N_MATERIALS, POS_Z
from ..limits import MAX_SCULPT_STEP
from ..world import Coord
from .actions import AIR_BITS, Change, Moment
from .shapes import turned_face
from .symmetry import Image, Symmetry, chance_at, folded

_N = CHUNK_SIZE
_SMOOTH_REACH = 2

# --- Surfaces that move along an axis -------------------------------------------------------------------------------

_RAISE, _LOWER, _FLATTEN, _NOISE = range(4)
_PLANE_STEPS = 16
"""Planes lie on multiples of a 16th of a voxel, so that mirror images of them are exact."""


@dataclass(frozen=True, slots=True)
class Move:
    """Surfaces moved along the axis of face by weight · strength voxels, by one of the functions below.

    Air that lies at most so far from a solid voxel, counted along the axis, becomes such a voxel; or solid voxels at
    most so far from air become air. Fractions of voxels add up in the course of a stroke. numbers are the mode's own: a
    plane as a point and a normal in half voxels, or a wavelength. most is the greatest weight that there will be.
    """

    mode: int
    strength: float
    face: int = POS_Z
    numbers: tuple[float, ...] = (0.0,) * 6
    seed: int = 0
    most: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= MAX_SCULPT_STEP:
            raise VoxelwrightError(f"The strength of sculpting must be a number of voxels from 0 to {MAX_SCULPT_STEP}.")

    @property
    def margin(self) -> Coord:
        reach = [0, 0, 0]
        reach[FACE_AXIS[self.face]] = max(1, int(np.ceil(self.strength * self.most)))
        return reach[0], reach[1], reach[2]

    def up_to(self, most: float) -> "Move":
        """The same for weights up to most."""
        return replace(self, most=max(1.0, most))

    def left_of(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """What is left of summed weights when surfaces have been moved by them, in whole voxels. Noise moves them by
        another share everywhere, of which nothing is left."""
        if self.mode == _NOISE or self.strength == 0:
            return np.zeros_like(weights)
        exact = weights.astype(np.float64)  # as _move() computes, or halves would be rounded in another way
        return (exact - np.floor(exact * self.strength + 0.5) / self.strength).astype(np.float32)

    def image(self, symmetry: Symmetry, image: Image) -> "Move":
        face = self.face
        if FACE_AXIS[face] in image.mirrors:
            face ^= 1
        numbers = self.numbers
        if self.mode == _FLATTEN:
            x, y, z, *normal = numbers
            point = symmetry.point((x, y, z), image)
            numbers = (*point, *symmetry.direction((normal[0], normal[1], normal[2]), image))
        return replace(self, face=turned_face(face, image.quarters), numbers=numbers)

    def at(self, moment: Moment) -> Change:
        axis, sign = int(FACE_AXIS[self.face]), int(FACE_SIGN[self.face])
        numbers, table = np.array(self.numbers, np.float64), permutation(self.seed)

        def change(
            voxels: NDArray[np.uint16], weights: NDArray[np.float32], corner: Coord, out: NDArray[np.uint16]
        ) -> int:
            arguments = (self.mode, self.strength, axis, sign, numbers, table, moment.n_before, moment.fold, *corner)
            return int(_move(voxels, weights, *arguments, out))

        return change


def raise_(strength: float = 1.0, face: int = POS_Z) -> Move:
    """Raise surfaces by strength voxels a dab towards face."""
    return Move(_RAISE, strength, face)


def lower(strength: float = 1.0, face: int = POS_Z) -> Move:
    """Lower surfaces that look to face by strength voxels a dab."""
    return Move(_LOWER, strength, face)


def flatten(
    point: tuple[float, float, float], normal: tuple[float, float, float] = (0.0, 0.0, 1.0), strength: float = 1.0
) -> Move:
    """Move surfaces by at most strength voxels a dab towards the plane through point (in voxels) across normal: what
    lies in front of it sinks, what lies behind it rises."""
    length = float(np.sqrt(sum(c * c for c in normal)))
    if not 0 < length < np.inf:
        raise VoxelwrightError("The plane to flatten to must have a direction; give a normal that is not zero.")
    axis = int(np.argmax(np.abs(normal)))
    x, y, z = (2 * float(np.floor(c * _PLANE_STEPS + 0.5)) / _PLANE_STEPS for c in point)
    return Move(_FLATTEN, strength, 2 * axis + (normal[axis] < 0), (x, y, z, *(c / length for c in normal)))


def roughen(strength: float = 1.0, wavelength: float = 8.0, face: int = POS_Z, seed: int = 0) -> Move:
    """Raise and lower surfaces by up to strength voxels a dab, by noise with features of about wavelength voxels."""
    if not wavelength >= 2:
        raise VoxelwrightError("The size of a noise must be at least 2 voxels.")
    return Move(_NOISE, strength, face, (wavelength,), seed)


@kernel
def _move(voxels, weights, mode, strength, axis, sign, numbers, table, n_before, fold, x0, y0, z0, out):
    """Move surfaces in out (32, 32, 32) uint16, the chunk at (x0, y0, z0); voxels are the same with a margin along
    axis alone. Returns how many voxels changed."""
    margin = (voxels.shape[axis] - _N) // 2
    mx, my, mz = (margin if axis == 0 else 0), (margin if axis == 1 else 0), (margin if axis == 2 else 0)
    flat = voxels.reshape(-1)
    nyz, nz = voxels.shape[1] * voxels.shape[2], voxels.shape[2]
    ahead = sign * (nyz if axis == 0 else (nz if axis == 1 else 1))
    n_changed = 0
    for x in range(_N):
        for y in range(_N):
            for z in range(_N):
                weight = weights[x, y, z]
                if weight <= 0.0:
                    continue
                is_air = out[x, y, z] <= AIR_BITS
                if mode == (_LOWER if is_air else _RAISE):
                    continue
                if mode == _FLATTEN:
                    px, py = 2 * (x0 + x) + 1 - numbers[0], 2 * (y0 + y) + 1 - numbers[1]
                    pz = 2 * (z0 + z) + 1 - numbers[2]
                    if ((px * numbers[3] + py * numbers[4]) + pz * numbers[5] > 0.0) == is_air:
                        continue
                size = strength * weight
                n_steps = margin if mode == _NOISE else min(_steps(size, n_before), margin)
                place = (x + mx) * nyz + (y + my) * nz + z + mz
                towards = -ahead if is_air else ahead
                there = out[x, y, z]
                step = 0
                while step < n_steps and (there <= AIR_BITS) == is_air:
                    step += 1
                    there = flat[place + towards * step]
                if (there <= AIR_BITS) == is_air:
                    continue
                if mode == _NOISE:
                    fx, fy, fz = folded(x0 + x, y0 + y, z0 + z, fold)
                    scale = 0.5 / numbers[0]
                    amount = size * simplex3_at(fx * scale, fy * scale, fz * scale, table, 1.0, 0.0)
                    if (amount > 0.0) != is_air or _steps(abs(amount), n_before) < step:
                        continue
                out[x, y, z] = there if is_air else AIR
                n_changed += 1
    return n_changed


@kernel
def _steps(size, n_before):
    """How many whole voxels the dab after n_before others of the same size adds to them: sums are rounded."""
    return np.int64(np.floor(size * (n_before + 1) + 0.5) - np.floor(size * n_before + 0.5))


# --- Surfaces that change by what is around them --------------------------------------------------------------------

_SMOOTHE, _GROW, _ERODE = range(3)


@dataclass(frozen=True, slots=True)
class Reshape:
    """Voxels that follow those around them, by one of the functions below."""

    mode: int
    strength: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= 1:
            raise VoxelwrightError("The strength must be a number from 0 to 1.")

    @property
    def margin(self) -> Coord:
        reach = _SMOOTH_REACH if self.mode == _SMOOTHE else 1
        return (reach, reach, reach)

    def image(self, _symmetry: Symmetry, _image: Image) -> "Reshape":
        return self

    def at(self, moment: Moment) -> Change:
        seed = self.seed + moment.n_before

        def change(
            voxels: NDArray[np.uint16], weights: NDArray[np.float32], corner: Coord, out: NDArray[np.uint16]
        ) -> int:
            if self.mode == _SMOOTHE:
                return int(_smoothe(voxels, weights, self.strength, out))
            grows = self.mode == _GROW
            return int(_grow_or_erode(voxels, weights, grows, self.strength, seed, moment.fold, *corner, out))

        return change


def smooth(strength: float = 1.0) -> Reshape:
    """Make each voxel solid or air as most of the 5³ about it are; with less strength only where more of them are."""
    return Reshape(_SMOOTHE, strength)


def grow(strength: float = 1.0, seed: int = 0) -> Reshape:
    """Fill air beside solid voxels, with what is most frequent there; strength is the chance of it."""
    return Reshape(_GROW, strength, seed)


def erode(strength: float = 1.0, seed: int = 0) -> Reshape:
    """Take solid voxels beside air away; strength is the chance of it."""
    return Reshape(_ERODE, strength, seed)


@kernel
def _smoothe(voxels, weights, strength, out):
    """Smooth out (32, 32, 32) uint16; voxels (36, 36, 36) are the same with a margin of two. A solid voxel becomes air
    where the solid part of the 5³ about it is below ½ √(strength · weight), air solid where that of air is."""
    size = _N + 2 * _SMOOTH_REACH
    width = 2 * _SMOOTH_REACH + 1
    along_z = np.empty((size, size, _N), np.uint8)
    line = np.empty(size, np.uint8)
    for x in range(size):
        for y in range(size):
            for z in range(size):
                line[z] = voxels[x, y, z] > AIR_BITS
            for z in range(_N):
                along_z[x, y, z] = line[z] + line[z + 1] + line[z + 2] + line[z + 3] + line[z + 4]
    along_yz = np.empty((size, _N, _N), np.uint8)
    for x in range(size):
        for y in range(_N):
            rows = along_z[x, y : y + width]
            for z in range(_N):
                along_yz[x, y, z] = rows[0, z] + rows[1, z] + rows[2, z] + rows[3, z] + rows[4, z]
    n_solid = np.empty((_N, _N, _N), np.uint8)
    for x in range(_N):
        layers = along_yz[x : x + width]
        for y in range(_N):
            for z in range(_N):
                n_solid[x, y, z] = (
                    layers[0, y, z] + layers[1, y, z] + layers[2, y, z] + layers[3, y, z] + layers[4, y, z]
                )
    n_all = width * width * width
    near = np.empty((width, width, width), np.uint16)
    counts, least = np.zeros(N_MATERIALS, np.int64), np.zeros(N_MATERIALS, np.uint16)
    kinds = np.zeros(N_MATERIALS, np.int64)
    n_changed = 0
    for x in range(_N):
        for y in range(_N):
            for z in range(_N):
                weight = weights[x, y, z]
                if weight <= 0.0:
                    continue
                is_solid = out[x, y, z] > AIR_BITS
                n_same = np.int64(n_solid[x, y, z]) if is_solid else n_all - np.int64(n_solid[x, y, z])
                if 2 * n_same < n_all and 2 * n_same < n_all * np.sqrt(strength * weight):
                    new = np.uint16(AIR)
                    if not is_solid:
                        for i in range(width):
                            for j in range(width):
                                near[i, j] = voxels[x + i, y + j, z : z + width]
                        new = _most_frequent(near.reshape(-1), counts, least, kinds)
                    out[x, y, z] = new
                    n_changed += 1
    return n_changed


@kernel
def _most_frequent(voxels, counts, least, kinds):
    """Of voxels (n,) uint16 the solid one of the most frequent material; of materials as frequent the lowest, of its
    voxels the least.

    There is one. counts (256,) int64 is all zeros, and is left so; least (256,) uint16 and kinds (256,) int64 are
    scratch."""
    n_kinds = 0
    for voxel in voxels:
        material = np.int64(voxel >> MATERIAL_SHIFT)
        if material != AIR:
            if counts[material] == 0:
                kinds[n_kinds] = material
                least[material] = voxel
                n_kinds += 1
            least[material] = min(least[material], voxel)
            counts[material] += 1
    best = kinds[0]
    for kind in kinds[1:n_kinds]:
        if counts[kind] > counts[best] or (counts[kind] == counts[best] and kind < best):
            best = kind
    for kind in kinds[:n_kinds]:
        counts[kind] = 0
    return least[best]


@kernel
def _grow_or_erode(voxels, weights, grows, strength, seed, fold, x0, y0, z0, out):
    """Grow, or erode, out (32, 32, 32) uint16, the chunk at (x0, y0, z0); voxels (34, 34, 34) are the same with a
    margin of one."""
    counts, least = np.zeros(N_MATERIALS, np.int64), np.zeros(N_MATERIALS, np.uint16)
    kinds = np.zeros(N_MATERIALS, np.int64)
    beside = np.zeros(6, np.uint16)
    n_changed = 0
    for x in range(_N):
        for y in range(_N):
            for z in range(_N):
                weight = weights[x, y, z] * strength
                if weight <= 0.0 or (out[x, y, z] <= AIR_BITS) != grows:
                    continue
                beside[0], beside[1] = voxels[x + 2, y + 1, z + 1], voxels[x, y + 1, z + 1]
                beside[2], beside[3] = voxels[x + 1, y + 2, z + 1], voxels[x + 1, y, z + 1]
                beside[4], beside[5] = voxels[x + 1, y + 1, z + 2], voxels[x + 1, y + 1, z]
                n_air = 0
                for n in range(6):
                    n_air += beside[n] <= AIR_BITS
                if n_air == (6 if grows else 0):
                    continue
                if weight < 1.0:
                    i, j, k = folded(x0 + x, y0 + y, z0 + z, fold)
                    if chance_at(i, j, k, seed) >= weight:
                        continue
                out[x, y, z] = _most_frequent(beside, counts, least, kinds) if grows else np.uint16(AIR)
                n_changed += 1
    return n_changed
