# SPDX-License-Identifier: GPL-3.0-or-later
"""What a brush does to the voxels under it. An action is a value: it knows neither where nor how often it is done."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..kernels import kernel
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SIZE, KEPT_BITS, MATERIAL_SHIFT, VOXEL_DTYPE
from ..palette import Palette
from ..world import Coord
from .draft import Draft, Voxels, window
from .patterns import Pattern, air_tables, pattern_voxel
from .symmetry import Image, Symmetry, chance_at, folded

_N = CHUNK_SIZE
AIR_BITS = np.uint16((1 << MATERIAL_SHIFT) - 1)
"""The greatest voxel that is air."""

Weighted = Iterable[tuple[Coord, NDArray[np.float32]]]
"""Chunks with the weights (32, 32, 32) float32 that their voxels have; the array may be the same one each time."""


class Moment(NamedTuple):
    """When and how an action is done: with which palette, as the how-manieth of a stroke, folded by which symmetry."""

    palette: Palette
    n_before: int
    fold: NDArray[np.int64]


Change = Callable[[NDArray[np.uint16], NDArray[np.float32], Coord, NDArray[np.uint16]], int]
"""change(voxels, weights, corner, out) changes out (32, 32, 32), a copy of the chunk whose lowest voxel is corner;
voxels are the same with the action's margin on each side. It returns how many voxels changed."""


class Action(Protocol):
    """Changes the voxels of one chunk where they have a weight, looking at those around them."""

    @property
    def margin(self) -> Coord:
        """How many voxels around a chunk it looks at, along x, y and z."""

    def image(self, symmetry: Symmetry, image: Image) -> "Action":
        """The action as an image shows it."""

    def at(self, moment: Moment) -> Change:
        """What changes chunks at that moment."""


def changed(
    source: Voxels, action: Action, weighted: Weighted, moment: Moment
) -> Iterable[tuple[Coord, NDArray[np.float32], NDArray[np.uint16]]]:
    """Yield (chunk, weights, voxels) for all chunks that the action changes; the arrays are the same each time."""
    mx, my, mz = action.margin
    change = action.at(moment)
    out = np.empty(CHUNK_SHAPE, VOXEL_DTYPE)
    for coord, weights in weighted:
        x, y, z = (c * _N for c in coord)
        voxels = window(source, (x - mx, y - my, z - mz), (x + _N + mx, y + _N + my, z + _N + mz))
        if mx or my or mz:  # who looks around does so for surfaces
            if isinstance(voxels, int) or not _has_surface(voxels):
                continue
        elif isinstance(voxels, int):
            voxels = np.full(CHUNK_SHAPE, voxels, VOXEL_DTYPE)
        out[...] = voxels[mx : mx + _N, my : my + _N, mz : mz + _N]
        if change(voxels, weights, (x, y, z), out):
            yield coord, weights, out


ADD, REMOVE, REPLACE, PAINT, FILL = range(5)


@dataclass(frozen=True, slots=True)
class Place:
    """Voxels placed without a look at others, by one of the functions below. material limits it to voxels of that
    material where it is not 0. Where weight · strength is below 1 it is the chance that a voxel changes."""

    mode: int
    pattern: Pattern | None
    strength: float = 1.0
    material: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= 1:
            raise VoxelwrightError("The strength must be a number from 0 to 1.")

    @property
    def margin(self) -> Coord:
        return (0, 0, 0)

    def image(self, _symmetry: Symmetry, _image: Image) -> "Place":
        return self

    def at(self, moment: Moment) -> Change:
        tables = air_tables() if self.pattern is None else self.pattern.tables(moment.palette)
        seed = self.seed + moment.n_before

        def change(
            _voxels: NDArray[np.uint16], weights: NDArray[np.float32], corner: Coord, out: NDArray[np.uint16]
        ) -> int:
            return int(
                _place(self.mode, self.material, weights, self.strength, seed, *corner, moment.fold, *tables, out)
            )

        return change


def add(pattern: Pattern, strength: float = 1.0, seed: int = 0) -> Place:
    """Fill air."""
    return Place(ADD, pattern, strength, 0, seed)


def remove(strength: float = 1.0, seed: int = 0) -> Place:
    """Leave air."""
    return Place(REMOVE, None, strength, 0, seed)


def replace(pattern: Pattern, material: int = 0, strength: float = 1.0, seed: int = 0) -> Place:
    """Put new voxels in the place of solid ones, or of those of one material."""
    return Place(REPLACE, pattern, strength, material, seed)


def paint(pattern: Pattern, material: int = 0, strength: float = 1.0, seed: int = 0) -> Place:
    """Give solid voxels, or those of one material, another one; they keep what else they have."""
    return Place(PAINT, pattern, strength, material, seed)


def fill(pattern: Pattern) -> Place:
    """Put new voxels in the place of air and solid ones alike."""
    return Place(FILL, pattern)


def moment_of(draft: Draft, symmetry: Symmetry, n_before: int = 0) -> Moment:
    return Moment(draft.palette, n_before, symmetry.fold())


@kernel
def _has_surface(voxels):
    """Whether voxels (nx, ny, nz) uint16 are neither all air nor all solid."""
    n_solid = 0
    for x in range(voxels.shape[0]):
        for y in range(voxels.shape[1]):
            row = voxels[x, y]
            n_in_row = np.uint16(0)
            for z in range(len(row)):
                n_in_row += np.uint16(row[z] > AIR_BITS)
            n_solid += int(n_in_row)
    return 0 < n_solid < voxels.size


@kernel
def _place(
    mode, material, weights, strength, seed, x0, y0, z0, fold, voxels, thresholds, pattern, numbers, pattern_seed,
    table, out,
):  # fmt: skip
    """Place voxels in out (32, 32, 32) uint16, the chunk at (x0, y0, z0); returns how many changed."""
    n_changed = 0
    alone = np.uint16(AIR) if mode == REMOVE else voxels[0]
    for x in range(_N):
        for y in range(_N):
            for z in range(_N):
                weight = weights[x, y, z]
                if weight <= 0.0:
                    continue
                old = out[x, y, z]
                old_material = old >> MATERIAL_SHIFT
                if mode != FILL and (old_material == AIR) != (mode == ADD):
                    continue
                if material != 0 and old_material != material:
                    continue
                chance = weight * strength
                if chance < 1.0:
                    i, j, k = folded(x0 + x, y0 + y, z0 + z, fold)
                    if chance_at(i, j, k, seed) >= chance:
                        continue
                new = alone
                if len(voxels) > 1:
                    new = pattern_voxel(
                        x0 + x, y0 + y, z0 + z, fold, voxels, thresholds, pattern, numbers, pattern_seed, table
                    )
                if mode == PAINT:
                    new = np.uint16(new | (old & np.uint16(KEPT_BITS)))
                if new != old:
                    out[x, y, z] = new
                    n_changed += 1
    return n_changed
