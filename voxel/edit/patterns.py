# SPDX-License-Identifier: GPL-3.0-or-later
"""Which material a brush places where: one, a random mix, a gradient by height, or noise."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..generate.noise import permutation
from ..generate.point_noise import simplex3_at
from ..kernels import kernel
from ..layout import VOXEL_DTYPE
from ..limits import MAX_PATTERN_MATERIALS
from ..palette import Palette
from .symmetry import chance_at, folded

_MIX, _GRADIENT, _NOISE = range(3)


class PatternTables(NamedTuple):
    """A pattern for a palette, as kernels take it."""

    voxels: NDArray[np.uint16]
    thresholds: NDArray[np.float64]
    mode: int
    numbers: NDArray[np.float64]
    seed: int
    table: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern, by one of the functions below. A number from 0 to 1 is found for every voxel; materials take
    parts of that range, as wide as their shares. numbers are the mode's own."""

    materials: tuple[int, ...]
    shares: tuple[float, ...]
    mode: int
    numbers: tuple[float, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= len(self.materials) <= MAX_PATTERN_MATERIALS:
            raise VoxelwrightError(f"A brush must place 1 to {MAX_PATTERN_MATERIALS} materials.")
        if len(self.shares) != len(self.materials) or not all(0 <= s < np.inf for s in self.shares):
            raise VoxelwrightError("Each material of a mix must have a share of 0 or more.")
        if not sum(self.shares) > 0:
            raise VoxelwrightError("At least one material of a mix must have a share above 0.")

    def tables(self, palette: Palette) -> PatternTables:
        """The pattern for kernels. Raises VoxelwrightError where the palette lacks a material."""
        voxels = np.array([palette.voxel(index) for index in self.materials], VOXEL_DTYPE)
        thresholds = np.cumsum(self.shares) / sum(self.shares)
        return PatternTables(
            voxels, thresholds, self.mode, np.array(self.numbers, np.float64), self.seed, permutation(self.seed)
        )


def only(material: int) -> Pattern:
    """One material everywhere."""
    return mix({material: 1.0})


def mix(shares: dict[int, float], seed: int = 0) -> Pattern:
    """Materials at random, each as often as its share says."""
    return Pattern(tuple(shares), tuple(shares.values()), _MIX, (0.0, 0.0, 0.0), seed)


def by_height(materials: list[int], low: float, high: float, blend: float = 0.0, seed: int = 0) -> Pattern:
    """Materials from the height low (the first) to high (the last), in voxels of the world, in bands of one height.
    blend from 0 to 1 scatters the borders of the bands by as much of a band."""
    if not low < high:
        raise VoxelwrightError("A gradient must end higher than it begins.")
    return Pattern(tuple(materials), (1.0,) * len(materials), _GRADIENT, (low, high, blend), seed)


def by_noise(materials: list[int], wavelength: float, seed: int = 0) -> Pattern:
    """Materials in patches of about the size of wavelength, in voxels."""
    if not wavelength >= 2:
        raise VoxelwrightError("The size of a noise must be at least 2 voxels.")
    return Pattern(tuple(materials), (1.0,) * len(materials), _NOISE, (wavelength, 0.0, 0.0), seed)


def air_tables() -> PatternTables:
    """What places air."""
    return PatternTables(np.zeros(1, VOXEL_DTYPE), np.ones(1), _MIX, np.zeros(3), 0, np.zeros(0, np.int64))


@kernel
def pattern_voxel(x, y, z, fold, voxels, thresholds, mode, numbers, seed, table):
    """The voxel of a pattern at (x, y, z), by its PatternTables."""
    i, j, k = folded(x, y, z, fold)
    if mode == _MIX:
        value = chance_at(i, j, k, seed)
    elif mode == _GRADIENT:
        value = (z + 0.5 - numbers[0]) / (numbers[1] - numbers[0])
        if numbers[2] > 0.0:
            value += (chance_at(i, j, k, seed) - 0.5) * numbers[2] / len(voxels)
    else:
        scale = 0.5 / numbers[0]
        value = 0.5 + 0.5 * simplex3_at(i * scale, j * scale, k * scale, table, 1.0, 0.0)
    n = 0
    for i in range(len(voxels) - 1):  # without branches, which nobody could foretell
        n += value >= thresholds[i]
    return voxels[n]
