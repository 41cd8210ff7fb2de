# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks together with a border of their neighbours' voxels, in batches, as the meshers read them."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..addresses import address_of, voxels_at
from ..kernels import parallel_kernel, prange
from ..layout import CHUNK_SIZE, VOXEL_DTYPE
from ..world import Coord, World

BORDER = 2
"""Voxels of neighbouring chunks on each side. Surface Nets need two: a vertex of the outermost cell takes part in
faces that reach one cell further."""

PADDED_SIZE = CHUNK_SIZE + 2 * BORDER
PADDED_SHAPE = (PADDED_SIZE, PADDED_SIZE, PADDED_SIZE)

BATCH_CHUNKS = 64
"""Chunks a batch: 6 MB of padded voxels, some ten milliseconds of meshing."""

_NEIGHBOURS = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]


def padded_batches(
    world: World, coords: Iterable[Coord]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.uint16], int]]:
    """Yield (coords (n, 3) int32, padded voxels (n, 36, 36, 36) uint16, coordinates done) for batches of chunks.

    padded[i, x + BORDER, y + BORDER, z + BORDER] is voxel (x, y, z) of the chunk. Chunks whose whole
    neighbourhood is one value have no surface and are left out.
    """
    coords = list(coords)
    for start in range(0, len(coords), BATCH_CHUNKS):
        stack: list[NDArray[np.uint16]] = []
        rows: dict[Coord, int] = {}
        tables, kept = [], []
        for coord in coords[start : start + BATCH_CHUNKS]:
            table = [_source(world, coord, offset, stack, rows) for offset in _NEIGHBOURS]
            if table[0] >= 0 or any(entry != table[0] for entry in table):
                tables.append(table)
                kept.append(coord)
        done = min(start + BATCH_CHUNKS, len(coords))
        yield np.array(kept, np.int32).reshape(-1, 3), _padded(stack, tables), done


def padded_chunks(world: World, coords: NDArray[np.int32]) -> NDArray[np.uint16]:
    """(n, 36, 36, 36) uint16: the chunks at coords (n, 3), each as in padded_batches()."""
    stack: list[NDArray[np.uint16]] = []
    rows: dict[Coord, int] = {}
    tables = [[_source(world, (x, y, z), offset, stack, rows) for offset in _NEIGHBOURS] for x, y, z in coords.tolist()]
    return _padded(stack, tables)


def _padded(stack: list[NDArray[np.uint16]], tables: list[list[int]]) -> NDArray[np.uint16]:
    """Padded chunks from the chunks in stack and, for each, a table of what _source() says."""
    padded = np.empty((len(tables), *PADDED_SHAPE), VOXEL_DTYPE)
    if tables:
        addresses = np.array([address_of(chunk) for chunk in stack], np.int64)
        _pad(addresses, np.array(tables, np.int32), padded)
    return padded


def _source(world: World, coord: Coord, offset: Coord, stack: list[NDArray[np.uint16]], rows: dict[Coord, int]) -> int:
    """Where a neighbour's voxels come from: its row in stack, which it joins, or −1 − value where it is uniform."""
    neighbour = (coord[0] + offset[0], coord[1] + offset[1], coord[2] + offset[2])
    chunk = world.chunk(neighbour)
    if isinstance(chunk, int):
        return -1 - chunk
    if neighbour not in rows:
        rows[neighbour] = len(stack)
        stack.append(chunk)
    return rows[neighbour]


@parallel_kernel
def _pad(addresses, tables, padded):
    """Fill padded (n, 36, 36, 36) uint16 from the chunks at addresses (m,) int64 and tables (n, 27) int32 of
    _source()."""
    first = np.array([0, BORDER, BORDER + CHUNK_SIZE, PADDED_SIZE])
    shift = np.array([CHUNK_SIZE - BORDER, -BORDER, -BORDER - CHUNK_SIZE])
    for i in prange(len(tables)):
        for k in range(27):
            dx, dy, dz = k // 9, k // 3 % 3, k % 3
            source = tables[i, k]
            part = padded[i, first[dx] : first[dx + 1], first[dy] : first[dy + 1], first[dz] : first[dz + 1]]
            if source < 0:
                part[:] = -1 - source
                continue
            voxels = voxels_at(addresses[source])
            x0, y0, z0 = first[dx] + shift[dx], first[dy] + shift[dy], first[dz] + shift[dz]
            for x in range(part.shape[0]):
                for y in range(part.shape[1]):
                    for z in range(part.shape[2]):
                        part[x, y, z] = voxels[x0 + x, y0 + y, z0 + z]
