# SPDX-License-Identifier: GPL-3.0-or-later
"""Where topings stand: on every top with air above it whose material has one.

A chunk is read once, where it lies, as rows of bits along z: a top is a voxel with none above it, whatever that would
be, so nothing grows under water or glass. Of the neighbours only the planes that touch the chunk are read, of what lies
above only what stands on a column that reaches up to it.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..addresses import sources_of
from ..jobs import Job, Progress
from ..kernels import get_num_threads, kernel, parallel_kernel, prange
from ..layout import AIR, CHUNK_SIZE, MATERIAL_SHIFT, N_MATERIALS
from ..mesh.bits import lowest_bit
from ..mesh.chunk_keys import chunks_at, coords_at, keys_at, keys_of
from ..mesh.rows import load_voxel, row_with_bits
from ..palette import TOPINGS, Palette
from ..queue import take
from ..world import Coord, World
from .records import N_ALTERNATES, N_VARIANTS, SEED_SHIFT, TOPING_INSTANCE, VARIANT_SHIFT, Topings

_N = CHUNK_SIZE
_FULL = 0xFFFFFFFF
BATCH_CHUNKS = 64
_MAX_TOPS = _N * _N * _N // 2
_GROUPS = N_MATERIALS * N_VARIANTS * N_ALTERNATES

# The columns of a table of sources: the chunk and its neighbours beyond faces 0 to 3, and what lies above each.
_COLUMN_KEYS = keys_at([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))])
_ABOVE = 5

DENSITY_STEPS = 1 << SEED_SHIFT
"""The density of topings is a whole number of 1/4096."""


def collect_topings(world: World, *, coords: Iterable[Coord] | None = None) -> Job[Topings]:
    """The topings of all chunks, or of those at coords only, on blocks' tops everywhere: follow_surface() moves those
    on smooth ones."""
    ranks, densities = palette_rows(world.palette)
    keys = np.unique(keys_of(world.coords() if coords is None else coords))
    if not ranks.any():
        keys = keys[:0]
    parts: list[tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint32]]] = []
    around, rows = np.unique(keys[:, None] + _COLUMN_KEYS, return_inverse=True)
    chunks = chunks_at(world, around)  # kept while their addresses are in use, whatever happens to the world
    tables = sources_of(chunks)[rows.reshape(-1, len(_COLUMN_KEYS))]
    for start in range(0, len(keys), BATCH_CHUNKS):
        batch = keys[start : start + BATCH_CHUNKS]
        sources = tables[start : start + BATCH_CHUNKS]
        at, counts, words = coords_at(batch), np.zeros(len(batch), np.uint32), _words()
        collect(get_num_threads(), sources, at, ranks, densities, counts, words.view(np.float32), words)
        used = np.flatnonzero(counts)
        instances = [words[i, : counts[i]] for i in used]
        parts.append((at[used], counts[used], np.concatenate([words[0, :0], *instances])))
        yield Progress((start + len(batch)) / len(keys), "Collecting topings")
    if not parts:
        parts.append((np.empty((0, 3), np.int32), np.empty(0, np.uint32), np.empty((0, 4), np.uint32)))
    at, counts, words = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Topings(at, counts, words.view(TOPING_INSTANCE).reshape(-1), np.zeros((len(words), 2), np.float32))


@cache
def _words() -> NDArray[np.uint32]:
    """What all batches are collected in, a TOPING_INSTANCE in four; the system gives it memory as far as it is ever
    written."""
    return np.empty((BATCH_CHUNKS, _MAX_TOPS, 4), np.uint32)


def palette_rows(palette: Palette) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """ranks (256,) uint16: 0 for materials without topings; of two that meet the higher one keeps the edge. densities
    (256,) uint16, of DENSITY_STEPS: the share of tops that have one."""
    ranks, densities = np.zeros(N_MATERIALS, np.uint16), np.zeros(N_MATERIALS, np.uint16)
    for index, material in palette.items():
        if material.toping != "none":
            ranks[index] = material.toping_priority * len(TOPINGS) + TOPINGS.index(material.toping)
            densities[index] = round(material.toping_density * DENSITY_STEPS)
    return ranks, densities


@kernel
def toping_hash(x, y, z):
    """32 bits, as uint64, of the voxel at (x, y, z): the upper 20 are an instance's seed, by the lower 12 density
    decides whether there is one."""
    mask = np.uint64(_FULL)
    bits = np.uint64(x) * np.uint64(0x8DA6B343)
    bits ^= np.uint64(y) * np.uint64(0xD8163841)
    bits ^= np.uint64(z) * np.uint64(0xCB1AB31F)
    bits &= mask
    bits = (bits ^ bits >> np.uint64(16)) * np.uint64(0x7FEB352D) & mask
    bits = (bits ^ bits >> np.uint64(15)) * np.uint64(0x846CA68B) & mask
    return bits ^ bits >> np.uint64(16)


@parallel_kernel
def collect(n_threads, tables, coords, ranks, densities, counts, positions, bits):
    """Write counts (n,) uint32 and the instances of chunks at coords (n, 3), of each from [i, 0] on: positions
    (n, m, 4) float32 and bits (n, m, 4) uint32 are the same memory. tables (n, 10) int64 are sources_of() the columns
    above."""
    queue = np.zeros(1, np.int64)
    for _ in prange(n_threads):
        tops = np.empty((_N + 2, _N + 2), np.int64)
        group_counts = np.zeros(_GROUPS, np.int32)
        groups, used, found = np.empty(_MAX_TOPS, np.int32), np.empty(_GROUPS, np.int32), np.empty(_MAX_TOPS, np.int64)
        i = take(queue)
        while i < len(tables):
            table, coord = tables[i], coords[i]
            if _find_tops(table, tops) != 0:
                n, n_used = _find_groups(table, coord, tops, ranks, densities, groups, found, group_counts, used)
                _number_groups(used[:n_used], group_counts)
                for k in range(n):
                    _write(found[k], groups[k], group_counts, positions[i], bits[i])
                for k in range(n_used):
                    group_counts[used[k]] = 0
                counts[i] = n
            i = take(queue)


@kernel
def _write(found, group, group_counts, positions, bits):
    """Write one instance where its group goes on. found: bits 14:0 are the voxel, (x·32 + y)·32 + z, above 15 its
    seed."""
    at = group_counts[group]
    group_counts[group] = at + 1
    positions[at, 0] = np.float32(found >> 10 & 31) + np.float32(0.5)
    positions[at, 1] = np.float32(found >> 5 & 31) + np.float32(0.5)
    positions[at, 2] = np.float32(found & 31) + np.float32(1)
    # A group is type, variant and alternate, and a seed ends in the alternate.
    bits[at, 3] = np.uint32(group >> 6 | (group >> 2 & 15) << VARIANT_SHIFT | (found >> 15) << SEED_SHIFT)


@kernel
def _number_groups(used, group_counts):
    """Turn the counts of the used groups into where each one's first instance is."""
    used.sort()
    first = 0
    for group in used:
        n = group_counts[group]
        group_counts[group] = first
        first += n


@kernel
def _find_groups(table, coord, tops, ranks, densities, groups, found, group_counts, used):
    """Write what _write() needs of each instance, count the groups, and list those that are used."""
    n, n_used = 0, 0
    base_x, base_y, base_z = np.int64(coord[0]) * _N, np.int64(coord[1]) * _N, np.int64(coord[2]) * _N
    for x in range(_N):
        for y in range(_N):
            row = tops[x + 1, y + 1]
            right, left = tops[x + 2, y + 1], tops[x, y + 1]
            behind, before = tops[x + 1, y + 2], tops[x + 1, y]
            while row != 0:
                z = lowest_bit(row)
                row &= row - 1
                voxel = (x * _N + y) * _N + z
                material = _voxel(table[0], voxel) >> MATERIAL_SHIFT
                rank = ranks[material]
                hashed = np.int64(toping_hash(base_x + x, base_y + y, base_z + z))
                if rank == 0 or hashed & (DENSITY_STEPS - 1) >= densities[material]:
                    continue
                variant = np.int64(0)
                if right >> z & 1:
                    other = _voxel(table[0], voxel + _N * _N) if x < _N - 1 else _voxel(table[1], voxel & 1023)
                    variant |= _connected(other, material, rank, ranks)
                if left >> z & 1:
                    other = _voxel(table[0], voxel - _N * _N) if x > 0 else _voxel(table[2], voxel | 31 << 10)
                    variant |= _connected(other, material, rank, ranks) << 1
                if behind >> z & 1:
                    other = _voxel(table[0], voxel + _N) if y < _N - 1 else _voxel(table[3], voxel & ~(31 << 5))
                    variant |= _connected(other, material, rank, ranks) << 2
                if before >> z & 1:
                    other = _voxel(table[0], voxel - _N) if y > 0 else _voxel(table[4], voxel | 31 << 5)
                    variant |= _connected(other, material, rank, ranks) << 3
                seed = hashed >> SEED_SHIFT
                group = (material * N_VARIANTS + variant) * N_ALTERNATES + seed % N_ALTERNATES
                if group_counts[group] == 0:
                    used[n_used] = group
                    n_used += 1
                group_counts[group] += 1
                groups[n] = group
                found[n] = seed << 15 | voxel
                n += 1
    return n, n_used


@kernel
def _connected(voxel, material, rank, ranks):
    """1 where a neighbour's top continues the material's, or its toping keeps the edge; else 0."""
    other = voxel >> MATERIAL_SHIFT
    return np.int64(other == material or ranks[other] > rank)


@kernel
def _voxel(source, index):
    """Voxel index of a chunk, as int64."""
    return load_voxel(source + 2 * index) if source >= 0 else -1 - source


@kernel
def _find_tops(table, tops):
    """Write tops (34, 34) int64: bit z of [x + 1, y + 1] where the voxel is a top, of the chunk and of the planes that
    touch it. Returns 0 where the chunk has none, and then nothing is written."""
    here, above = table[0], table[_ABOVE]
    if here < 0 and (here == -1 - AIR or (above < 0 and above != -1 - AIR)):
        return np.int64(0)
    some = np.int64(0)
    for x in range(_N):
        for y in range(_N):
            tops[x + 1, y + 1] = _tops_of(here, above, x * _N + y)
            some |= tops[x + 1, y + 1]
    if some != 0:
        for k in range(_N):
            tops[_N + 1, k + 1] = _tops_of(table[1], table[_ABOVE + 1], k)
            tops[0, k + 1] = _tops_of(table[2], table[_ABOVE + 2], (_N - 1) * _N + k)
            tops[k + 1, _N + 1] = _tops_of(table[3], table[_ABOVE + 3], k * _N)
            tops[k + 1, 0] = _tops_of(table[4], table[_ABOVE + 4], k * _N + _N - 1)
    return some


@kernel
def _tops_of(source, above, column):
    """The tops of a column, x·32 + y, of the chunk source below the chunk above."""
    if source >= 0:
        solid = row_with_bits(source + 2 * _N * column, np.uint16(_FULL << MATERIAL_SHIFT & 0xFFFF))
    else:
        solid = np.int64(_FULL if source != -1 - AIR else 0)
    tops = solid & ~(solid >> 1)
    if solid >> (_N - 1) and _voxel(above, column * _N) >> MATERIAL_SHIFT != AIR:
        tops &= ~(1 << (_N - 1))
    return tops
