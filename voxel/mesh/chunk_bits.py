# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks as rows of bits, classified once each, and the tables by which a chunk finds its 26 neighbours.

Whoever reads a chunk with a border of its neighbours' voxels asks for the rows that it needs (pad_rows) and looks
single materials up where the surface is. So no padded copy of the voxels is ever made.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel, parallel_kernel, prange
from ..layout import CHUNK_SHAPE, CHUNK_SIZE, FLAG_SMOOTH, VOXEL_DTYPE
from ..world import Chunk, Coord, World
from .bits import lowest_bit
from .rows import keep_high_bytes, row_equal_to, row_with_bits

_N = CHUNK_SIZE

BATCH_CHUNKS = 512
"""Chunks a batch: some ten milliseconds of meshing."""

GROUND, SMOOTH, BLOCKY, GLASS = range(4)
"""Planes of bits: ground, which smooth surfaces take as inside; smooth; a block; of a material that one sees through,
smooth or a block. Ground are smooth voxels and opaque blocks: treating those as air would grow a skin between the two,
and a transparent block must have that skin, since one sees through it."""

N_PLANES = 4

_N_VALUES = 1 << 16  # of a voxel

SEVERAL = -1

_EDGE_ENDS = [13, 14, 16, 22]
"""The columns of a table where the edges that a chunk owns end: in itself, and in the next chunk on each axis."""


@dataclass(frozen=True)
class BitBatch:
    """Some chunks and, in a pool, what is known of them and of their neighbours.

    coords (n, 3) int32. tables (n, 27) int32: the pool's row of the neighbour at offset (dx, dy, dz) of −1 … 1,
    in column 9·(dx + 1) + 3·(dy + 1) + dz + 1. In the pool: planes (m, 4, 32, 32) uint32, bit z of [plane, x, y]
    for voxel (x, y, z); addresses (m,) int64, where the voxels are in memory, which holds until the next batch;
    has_blocks (m,) bool; and smooth_materials (m,) int16, the only material of the smooth voxels, 0 where there are
    none, SEVERAL where there are several. done is the share of all chunks that is done with this batch.
    """

    coords: NDArray[np.int32]
    tables: NDArray[np.int32]
    planes: NDArray[np.uint32]
    addresses: NDArray[np.int64]
    has_blocks: NDArray[np.bool_]
    smooth_materials: NDArray[np.int16]
    done: float


def bit_batches(world: World, coords: Iterable[Coord] | None = None) -> Iterator[BitBatch]:
    """Batches of those chunks, or of all, that may own an edge which leaves a smooth voxel, sorted by coordinates. An
    edge between two samples belongs to the chunk that holds the lower one, so chunks of air may own some too."""
    listed = world.coords()
    stored = _as_rows(listed)
    chunks = [world.chunk(coord) for coord in listed]
    kinds = np.array([-1 - c if isinstance(c, int) else i for i, c in enumerate(chunks)], np.int32)
    owners = _with_lower_neighbours(stored) if coords is None else _as_rows(sorted(set(coords)))
    tables = np.empty((len(owners), 27), np.int32)
    _find_neighbours(stored, kinds, owners, tables)
    ends = tables[:, _EDGE_ENDS]
    mixed = (ends[:, :1] != ends).any(axis=1) | (ends[:, 0] >= 0)
    owners, tables = owners[mixed], tables[mixed]
    pool = _Pool(np.flatnonzero(world.palette.transparent).astype(np.uint8))
    for start in range(0, len(owners), BATCH_CHUNKS):
        batch, neighbours = owners[start : start + BATCH_CHUNKS], tables[start : start + BATCH_CHUNKS]
        in_pool = pool.load(neighbours, chunks)
        near = (pool.smooth_materials != 0)[in_pool[:, _EDGE_ENDS]].any(axis=1)
        pooled = pool.planes, pool.addresses, pool.has_blocks, pool.smooth_materials
        yield BitBatch(batch[near], in_pool[near], *pooled, (start + len(batch)) / len(owners))


def _as_rows(coords: list[Coord]) -> NDArray[np.int32]:
    """(n, 3) int32; numpy takes twice the time to look at tuples."""
    return np.fromiter(chain.from_iterable(coords), np.int32, 3 * len(coords)).reshape(-1, 3)


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
        self.addresses = np.empty(0, np.int64)
        self.has_blocks = np.empty(0, np.bool_)
        self.smooth_materials = np.empty(0, np.int16)
        self._transparent = transparent
        self._free: list[int] = []
        self._uniform: dict[int, NDArray[np.uint16]] = {}

    def load(self, kinds: NDArray[np.int32], chunks: list[Chunk]) -> NDArray[np.int32]:
        """Hold these kinds and no others: the index of a chunk that is not uniform, or −1 − value. Returns the row of
        each."""
        # By kind, the negative ones from the end: a table is quicker than to sort the kinds.
        row_of = np.full(len(chunks) + _N_VALUES, -1, np.int32)
        row_of[kinds] = 0
        used = np.flatnonzero(row_of == 0)
        wanted = set(np.where(used < len(chunks), used, used - len(row_of)).tolist())
        self._free.extend(self.rows.pop(kind) for kind in sorted(self.rows.keys() - wanted))
        missing = sorted(wanted - self.rows.keys())
        if missing:
            self._grow(len(missing))
            rows = np.array([self._free.pop() for _ in missing], np.int64)
            self.rows.update(zip(missing, rows.tolist(), strict=True))
            self.addresses[rows] = [self._address(kind, chunks) for kind in missing]
            _classify(rows, self._transparent, self.planes, self.addresses, self.has_blocks, self.smooth_materials)
        row_of[list(self.rows)] = list(self.rows.values())
        return row_of[kinds]

    def _address(self, kind: int, chunks: list[Chunk]) -> int:
        if kind >= 0:
            return _address(chunks[kind])
        if kind not in self._uniform:
            self._uniform[kind] = np.full(CHUNK_SHAPE, -1 - kind, VOXEL_DTYPE)
        return _address(self._uniform[kind])

    def _grow(self, n: int) -> None:
        size, more = len(self.planes), n - len(self._free)
        if more > 0:
            for name in ("planes", "addresses", "has_blocks", "smooth_materials"):
                old = getattr(self, name)
                new = np.empty((size + more, *old.shape[1:]), old.dtype)
                new[:size] = old
                setattr(self, name, new)
            self._free.extend(range(size, size + more))


@kernel
def _address(chunk):
    """Where the voxels of a chunk are in memory."""
    if chunk.shape != (_N, _N, _N) or chunk.itemsize != 2 or not chunk.flags.c_contiguous:
        raise ValueError("a chunk is a contiguous (32, 32, 32) uint16 array")
    return np.int64(chunk.ctypes.data)


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


@parallel_kernel
def _classify(rows, transparent, planes, addresses, has_blocks, smooth_materials):
    """Write rows (n,) int64 of planes, has_blocks and smooth_materials (see BitBatch) from the chunks at addresses.
    transparent (t,) uint8 are the materials that one sees through."""
    for k in prange(len(rows)):
        row = rows[k]
        out, address = planes[row], addresses[row]
        materials = np.empty(_N, np.uint8)
        materials_at = np.int64(materials.ctypes.data)
        only, any_blocky = np.int64(0), np.int64(0)
        for x in range(_N):
            for y in range(_N):
                at = address + 2 * (x * _N + y) * _N
                solid = row_with_bits(at, np.uint16(0xFF00))
                smooth = row_with_bits(at, np.uint16(FLAG_SMOOTH)) & solid
                glass = np.int64(0)
                if len(transparent) > 0 or (smooth != 0 and only != SEVERAL):
                    keep_high_bytes(at, materials_at)
                for material in transparent:
                    glass |= row_equal_to(materials_at, material)
                if smooth != 0 and only != SEVERAL:
                    if only == 0:
                        only = np.int64(materials[lowest_bit(smooth)])
                    if smooth & ~row_equal_to(materials_at, np.uint8(only)) != 0:
                        only = np.int64(SEVERAL)
                out[GROUND, x, y] = smooth | (solid & ~glass)
                out[SMOOTH, x, y] = smooth
                out[BLOCKY, x, y] = solid & ~smooth
                out[GLASS, x, y] = glass
                any_blocky |= solid & ~smooth
        has_blocks[row] = any_blocky != 0
        smooth_materials[row] = only


@kernel
def any_near(table, flags):
    """Whether flags (m,) bool is set for any row of a table (27,) int32."""
    near = False
    for row in table:
        near |= flags[row]
    return near


@kernel
def only_material(table, smooth_materials):
    """The only material of the smooth voxels of a chunk and of its neighbours, or SEVERAL; there must be one."""
    only = np.int64(0)
    for row in table:
        material = np.int64(smooth_materials[row])
        if material != 0 and material != only:
            only = material if only == 0 else np.int64(SEVERAL)
    return only


@kernel
def pad_rows(planes, table, plane, border, rows):
    """Write rows (32 + 2·border, the same) int64: bit z + border of rows[x + border, y + border] for voxel (x, y, z)
    of a chunk and of its neighbours; planes and table (27,) as in BitBatch, border at most 15."""
    size = _N + 2 * border
    mask = (np.int64(1) << size) - 1
    for dx in range(3):
        for dy in range(3):
            column = 9 * dx + 3 * dy
            x_first, x_end = _span(dx, border)
            y_first, y_end = _span(dy, border)
            i, j = (x_first - border) & (_N - 1), (y_first - border) & (_N - 1)
            below, here, above = table[column], table[column + 1], table[column + 2]
            for x in range(x_end - x_first):
                for y in range(y_end - y_first):
                    row = np.int64(planes[below, plane, i + x, j + y]) >> (_N - border)
                    row |= np.int64(planes[here, plane, i + x, j + y]) << border
                    row |= np.int64(planes[above, plane, i + x, j + y]) << (_N + border)
                    rows[x_first + x, y_first + y] = row & mask


@kernel
def _span(step, border):
    """The first and the last padded coordinate but one that lie in the neighbour at offset step − 1."""
    if step == 0:
        return 0, border
    if step == 1:
        return border, border + _N
    return border + _N, _N + 2 * border
