# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of smooth surfaces' vertices and quads, looked up where the surface is.

addresses (m,) int64 and table (27,) int32 are those of a BitBatch.
"""

import numpy as np

from ..kernels import kernel
from ..layout import CHUNK_SHIFT, CHUNK_SIZE, MATERIAL_SHIFT
from .bits import count_bits, lowest_bit
from .nets_tables import BORDER, CELLS, SAMPLES
from .rows import load_voxel

_INSIDE = CHUNK_SIZE - 1
_OFFSET = CHUNK_SIZE - BORDER  # from a padded sample to a coordinate counted from the lower neighbour's corner


@kernel
def material_at(addresses, table, x, y, z):
    """The material of padded sample (x, y, z)."""
    x, y, z = x + _OFFSET, y + _OFFSET, z + _OFFSET
    address = addresses[table[(x >> CHUNK_SHIFT) * 9 + (y >> CHUNK_SHIFT) * 3 + (z >> CHUNK_SHIFT)]]
    return _material(address, ((x & _INSIDE) * CHUNK_SIZE + (y & _INSIDE)) * CHUNK_SIZE + (z & _INSIDE))


@kernel
def _material(address, index):
    """The material of a voxel of the chunk at address, as int64."""
    return load_voxel(address + 2 * index) >> MATERIAL_SHIFT


@kernel
def find_quad_materials(addresses, table, samples, n, quad_materials):
    """Write quad_materials (n,) uint8 of padded samples (n,) uint16 given as (x·36 + y)·36 + z."""
    for i in range(n):
        sample = np.int64(samples[i])
        xy = sample // SAMPLES
        quad_materials[i] = material_at(addresses, table, xy // SAMPLES, xy % SAMPLES, sample - xy * SAMPLES)


_SHARES = np.array([[(2 * 255 * b + a + b) // (2 * max(a + b, 1)) for b in range(9)] for a in range(9)], np.int64)
"""By two counts: the share of the second of both, 255 for 1."""

_ONES, _HIGHS, _LOWS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080), np.uint64(0x7F7F7F7F7F7F7F7F)
_BYTE, _SEVEN = np.uint64(0xFF), np.uint64(7)
_SPREAD = np.array([sum(0xFF << 8 * k for k in range(8) if mask >> k & 1) for mask in range(256)], np.uint64)
"""By a mask of 8 bits: the bytes of a word that belong to them."""


@kernel
def find_vertex_materials(addresses, table, smooth, cells, first, vertex_materials):
    """Write vertex_materials, three arrays (v,) uint8, from first on, of the chunk's own vertices in the order of their
    cells: the commonest smooth material at the cell's corners, the second (the lower of two as common; the first again
    where there is no other), and its share of the two, 255 for 1."""
    columns = np.empty((4, 3), np.int64)
    commonest, seconds, shares = vertex_materials
    at = first
    for x in range(1, CELLS - 1):
        for y in range(1, CELLS - 1):
            row = cells[x, y] >> 1 & ((np.int64(1) << (CELLS - 2)) - 1)
            if row == 0:
                continue
            # Where the voxels of the cells' four columns are, in each of the three chunks along z.
            for k in range(4):
                cx, cy = x + (k & 1) + _OFFSET, y + (k >> 1) + _OFFSET
                offset = ((cx & _INSIDE) * CHUNK_SIZE + (cy & _INSIDE)) * CHUNK_SIZE
                for dz in range(3):
                    address = addresses[table[(cx >> CHUNK_SHIFT) * 9 + (cy >> CHUNK_SHIFT) * 3 + dz]]
                    columns[k, dz] = address + 2 * offset
            s0, s1, s2, s3 = smooth[x, y], smooth[x + 1, y], smooth[x, y + 1], smooth[x + 1, y + 1]
            while row != 0:
                z = lowest_bit(row) + 1
                row &= row - 1
                mask = s0 >> z & 3 | (s1 >> z & 3) << 2 | (s2 >> z & 3) << 4 | (s3 >> z & 3) << 6
                low, high = z + _OFFSET, z + _OFFSET + 1
                word = np.uint64(0)
                for k in range(4):
                    below = _material(columns[k, low >> CHUNK_SHIFT], low & _INSIDE)
                    above = _material(columns[k, high >> CHUNK_SHIFT], high & _INSIDE)
                    word |= (np.uint64(below) | np.uint64(above) << np.uint64(8)) << np.uint64(16 * k)
                corners = _SPREAD[mask]
                best = second = _lowest_byte(word, corners)
                weight = np.int64(0)
                if (word ^ np.uint64(best) * _ONES) & corners != 0:
                    best, second, weight = _commonest(word, corners)
                commonest[at], seconds[at], shares[at] = best, second, weight
                at += 1


@kernel
def _lowest_byte(word, corners):
    """The byte of word (uint64) where corners (uint64, not 0) has its lowest bit, as int64."""
    return np.int64(word >> np.uint64(lowest_bit(np.int64(corners))) & _BYTE)


@kernel
def _alike(word, byte, corners):
    """0x80 in the bytes of word that are byte (int64), of those where corners is 0xFF; all uint64."""
    other = word ^ np.uint64(byte) * _ONES
    return ~((other & _LOWS) + _LOWS | other) & _HIGHS & corners


@kernel
def _commonest(word, corners):
    """The commonest of the bytes of word (uint64), the second, and the second's share of both as in
    find_vertex_materials(); of the bytes where corners (uint64) is 0xFF, of which two must differ."""
    best, best_count, second, second_count = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    while corners != 0:
        material = _lowest_byte(word, corners)
        alike = _alike(word, material, corners)
        corners &= ~((alike >> _SEVEN) * _BYTE)
        count = count_bits(np.int64(alike))
        # Commoner is greater, and of two as common the lower; no branches, which would be guesses.
        rank, best_rank, second_rank = (
            count << 8 | ~material & 255,
            best_count << 8 | ~best & 255,
            second_count << 8 | ~second & 255,
        )
        leads, follows = rank > best_rank, rank > second_rank
        second = best if leads else (material if follows else second)
        second_count = best_count if leads else (count if follows else second_count)
        best = material if leads else best
        best_count = count if leads else best_count
    return best, second, _SHARES[best_count, second_count]
