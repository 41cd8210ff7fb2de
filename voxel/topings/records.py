# SPDX-License-Identifier: GPL-3.0-or-later
"""Topings as arrays: vertices and triangles that are shared, and an instance a top."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

TOPING_VERTEX = np.dtype([("position", "<f4", 3), ("bend", "<f4"), ("normal", "<f4", 3), ("uv", "<u2", 2)])
"""32 bytes. position: in voxels from the middle of the top, z up. bend: how far wind moves it, 0 where it is rooted.
normal: unit. uv: unorm16; v goes from 0 at the root to 1 at the tip, u is below a half but for petals."""

TOPING_INSTANCE = np.dtype([("position", "<f4", 3), ("bits", "<u4")])
"""16 bytes. position: the middle of the top, in voxels from the chunk's corner. bits: 7:0 type, the palette's index of
the material that it grows on; 11:8 variant; 31:12 seed."""

VARIANT_SHIFT = 8
SEED_SHIFT = 12

N_VARIANTS = 16
"""By a mask of neighbours: bit k is set where the top is connected to that beyond face k of layout.py, +X −X +Y −Y."""

N_ALTERNATES = 4
"""Meshes of each variant; the seed's lowest two bits choose."""

UNORM = 65535
PETALS_U = 0.5
"""From this u on a vertex is a petal's."""


@dataclass(frozen=True)
class TopingMesh:
    """vertices (v,) TOPING_VERTEX; triangles (t, 3) uint32, counter-clockwise from outside."""

    vertices: NDArray[np.void]
    triangles: NDArray[np.uint32]


Meshes = tuple[tuple[TopingMesh, ...], ...]
"""A kind's meshes by [variant][alternate]."""


@dataclass(frozen=True)
class Topings:
    """The topings of several chunks.

    coords (n, 3) int32: the chunks that have some. counts (n,) uint32. instances (i,) TOPING_INSTANCE: chunk after
    chunk, within a chunk sorted by type, variant and alternate, then by voxel (x, y, z). slopes (i, 2) float32: how
    much the ground rises along x and y; 0 on blocks.
    """

    coords: NDArray[np.int32]
    counts: NDArray[np.uint32]
    instances: NDArray[np.void]
    slopes: NDArray[np.float32]

    @cached_property
    def chunk_of_instance(self) -> NDArray[np.int64]:
        """(i,) int64: the row in coords of each instance's chunk."""
        return np.repeat(np.arange(len(self.coords)), self.counts)

    @property
    def types(self) -> NDArray[np.uint8]:
        """(i,) uint8: the palette's index of what each grows on."""
        return (self.instances["bits"] & 0xFF).astype(np.uint8)

    @property
    def variants(self) -> NDArray[np.uint8]:
        """(i,) uint8: the mask of connected neighbours."""
        return (self.instances["bits"] >> VARIANT_SHIFT & (N_VARIANTS - 1)).astype(np.uint8)

    @property
    def seeds(self) -> NDArray[np.uint32]:
        """(i,) uint32 of 20 bits."""
        return (self.instances["bits"] >> SEED_SHIFT).astype(np.uint32)

    @property
    def alternates(self) -> NDArray[np.uint8]:
        """(i,) uint8: which of a variant's meshes."""
        return (self.seeds & (N_ALTERNATES - 1)).astype(np.uint8)


def height_factors(seeds: NDArray[np.uint32]) -> NDArray[np.float32]:
    """(i,) float32, 0.75 … 1.25: how much taller or lower plants are that have these seeds (i,)."""
    return (0.75 + (seeds >> np.uint32(2) & np.uint32(0xFF)) / 510).astype(np.float32)
