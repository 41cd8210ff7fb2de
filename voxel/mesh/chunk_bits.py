# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks as rows of bits, classified once each, and the tables by which a chunk finds its 26 neighbours.

Whoever reads a chunk with a border of its neighbours' voxels asks for the rows that it needs (pad_rows) and looks
single materials up where the surface is. So no padded copy of the voxels is ever made.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..addresses import address_of
from ..kernels import kernel, parallel_kernel, prange
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SIZE, FLAG_SMOOTH, VOXEL_DTYPE
from ..world import Chunk, Coord, World
from .bits import lowest_bit
from .chunk_keys import coords_at, keys_at, keys_of
from .rows import keep_high_bytes, row_equal_to, row_with_bits

_N = CHUNK_SIZE

BATCH_CHUNKS = 512
"""Chunks a batch: some ten milliseconds of meshing."""

GROUND, SMOOTH, BLOCKY, GLASS = range(4)
"""Planes of bits: ground, which smooth surfaces take as inside; smooth; a block; of a material that one sees through,
smooth or a block. Ground are smooth voxels and opaque blocks: treating those as air would grow a skin between the two,
and a transparent block must have that skin, since one sees through it."""

N_PLANES = 4

MAX_BORDER = 8
"""No more voxels of a neighbour than this are looked at."""

SEVERAL = -1

_OWNER_KEYS = keys_at([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
_COLUMN_KEYS = keys_at([(x, y, -1) for x in (-1, 0, 1) for y in (-1, 0, 1)])
_EDGE_ENDS = [13, 14, 16, 22]
"""The columns of a table where the edges that a chunk owns end: in itself, and in the next chunk on each axis."""


@dataclass(frozen=True)
class BitBatch:
    """Some chunks and, in a pool, what is known of them and of their neighbours.

    coords (n, 3) int32. tables (n, 27) int32: the pool's row of the neighbour at offset (dx, dy, dz) of −1 … 1,
    in column 9·(dx + 1) + 3·(dy + 1) + dz + 1. In the pool: planes (m, 4, 32, 32) uint32, bit z of [plane, x, y]
    for voxel (x, y, z); addresses (m,) int64, where the voxels are in memory, which holds until the next batch;
    has_blocks (m,) bool; and smooth_materials (m,) int16, the only material of the smooth voxels, 0 where there are
    none, SEVERAL where there are several. Of chunks that are neighbours only, this is true of the voxels within
    MAX_BORDER of the batch's chunks along x and y. done is the share of all chunks that is done with this batch.
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
    stored = keys_of(listed)
    pool = _Pool([world.chunk(coord) for coord in listed], np.flatnonzero(world.palette.transparent).astype(np.uint8))
    owners = np.unique((stored[:, None] - _OWNER_KEYS) if coords is None else keys_of(coords))
    tables = np.empty((len(owners), 27), np.int32)
    _find_neighbours(stored, pool.sources, pool.air, owners, tables)
    ends = tables[:, _EDGE_ENDS]
    mixed = (ends[:, :1] != ends).any(axis=1) | (ends[:, 0] < pool.n_arrays)
    owners, tables = owners[mixed], tables[mixed]
    for start in range(0, len(owners), BATCH_CHUNKS):
        batch, neighbours = owners[start : start + BATCH_CHUNKS], tables[start : start + BATCH_CHUNKS]
        in_pool = pool.load(neighbours)
        near = (pool.smooth_materials != 0)[in_pool[:, _EDGE_ENDS]].any(axis=1)
        pooled = pool.planes, pool.addresses, pool.has_blocks, pool.smooth_materials
        yield BitBatch(coords_at(batch[near]), in_pool[near], *pooled, (start + len(batch)) / len(owners))


class _Pool:
    """What is known of the chunks of one batch. What is known of whole chunks is kept for the next one.

    A chunk's source is its number: those that are arrays come first, then one for each value of uniform ones. sources
    (k,) int32 are those of the given chunks, air that of air.
    """

    def __init__(self, chunks: list[Chunk], transparent: NDArray[np.uint8]) -> None:
        arrays = [chunk for chunk in chunks if not isinstance(chunk, int)]
        self.n_arrays = len(arrays)
        number = {AIR: len(arrays)}
        numbers = iter(range(len(arrays)))
        self.sources = np.array(
            [
                number.setdefault(chunk, len(arrays) + len(number)) if isinstance(chunk, int) else next(numbers)
                for chunk in chunks
            ],
            np.int32,
        )
        self.air = number[AIR]
        self._voxels = arrays + [np.full(CHUNK_SHAPE, value, VOXEL_DTYPE) for value in number]
        self._addresses = np.array([address_of(voxels) for voxels in self._voxels], np.int64)
        self._rows = np.full(len(self._voxels), -1, np.int32)
        self.planes = np.empty((0, N_PLANES, _N, _N), np.uint32)
        self.addresses = np.empty(0, np.int64)
        self.has_blocks = np.empty(0, np.bool_)
        self.smooth_materials = np.empty(0, np.int16)
        self._transparent = transparent

    def load(self, tables: NDArray[np.int32]) -> NDArray[np.int32]:
        """Hold the sources in tables (n, 27) of chunks and their neighbours, and no others. Returns the row of each."""
        spans = np.zeros((len(self._rows), 2, 2), np.int8)
        _find_spans(tables, spans)
        used, whole = spans[:, 0, 1] > 0, (spans == (0, _N)).all(axis=(1, 2))
        self._rows[~used] = -1
        missing = np.flatnonzero(used & (self._rows < 0))
        taken = np.zeros(len(self.planes) + len(missing), np.bool_)
        taken[self._rows[self._rows >= 0]] = True
        rows = np.flatnonzero(~taken)[: len(missing)]
        self._grow(int(rows.max(initial=-1)) + 1)
        self._rows[missing] = rows
        self.addresses[rows] = self._addresses[missing]
        sources = self._transparent, spans[missing], self.addresses
        _classify(rows, *sources, self.planes, self.has_blocks, self.smooth_materials)
        in_pool = self._rows[tables]
        self._rows[~whole] = -1
        return in_pool

    def _grow(self, n: int) -> None:
        """Have room for n rows."""
        size = len(self.planes)
        if n > size:
            for name in ("planes", "addresses", "has_blocks", "smooth_materials"):
                old = getattr(self, name)
                new = np.empty((n, *old.shape[1:]), old.dtype)
                new[:size] = old
                setattr(self, name, new)


@kernel
def _find_spans(tables, spans):
    """Widen spans (k, 2, 2) int8, the first voxel and the last but one along x and y that are looked at, by what
    tables (n, 27) int32 of a chunk and its neighbours look at; 0, 0 is nothing."""
    for table in tables:
        for column in range(27):
            for axis in range(2):
                step = column // 9 if axis == 0 else column // 3 % 3
                first, end = (0, _N) if step == 1 else ((_N - MAX_BORDER, _N) if step == 0 else (0, MAX_BORDER))
                span = spans[table[column], axis]
                if span[1] == 0:
                    span[0], span[1] = first, end
                span[0], span[1] = min(span[0], first), max(span[1], end)


@parallel_kernel
def _find_neighbours(stored, sources, air, keys, tables):
    """Write tables (n, 27) int32: the source of each neighbour of the chunks with keys (n,) int64, air where none of
    stored (k,) int64 (sorted keys; sources (k,) int32 beside it) is there."""
    for i in prange(len(keys)):
        for column in range(9):
            key = keys[i] + _COLUMN_KEYS[column]
            row = np.searchsorted(stored, key)
            for dz in range(3):
                tables[i, 3 * column + dz] = air
                if row < len(stored) and stored[row] == key + dz:
                    tables[i, 3 * column + dz] = sources[row]
                    row += 1


@parallel_kernel
def _classify(rows, transparent, spans, addresses, planes, has_blocks, smooth_materials):
    """Write rows (n,) int64 of planes, has_blocks and smooth_materials (see BitBatch) from spans (n, 2, 2) int8 of the
    chunks at addresses, see _find_spans(). transparent (t,) uint8 are the materials that one sees through."""
    for k in prange(len(rows)):
        row = rows[k]
        out, address = planes[row], addresses[row]
        materials = np.empty(_N, np.uint8)
        materials_at = np.int64(materials.ctypes.data)
        only, any_blocky = np.int64(0), np.int64(0)
        for x in range(spans[k, 0, 0], spans[k, 0, 1]):
            for y in range(spans[k, 1, 0], spans[k, 1, 1]):
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
    of a chunk and of its neighbours; planes and table (27,) as in BitBatch, border at most MAX_BORDER."""
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
