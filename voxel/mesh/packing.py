# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks to bits, in batches: what greedy meshing reads.

A chunk's voxels are read once, where they lie: their materials become bytes, and what a face depends on becomes words
of bits along z. Of the neighbours only the planes that touch the chunk are read. Uniform chunks are numbers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..addresses import sources_of
from ..kernels import kernel, parallel_kernel, prange
from ..layout import (
    AIR,
    CHUNK_SIZE,
    CHUNK_VOXELS,
    FACE_NORMALS,
    FLAG_SMOOTH,
    MATERIAL_SHIFT,
    N_FACES,
    POS_Y,
    POS_Z,
)
from ..world import Coord, World
from .chunk_keys import chunks_at, coords_at, keys_at, keys_of, row_of
from .rows import LANES, keep_high_bytes, load_voxel, row_equal_to, row_with_bits
from .visibility import is_blocky, shows_face

BATCH_CHUNKS = 128
"""Chunks a batch: some milliseconds of meshing, buffers of 8 MB; so many that each of many threads has its share."""

_N = CHUNK_SIZE
_FULL = 0xFFFFFFFF
_FACE_KEYS = keys_at(FACE_NORMALS)

# The words of a chunk: bits along z of the voxels that hide the faces behind them, and of those that are meshed as
# blocks. "By x": word (x, lane y), in the order that transpose_bits() makes bits along x of; by y likewise.
HIDING_BY_X, HIDING_BY_Y, SHOWN_BY_X, SHOWN_BY_Y = range(4)


@dataclass(frozen=True)
class Batch:
    """Chunks that may have faces, and where their voxels and their neighbours' are.

    coords (n, 3) int32. addresses (n, 7) int64: of the voxels of the chunk (column 0) and of its neighbour behind
    each face (1 + face); 0 where that is uniform, and then values (n, 7) int64 has its value. near (n, 7) int64: its
    row in this batch, −1 where it is not there. done: the share of all chunks that is planned with this batch.
    """

    coords: NDArray[np.int32]
    addresses: NDArray[np.int64]
    values: NDArray[np.int64]
    near: NDArray[np.int64]
    done: float


def chunk_batches(world: World, coords: Iterable[Coord] | None) -> Iterator[Batch]:
    """Batches of those of the chunks at coords (None: of all chunks) that may have faces, sorted by coordinates.

    Addresses hold until the caller lets go of the iterator.
    """
    if coords is None:
        keys = asked = keys_of(world.coords())
    else:
        # Air has no faces, and there may be much of it. An array is no int, and never compared.
        chosen = {coord for coord in coords if not isinstance(chunk := world.chunk(coord), int) or chunk != AIR}
        asked = keys_of(chosen)
        keys = np.unique(np.concatenate([asked, (asked[:, None] + _FACE_KEYS).reshape(-1)]))
    sources = sources_of(chunks_at(world, keys))
    addresses, values = np.maximum(sources, 0), np.maximum(-1 - sources, 0)
    table = coords_at(keys)
    rows = np.full((len(keys), 1 + N_FACES), -1, np.int64)
    _plan(keys, np.searchsorted(keys, asked), addresses, values, world.palette.transparent, rows)
    # A row of −1, for air where nothing is stored, comes last.
    values, addresses = np.append(values, 0), np.append(addresses, 0)
    kept = np.flatnonzero(rows[:, 0] >= 0)
    for start in range(0, len(kept), BATCH_CHUNKS):
        batch = kept[start : start + BATCH_CHUNKS]
        around = rows[batch]
        near = np.searchsorted(batch, around)
        near[batch[np.minimum(near, len(batch) - 1)] != around] = -1
        yield Batch(table[batch], addresses[around], values[around], near, (start + len(batch)) / len(kept))


@parallel_kernel
def _plan(keys, asked, addresses, values, transparent, rows):
    """Write those of rows (n, 7) int64, by default −1, that are asked for (m,) int64 and may have faces: the row of the
    chunk and of its six neighbours, −1 where there is none. keys (n,) int64 are sorted."""
    for k in prange(len(asked)):
        i = asked[k]
        shows = addresses[i] != 0
        for face in range(N_FACES):
            j = row_of(keys[i] + _FACE_KEYS[face], keys)
            rows[i, 1 + face] = j
            neighbour = values[j] if j >= 0 else 0
            shows |= (j >= 0 and addresses[j] != 0 and is_blocky(values[i])) or shows_face(
                values[i], neighbour, transparent
            )
        rows[i, 0] = i if shows else -1


@parallel_kernel
def pack_chunks(addresses, glasses, materials, words, apart):
    """Write materials (n · 32768 or more) uint8 and words (n, 4, N_WORDS) uint32, lanes 1 … 32 of them, of the chunks
    at addresses (n, 7) int64 that are not uniform; and apart (n,) bool, whether the voxels shown are others than those
    that hide: only then words of the former are written. glasses (g,) uint8 are the materials that one sees through."""
    for k in prange(len(addresses)):
        i = np.int64(k)  # prange counts in uint64
        address = addresses[i, 0]
        if address == 0:
            continue
        target = np.int64(materials.ctypes.data) + i * CHUNK_VOXELS
        by_x, by_y = words[i, HIDING_BY_X], words[i, HIDING_BY_Y]
        differing = np.int64(0)
        for x in range(_N):
            for y in range(_N):
                row = x * _N + y
                keep_high_bytes(address + row * 2 * _N, target + row * _N)
                solid = row_with_bits(address + row * 2 * _N, np.uint16(0xFF00))
                smooth = row_with_bits(address + row * 2 * _N, np.uint16(FLAG_SMOOTH)) & solid
                hiding = solid
                for glass in glasses:
                    hiding &= ~row_equal_to(target + row * _N, glass)
                by_x[x * LANES + y + 1] = hiding
                by_y[y * LANES + x + 1] = hiding
                differing |= smooth | (solid ^ hiding)
        apart[i] = differing != 0
        if apart[i]:
            _pack_shown(address, words[i, SHOWN_BY_X], words[i, SHOWN_BY_Y])


@kernel
def _pack_shown(address, by_x, by_y):
    """Write lanes 1 … 32 of the words (N_WORDS) of the blocks of the chunk at address."""
    for x in range(_N):
        for y in range(_N):
            row = address + (x * _N + y) * 2 * _N
            shown = row_with_bits(row, np.uint16(0xFF00)) & ~row_with_bits(row, np.uint16(FLAG_SMOOTH))
            by_x[x * LANES + y + 1] = shown
            by_y[y * LANES + x + 1] = shown


@parallel_kernel
def add_borders(addresses, values, near, transparent, glasses, materials, words, apart, ends, alike_ends, exposed):
    """Write what lies around the chunks that pack_chunks() has packed.

    To words (n, 4, N_WORDS) the lanes 0 and 33 of those that hide; to ends (n, 2, LANES) uint32 the words above and
    below that hide, bits along x, lanes 1 … 32 for y; to exposed (n,) bool whether the chunk may have faces. A uniform
    chunk has none if all that is around it hides it; if it is exposed it is packed now. Where there are glasses,
    alike_ends (n, 6, LANES) gets for each face where the neighbour has the material of the chunk: bits along z of row
    k in lane k + 1 for faces ±X and ±Y, for ±Z as in ends.
    """
    for k in prange(len(addresses)):
        i = np.int64(k)  # prange counts in uint64
        _add_border(
            i, addresses, values, near, transparent, glasses, materials, words, apart, ends, alike_ends, exposed
        )


@kernel
def _add_border(i, addresses, values, near, transparent, glasses, materials, words, apart, ends, alike_ends, exposed):
    common = np.int64(_FULL)
    for face in range(N_FACES):
        address, value, row = addresses[i, 1 + face], values[i, 1 + face], near[i, 1 + face]
        if face < POS_Z:
            hiding = words[i, HIDING_BY_Y if face < POS_Y else HIDING_BY_X]
            common &= _side(face, address, value, transparent, glasses, hiding)
        elif row >= 0 and address != 0:
            common &= _packed_end(face, words[row, HIDING_BY_X], ends[i, face - POS_Z])
        else:
            common &= _gathered_end(face, address, value, transparent, ends[i, face - POS_Z])
    exposed[i] = addresses[i, 0] != 0 or common != _FULL
    own = materials[i * CHUNK_VOXELS : (i + 1) * CHUNK_VOXELS]
    if addresses[i, 0] == 0 and exposed[i]:
        apart[i] = True
        _fill_uniform(values[i, 0], transparent, own, words[i])
    if len(glasses) > 0 and exposed[i]:
        for face in range(N_FACES):
            _alike(face, addresses[i, 1 + face], values[i, 1 + face], own, alike_ends[i, face])


@kernel
def _fill_uniform(value, transparent, materials, words):
    """Write what pack_chunks() writes, for a chunk of one value: its materials (32768) uint8, words (4, N_WORDS)."""
    material = value >> MATERIAL_SHIFT
    materials[:] = material
    hiding = _hides(value, transparent)
    shown = np.int64(_FULL) if is_blocky(value) else np.int64(0)
    for plane in range(4):
        for row in range(_N):
            for lane in range(1, _N + 1):
                words[plane, row * LANES + lane] = hiding if plane < SHOWN_BY_X else shown


@kernel
def _hides(value, transparent):
    """A word full of what a uniform chunk is to its neighbours: 1 where it hides their faces."""
    material = value >> MATERIAL_SHIFT
    return np.int64(_FULL) if material != 0 and not transparent[material] else np.int64(0)


@kernel
def _plane_row(face, row):
    """Which of a chunk's 1024 rows along z is the row-th of its outermost plane at one of the faces ±X and ±Y."""
    outermost = (_N - 1) * (1 - (face & 1))
    return outermost * _N + row if face < POS_Y else row * _N + outermost


@kernel
def _side(face, address, value, transparent, glasses, hiding):
    """Write lane 0 or 33 of hiding (N_WORDS) uint32, which lies beyond one of the faces ±X and ±Y, from the neighbour's
    plane there. hiding is by y for faces ±X, by x for ±Y. Returns the bits that all its words have."""
    buffer = np.empty(_N, np.uint8)
    lane = 0 if face & 1 else _N + 1
    common = np.int64(_FULL)
    for row in range(_N):
        word = _hides(value, transparent)
        if address != 0:
            source = address + _plane_row(face ^ 1, row) * 2 * _N
            word = row_with_bits(source, np.uint16(0xFF00))
            if len(glasses) > 0:
                keep_high_bytes(source, np.int64(buffer.ctypes.data))
                for glass in glasses:
                    word &= ~row_equal_to(np.int64(buffer.ctypes.data), glass)
        hiding[row * LANES + lane] = word
        common &= word
    return common


@kernel
def _packed_end(face, words, hiding):
    """Write lanes 1 … 32 of hiding (LANES) uint32, bits along x, beyond face +Z or −Z, from the neighbour's words by x
    (N_WORDS). Returns the bits that all of them have."""
    bit = np.uint32((_N - 1) * (face & 1))
    common = np.uint32(_FULL)
    # Lanes outside, and from 0, because LLVM makes vectors of such loops.
    source, target = words[1:], hiding[1 : 1 + _N]
    for lane in range(_N):
        word = np.uint32(0)
        for x in range(_N):
            word |= (source[x * LANES + lane] >> bit & np.uint32(1)) << np.uint32(x)
        target[lane] = word
        common &= np.uint32(word)
    return np.int64(common)


@kernel
def _gathered_end(face, address, value, transparent, hiding):
    """The same from the voxels of a neighbour that is not packed."""
    z = (_N - 1) * (face & 1)
    common = np.int64(_FULL)
    for y in range(_N):
        word = _hides(value, transparent)
        if address != 0:
            word = np.int64(0)
            for x in range(_N):
                material = load_voxel(address + ((x * _N + y) * _N + z) * 2) >> MATERIAL_SHIFT
                word |= np.int64(material != 0 and not transparent[material]) << x
        hiding[y + 1] = word
        common &= word
    return common


@kernel
def _alike(face, address, value, materials, alike):
    """Write a row of alike_ends (LANES) uint32; see add_borders()."""
    for row in range(_N):
        word = np.int64(0)
        for bit in range(_N):
            if face < POS_Z:
                own, other = _plane_row(face, row) * _N + bit, _plane_row(face ^ 1, row) * _N + bit
            else:
                column = (bit * _N + row) * _N
                own, other = column + (_N - 1) * (1 - (face & 1)), column + (_N - 1) * (face & 1)
            voxel = load_voxel(address + 2 * other) if address != 0 else value
            word |= np.int64(voxel >> MATERIAL_SHIFT == materials[own]) << bit
        alike[row + 1] = word
