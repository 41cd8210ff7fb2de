# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks together with a border of their neighbours' voxels, in batches, as the meshers read them."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..addresses import sources_of, voxels_at
from ..kernels import parallel_kernel, prange
from ..layout import CHUNK_SIZE, VOXEL_DTYPE
from ..world import Coord, World
from .chunk_keys import chunks_at, coords_at, keys_at, keys_of

BORDER = 2
"""Voxels of neighbouring chunks on each side. Surface Nets need two: a vertex of the outermost cell takes part in
faces that reach one cell further."""

PADDED_SIZE = CHUNK_SIZE + 2 * BORDER
PADDED_SHAPE = (PADDED_SIZE, PADDED_SIZE, PADDED_SIZE)

BATCH_CHUNKS = 64
"""Chunks a batch: 6 MB of padded voxels, some ten milliseconds of meshing."""

_NEIGHBOUR_KEYS = keys_at([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])


def padded_batches(
    world: World, coords: Iterable[Coord]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.uint16], int]]:
    """Yield (coords (n, 3) int32, padded voxels (n, 36, 36, 36) uint16, coordinates done) for batches of chunks.

    padded[i, x + BORDER, y + BORDER, z + BORDER] is voxel (x, y, z) of the chunk. Chunks whose whole
    neighbourhood is one value have no surface and are left out.
    """
    keys = keys_of(coords)
    for start in range(0, len(keys), BATCH_CHUNKS):
        batch = keys[start : start + BATCH_CHUNKS]
        table = _neighbours(world, batch)
        kept = (table[:, 0] >= 0) | (table != table[:, :1]).any(axis=1)
        padded = np.empty((kept.sum(), *PADDED_SHAPE), VOXEL_DTYPE)
        _pad(table[kept], padded)
        yield coords_at(batch[kept]), padded, start + len(batch)


def pad_chunks(world: World, coords: NDArray[np.int32], padded: NDArray[np.uint16]) -> None:
    """Write padded (n, 36, 36, 36) uint16: the chunks at coords (n, 3), each as in padded_batches()."""
    _pad(_neighbours(world, keys_at(coords)), padded)


def _neighbours(world: World, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n, 27) int64: sources_of() the chunks about those with keys (n,)."""
    every, rows = np.unique(keys[:, None] + _NEIGHBOUR_KEYS, return_inverse=True)
    return sources_of(chunks_at(world, every))[rows.reshape(-1, 27)]


@parallel_kernel
def _pad(table, padded):
    """Fill padded (n, 36, 36, 36) uint16 from table (n, 27) int64 of _neighbours()."""
    first = np.array([0, BORDER, BORDER + CHUNK_SIZE, PADDED_SIZE])
    shift = np.array([CHUNK_SIZE - BORDER, -BORDER, -BORDER - CHUNK_SIZE])
    for i in prange(len(table)):
        for k in range(27):
            dx, dy, dz = k // 9, k // 3 % 3, k % 3
            source = table[i, k]
            part = padded[i, first[dx] : first[dx + 1], first[dy] : first[dy + 1], first[dz] : first[dz + 1]]
            if source < 0:
                part[:] = -1 - source
                continue
            voxels = voxels_at(source)
            x0, y0, z0 = first[dx] + shift[dx], first[dy] + shift[dy], first[dz] + shift[dz]
            for x in range(part.shape[0]):
                for y in range(part.shape[1]):
                    for z in range(part.shape[2]):
                        part[x, y, z] = voxels[x0 + x, y0 + y, z0 + z]
