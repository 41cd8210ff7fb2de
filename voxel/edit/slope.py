# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces painted by how steep they are."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..kernels import kernel
from ..layout import CHUNK_SHAPE, CHUNK_SIZE
from ..world import Coord
from .actions import AIR_BITS, Change, Moment, Place, paint
from .patterns import Pattern
from .symmetry import Image, Symmetry

_N = CHUNK_SIZE
STEEPEST = 4
"""Slopes are told apart up to this rise a voxel; walls have it."""


@dataclass(frozen=True, slots=True)
class PaintSlope:
    """painting, where the ground rises by least to most voxels a voxel."""

    painting: Place
    least: float
    most: float

    @property
    def margin(self) -> Coord:
        return (1, 1, STEEPEST + 1)

    def image(self, symmetry: Symmetry, image: Image) -> "PaintSlope":
        return replace(self, painting=self.painting.image(symmetry, image))

    def at(self, moment: Moment) -> Change:
        place = self.painting.at(moment)
        slopes = np.empty(CHUNK_SHAPE, np.float32)

        def change(
            voxels: NDArray[np.uint16], weights: NDArray[np.float32], corner: Coord, out: NDArray[np.uint16]
        ) -> int:
            _slopes(voxels, slopes)
            there = (slopes >= self.least) & (slopes <= self.most)
            return place(voxels, weights * there, corner, out)

        return change


def paint_slope(pattern: Pattern, least: float, most: float = STEEPEST, strength: float = 1.0) -> PaintSlope:
    """Paint the voxels of surfaces that rise by least to most voxels a voxel, 0 to 4: level ground is 0, a rise of 45°
    is 1, and walls and what is steeper than 4 are 4. What looks down alone has no slope."""
    if not 0 <= least <= most <= STEEPEST:
        raise VoxelwrightError(f"Slopes must be from 0 to {STEEPEST}, the least not above the most.")
    return PaintSlope(paint(pattern, strength=strength), least, most)


@kernel
def _slopes(voxels, slopes):
    """Fill slopes (32, 32, 32) float32 from voxels (34, 34, 32 + 2 · 5) uint16: the slope of each surface voxel, −1
    elsewhere. With air above it is that of the ground about it, by the heights of the columns at its four sides."""
    up = STEEPEST + 1
    for x in range(_N):
        for y in range(_N):
            for z in range(_N):
                i, j, k = x + 1, y + 1, z + up
                slopes[x, y, z] = -1.0
                if voxels[i, j, k] <= AIR_BITS:
                    continue
                if voxels[i, j, k + 1] > AIR_BITS:
                    if (
                        (voxels[i - 1, j, k] <= AIR_BITS)
                        | (voxels[i + 1, j, k] <= AIR_BITS)
                        | (voxels[i, j - 1, k] <= AIR_BITS)
                        | (voxels[i, j + 1, k] <= AIR_BITS)
                    ):
                        slopes[x, y, z] = STEEPEST
                    continue
                rise_x = _height(voxels, i + 1, j, k) - _height(voxels, i - 1, j, k)
                rise_y = _height(voxels, i, j + 1, k) - _height(voxels, i, j - 1, k)
                slope = np.sqrt(np.float64(rise_x * rise_x + rise_y * rise_y)) * 0.5
                slopes[x, y, z] = min(slope, np.float64(STEEPEST))


@kernel
def _height(voxels, i, j, k):
    """How far the top of a column lies above k, at most STEEPEST up or down."""
    height = 0
    if voxels[i, j, k] > AIR_BITS:
        while height < STEEPEST and voxels[i, j, k + height + 1] > AIR_BITS:
            height += 1
    else:
        while height > -STEEPEST and voxels[i, j, k + height] <= AIR_BITS:
            height -= 1
    return height
