# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks as rows of bits, classified once each, and the tables by which a chunk finds its 26 neighbours.

Whoever reads a chunk with a border of its neighbours' voxels asks for the rows that it needs (pad_rows) and looks
single materials up where the surface is. So no padded copy of the voxels is ever made.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel, parallel_kernel, prange
from ..layout import CHUNK_SHAPE, CHUNK_SIZE, CHUNK_VOXELS, FLAG_SMOOTH, VOXEL_DTYPE
from ..world import Coord, World
from .rows import keep_high_bytes, row_equal_to, row_with_bits

_N = CHUNK_SIZE

BATCH_CHUNKS = 256
"""Chunks a batch: some ten milliseconds of meshing."""

GROUND, SMOOTH, BLOCKY, GLASS = range(4)
"""Planes of bits: inside for smooth surfaces; smooth; a block; of a material that one sees through (either kind)."""

N_PLANES = 4


@dataclass(frozen=True)
class BitBatch:
    """Some chunks and, in a pool, what is known of them and of their neighbours.

    coords (n, 3) int32. tables (n, 27) int32: the pool's row of the neighbour at offset (dx, dy, dz) of −1 … 1,
    in column 9·(dx + 1) + 3·(dy + 1) + dz + 1. In the pool: planes (m, 4, 32, 32) uint32, bit z of [plane, x, y]
    for voxel (x, y, z); materials (m, 32768) uint8 in the order of a chunk's voxels; and has_blocks (m,) bool. done
    and total count coordinates.
    """

    coords: NDArray[np.int32]
    tables: NDArray[np.int32]
    planes: NDArray[np.uint32]
    materials: NDArray[np.uint8]
    has_blocks: NDArray[np.bool_]
    done: int
    total: int


def bit_batches(world: World, coords: Iterable[Coord] | None = None) -> Iterator[BitBatch]:
    """Batches of those chunks, or of all, with a smooth voxel in reach, sorted by coordinates. All are the chunks that
    are not all air and those just below them on some axis: an edge between two samples belongs to the chunk that
    holds the lower one."""
    stored = np.array(world.coords(), np.int32).reshape(-1, 3)
    chunks = [world.chunk(coord) for coord in world.coords()]
    kinds = np.array([-1 - c if isinstance(c, int) else i for i, c in enumerate(chunks)], np.int32)
    if coords is None:
        owners = _with_lower_neighbours(stored)
    else:
        owners = np.array(sorted(set(coords)), np.int32).reshape(-1, 3)
    pool = _Pool(np.flatnonzero(world.palette.transparent).astype(np.uint8))
    for start in range(0, len(owners), BATCH_CHUNKS):
        batch = owners[start : start + BATCH_CHUNKS]
        tables = np.empty((len(batch), 27), np.int32)
        _find_neighbours(stored, kinds, batch, tables)
        mixed = (tables[:, :1] != tables).any(axis=1) | (tables[:, 0] >= 0)
        batch, tables = batch[mixed], tables[mixed]
        wanted = np.unique(tables)
        pool.load(wanted.tolist(), chunks)
        rows = np.array([pool.rows[kind] for kind in wanted.tolist()], np.int32)
        tables = rows[np.searchsorted(wanted, tables)]
        near = pool.has_smooth[tables].any(axis=1)
        done = min(start + BATCH_CHUNKS, len(owners))
        yield BitBatch(batch[near], tables[near], pool.planes, pool.materials, pool.has_blocks, done, len(owners))


def _with_lower_neighbours(stored: NDArray[np.int32]) -> NDArray[np.int32]:
    """Those coordinates and the ones just below them on each axis, sorted and without doubles."""
    steps = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], np.int32)
    every = (stored[None] - steps[:, None]).reshape(-1, 3)
    every = every[np.lexsort((every[:, 2], every[:, 1], every[:, 0]))]
    return every[np.r_[True, (every[1:] != every[:-1]).any(axis=1)][: len(every)]]


class _Pool:
    """What is known of the chunks of one batch. Rows are kept from batch to batch where a chunk is wanted again."""

    def __init__(self, transparent: NDArray[np.uint8]) -> None:
        self.rows: dict[int, int] = {}
        self.planes = np.empty((0, N_PLANES, _N, _N), np.uint32)
        self.materials = np.empty((0, CHUNK_VOXELS), np.uint8)
        self.has_smooth = np.empty(0, np.bool_)
        self.has_blocks = np.empty(0, np.bool_)
        self._transparent = transparent
        self._free: list[int] = []

    def load(self, kinds: list[int], chunks: list[int | NDArray[np.uint16]]) -> None:
        """Hold these kinds and no others: the index of a chunk that is not uniform, or −1 − value."""
        wanted = set(kinds)
        self._free.extend(self.rows.pop(kind) for kind in sorted(self.rows.keys() - wanted))
        missing = sorted(wanted - self.rows.keys())
        if not missing:
            return
        self._grow(len(missing))
        # Kept here until they have been read at their addresses.
        voxels = [chunks[kind] if kind >= 0 else np.full(CHUNK_SHAPE, -1 - kind, VOXEL_DTYPE) for kind in missing]
        addresses = np.array([_address(chunk) for chunk in voxels], np.int64)
        rows = np.array([self._free.pop() for _ in missing], np.int64)
        self.rows.update(zip(missing, rows.tolist(), strict=True))
        _classify(addresses, rows, self._transparent, self.planes, self.materials, self.has_smooth, self.has_blocks)

    def _grow(self, n: int) -> None:
        size = len(self.planes)
        more = n - len(self._free)
        if more > 0:
            self.planes = np.concatenate([self.planes, np.empty((more, *self.planes.shape[1:]), np.uint32)])
            self.materials = np.concatenate([self.materials, np.empty((more, CHUNK_VOXELS), np.uint8)])
            self.has_smooth = np.concatenate([self.has_smooth, np.empty(more, np.bool_)])
            self.has_blocks = np.concatenate([self.has_blocks, np.empty(more, np.bool_)])
            self._free.extend(range(size, size + more))


@parallel_kernel
def _find_neighbours(stored, kinds, coords, tables):
    """Write tables (n, 27) int32: the kind of each neighbour of coords (n, 3) int32, −1 where none of stored (k, 3)
    int32 (sorted; kinds (k,) int32 beside it) is there."""
    for i in prange(len(coords)):
        for column in range(9):
            x, y, z = coords[i, 0] + column // 3 - 1, coords[i, 1] + column % 3 - 1, coords[i, 2] - 1
            low, high = 0, len(stored)
            while low < high:
                middle = (low + high) // 2
                sx, sy = stored[middle, 0], stored[middle, 1]
                if sx < x or (sx == x and (sy < y or (sy == y and stored[middle, 2] < z))):
                    low = middle + 1
                else:
                    high = middle
            for dz in range(3):
                tables[i, 3 * column + dz] = -1
                if low < len(stored) and stored[low, 0] == x and stored[low, 1] == y and stored[low, 2] == z + dz:
                    tables[i, 3 * column + dz] = kinds[low]
                    low += 1


@kernel
def _address(chunk):
    """Where the voxels of a chunk are in memory."""
    if chunk.shape != (_N, _N, _N) or chunk.itemsize != 2 or not chunk.flags.c_contiguous:
        raise ValueError("a chunk is a contiguous (32, 32, 32) uint16 array")
    return np.int64(chunk.ctypes.data)


@parallel_kernel
def _classify(addresses, rows, transparent, planes, materials, has_smooth, has_blocks):
    """Write row rows[i] of planes, materials, has_smooth and has_blocks (see BitBatch) from the chunk at addresses[i],
    both (n,) int64. transparent (t,) uint8 are the materials that one sees through."""
    for k in prange(len(addresses)):
        i = np.int64(k)  # prange counts in uint64
        out, target = planes[rows[i]], np.int64(materials.ctypes.data) + rows[i] * CHUNK_VOXELS
        any_smooth, any_blocky = np.int64(0), np.int64(0)
        for x in range(_N):
            for y in range(_N):
                at = (x * _N + y) * _N
                keep_high_bytes(addresses[i] + 2 * at, target + at)
                solid = row_with_bits(addresses[i] + 2 * at, np.uint16(0xFF00))
                smooth = row_with_bits(addresses[i] + 2 * at, np.uint16(FLAG_SMOOTH)) & solid
                glass = np.int64(0)
                for material in transparent:
                    glass |= row_equal_to(target + at, material)
                out[GROUND, x, y] = smooth | (solid & ~glass)
                out[SMOOTH, x, y] = smooth
                out[BLOCKY, x, y] = solid & ~smooth
                out[GLASS, x, y] = glass
                any_smooth |= smooth
                any_blocky |= solid & ~smooth
        has_smooth[rows[i]] = any_smooth != 0
        has_blocks[rows[i]] = any_blocky != 0


@kernel
def pad_rows(planes, table, plane, border, rows):
    """Write rows (32 + 2·border, the same) int64: bit z + border of rows[x + border, y + border] for voxel (x, y, z)
    of a chunk and of its neighbours; planes and table (27,) as in BitBatch, border at most 15."""
    size = _N + 2 * border
    for dx in range(3):
        x_first, x_end = _span(dx, border)
        for dy in range(3):
            y_first, y_end = _span(dy, border)
            column = 9 * dx + 3 * dy
            below, here, above = (
                planes[table[column], plane],
                planes[table[column + 1], plane],
                planes[table[column + 2], plane],
            )
            for x in range(x_first, x_end):
                for y in range(y_first, y_end):
                    i, j = (x - border) & (_N - 1), (y - border) & (_N - 1)
                    row = np.int64(below[i, j]) >> (_N - border) | np.int64(here[i, j]) << border
                    rows[x, y] = (row | np.int64(above[i, j]) << (_N + border)) & ((np.int64(1) << size) - 1)


@kernel
def _span(step, border):
    """The first and the last padded coordinate but one that lie in the neighbour at offset step − 1."""
    if step == 0:
        return 0, border
    if step == 1:
        return border, border + _N
    return border + _N, _N + 2 * border
