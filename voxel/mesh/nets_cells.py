# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface Nets, first half: which edges are crossed and which cells have a vertex, by rows of bits.

Row [x, y] of ground and smooth, (36, 36) int64, has the padded samples along z as bits. edges (3, 36, 36) int64 has
by axis and lower sample the edges that leave a smooth voxel; cells (35, 35) int64 those about any such edge.
"""

import numpy as np

from ..kernels import kernel
from ..layout import CHUNK_SIZE
from .bits import count_bits, lowest_bit
from .chunk_bits import BLOCKY, GLASS, pad_rows
from .nets_materials import material_at
from .nets_tables import BORDER, CELLS, FRACTION_BITS, FRACTION_STEPS, SAMPLES
from .vectors import write_point

FIRST, END = BORDER, BORDER + CHUNK_SIZE
INNER = ((np.int64(1) << CHUNK_SIZE) - 1) << BORDER  # samples 2 … 33
_NEAR = ((np.int64(1) << (CHUNK_SIZE + 2)) - 1) << (BORDER - 1)  # samples 1 … 34
_OWN_CELLS = ((np.int64(1) << (CHUNK_SIZE + 1)) - 1) << (BORDER - 1)  # cells 1 … 33


@kernel
def count_own(edges, cells):
    """How many vertices and quads are the chunk's own, of edges and cells as find_cells writes them."""
    quads = 0
    for axis in range(3):
        quads += _count(edges[axis], FIRST, END, INNER)
    return _count(cells, 1, CELLS - 1, _OWN_CELLS), quads


@kernel
def _count(rows, first, end, mask):
    """How many bits of mask are set in rows (n, n) int64, those from first to end on both axes."""
    total = 0
    for x in range(first, end):
        for y in range(first, end):
            total += count_bits(rows[x, y] & mask)
    return total


@kernel
def find_cells(ground, smooth, edges, cells):
    """Write edges (3, 36, 36) int64, by axis and lower sample the edges that leave a smooth voxel, and cells
    (35, 35) int64, those about any such edge; from ground and smooth (36, 36) int64."""
    edges[:] = 0
    for x in range(1, SAMPLES - 1):
        for y in range(1, SAMPLES - 1):
            edges[2, x, y] = _leaving(ground[x, y], smooth[x, y], ground[x, y] >> 1, smooth[x, y] >> 1) & _OWN_CELLS
    for x in range(1, SAMPLES - 2):
        for y in range(1, SAMPLES - 1):
            edges[0, x, y] = _leaving(ground[x, y], smooth[x, y], ground[x + 1, y], smooth[x + 1, y]) & _NEAR
    for x in range(1, SAMPLES - 1):
        for y in range(1, SAMPLES - 2):
            edges[1, x, y] = _leaving(ground[x, y], smooth[x, y], ground[x, y + 1], smooth[x, y + 1]) & _NEAR
    for x in range(CELLS):
        for y in range(CELLS):
            cells[x, y] = _about(edges, x, y)


@kernel
def _leaving(ground, smooth, next_ground, next_smooth):
    """The bits where one of two samples is smooth and the other not even ground."""
    return (smooth & ~next_ground) | (next_smooth & ~ground)


@kernel
def _about(edges, x, y):
    """The row of cells [x, y] that have an edge of edges (3, 36, 36) int64."""
    flat = edges[0, x, y] | edges[0, x, y + 1] | edges[1, x, y] | edges[1, x + 1, y]
    upright = edges[2, x, y] | edges[2, x + 1, y] | edges[2, x, y + 1] | edges[2, x + 1, y + 1]
    return flat | flat >> 1 | upright


@kernel
def find_centred(planes, addresses, table, ground, centred):
    """Write centred (35, 35) int64: the cells that hold a visible face of a block. planes, addresses and table are
    those of a BitBatch."""
    blocky, glass = np.empty((SAMPLES, SAMPLES), np.int64), np.empty((SAMPLES, SAMPLES), np.int64)
    pad_rows(planes, table, BLOCKY, BORDER, blocky)
    pad_rows(planes, table, GLASS, BORDER, glass)
    faces = np.zeros((3, SAMPLES, SAMPLES), np.int64)
    for axis in range(3):
        dx, dy, dz = axis == 0, axis == 1, axis == 2
        for x in range(SAMPLES - dx):
            for y in range(SAMPLES - dy):
                b0, b1 = blocky[x, y], blocky[x + dx, y + dy] >> dz
                g0, g1 = glass[x, y], glass[x + dx, y + dy] >> dz
                open0, open1 = ~(ground[x, y] | b0) | g0, ~((ground[x + dx, y + dy] >> dz) | b1) | g1
                row = (b0 & open1) | (b1 & open0)
                # Between two that one sees through, only different materials show a face.
                alike = row & g0 & g1
                while alike != 0:
                    z = lowest_bit(alike)
                    alike &= alike - 1
                    if material_at(addresses, table, x, y, z) == material_at(addresses, table, x + dx, y + dy, z + dz):
                        row &= ~(np.int64(1) << z)
                faces[axis, x, y] = row & ((np.int64(1) << (SAMPLES - dz)) - 1)
    for x in range(CELLS):
        for y in range(CELLS):
            centred[x, y] = _about(faces, x, y)


@kernel
def number_cells(ground, cells, centred, shifts, n_own, numbers, corners, points):
    """Number the cells (35, 35) int64: the chunk's own from 0, those about it from n_own, each in their order.

    Writes numbers (35·35·36,) uint16, the number at [(x·35 + y)·36 + z], and by number corners (v,) uint8, the bits of
    the corners that are ground, 0 where centred (35, 35) int64 has the cell; and points (v, 4) int32, the lowest
    sample's position plus the row of shifts (256, 4) int32 for those bits. Returns how many there are.
    """
    own, other = 0, n_own
    points_at, shifts_at = np.int64(points.ctypes.data), np.int64(shifts.ctypes.data)
    for x in range(CELLS):
        columns = used_rows(cells[x])
        while columns != 0:
            y = lowest_bit(columns)
            columns &= columns - 1
            row = cells[x, y]
            inner = _OWN_CELLS if 0 < x < CELLS - 1 and 0 < y < CELLS - 1 else 0
            middle = centred[x, y]
            g0, g1, g2, g3 = ground[x, y], ground[x + 1, y], ground[x, y + 1], ground[x + 1, y + 1]
            px, py, cell = _position(x), _position(y), (x * CELLS + y) * SAMPLES
            while row != 0:
                z = lowest_bit(row)
                row &= row - 1
                mine = inner >> z & 1
                number = own if mine else other
                own += mine
                other += 1 - mine
                numbers[np.uint64(cell + z)] = number
                mask = g0 >> z & 3 | (g1 >> z & 3) << 2 | (g2 >> z & 3) << 4 | (g3 >> z & 3) << 6
                mask &= (middle >> z & 1) - 1
                corners[np.uint64(number)] = mask
                write_point(points_at, number, shifts_at, mask, px, py, _position(z))
    return other


@kernel
def used_rows(rows):
    """The bits of those of at most 64 rows (n,) int64 that are not 0."""
    used = np.int64(0)
    for k in range(len(rows)):
        used |= np.int64(rows[k] != 0) << k
    return used


@kernel
def _position(sample):
    """Where a padded sample lies: at its voxel's centre."""
    return ((sample - BORDER) << FRACTION_BITS) + FRACTION_STEPS // 2
