# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays against the quads of smooth surfaces.

Everything about quads is counted in the cells of Surface Nets, which lie half a voxel further than the voxels: cell c
spans the voxels' centres c + ½ … c + 1½. A vertex lies within its cell, so a quad about an edge lies within that edge's
four cells, and a chunk's quads within its cells −1 … 31. These are sorted into bins of 4³ cells, the first bin on each
axis holding cell −1 alone.
"""

import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from ..kernels import kernel
from ..layout import CHUNK_SHIFT, CHUNK_SIZE
from .ray_steps import enter_box, is_in_box, leave_cell
from .ray_tree import LEVELS, NOTHING, find_chunk

_BIN_SHIFT = 2
_BIN_SIZE = 1 << _BIN_SHIFT
_LAST_BIN = (CHUNK_SIZE >> _BIN_SHIFT) - 1
_N_BINS = _LAST_BIN + 2
N_STARTS = _N_BINS**3 + 1

STARTS, POSITIONS, NORMALS, QUADS = range(4)
"""Columns of a chunk's row: where in memory are starts (730,) int32, the first quad of each bin and their number;
positions and normals (v, 3) float32, as in SmoothMesh; and quads (q, 4) uint16 bin after bin, a quad in each bin that
it reaches into."""

NO_QUADS, NOT_MESHED = 0, -1
"""What STARTS is, instead, in a chunk without quads and in one that nobody has meshed."""

HIT, MISS, NEEDS_MESH = range(3)


@kernel
def count_quads(positions, quads, starts):
    """Write starts (730,) int32 of one chunk's positions (v, 3) float32 and quads (q, 4) uint32; see the columns."""
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    starts[:] = 0
    for i in range(len(quads)):
        _quad_cells(positions, quads[i], low, high)
        for x in range(_bin(low[0]), _bin(high[0]) + 1):
            for y in range(_bin(low[1]), _bin(high[1]) + 1):
                for z in range(_bin(low[2]), _bin(high[2]) + 1):
                    starts[_bin_index(x, y, z) + 1] += 1
    for k in range(1, len(starts)):
        starts[k] += starts[k - 1]


@kernel
def sort_quads(positions, quads, starts, binned):
    """Write binned (starts[-1], 4) uint16, the quads of count_quads() bin after bin."""
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    ends = starts[:-1].copy()
    for i in range(len(quads)):
        _quad_cells(positions, quads[i], low, high)
        for x in range(_bin(low[0]), _bin(high[0]) + 1):
            for y in range(_bin(low[1]), _bin(high[1]) + 1):
                for z in range(_bin(low[2]), _bin(high[2]) + 1):
                    k = _bin_index(x, y, z)
                    for corner in range(4):
                        binned[ends[k], corner] = quads[i, corner]
                    ends[k] += 1


@kernel
def _bin(cell):
    return (cell + _BIN_SIZE) >> _BIN_SHIFT


@kernel
def _bin_index(x, y, z):
    return (x * _N_BINS + y) * _N_BINS + z


@kernel
def _cell(positions, vertex, axis):
    """The cell of a vertex on one axis, counted from its chunk's first."""
    return np.int64(np.floor(positions[vertex, axis] - np.float32(0.5)))


@kernel
def _quad_cells(positions, quad, low, high):
    """Write the lowest and the highest cell of a quad (4,) on each axis to low and high (3,) int64."""
    for axis in range(3):
        low[axis] = high[axis] = _cell(positions, quad[0], axis)
        for corner in range(1, 4):
            cell = _cell(positions, quad[corner], axis)
            low[axis], high[axis] = min(low[axis], cell), max(high[axis], cell)


@intrinsic
def _pointer(_typing, address):
    """A pointer to an address (int64)."""

    def generate(_context, builder, _signature, arguments):
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), generate


@kernel
def trace_quads(ray, furthest, children, place, table, scratch, cell, face, normal):
    """(outcome, distance) of the first quad that the ray meets from its visible side up to the distance furthest.

    HIT: cell (3,) int64 is the smooth voxel that the quad covers, face (1,) int64 its face that the quad stands for,
    normal (3,) float64 the surface's, as it is lit. NEEDS_MESH: cell is the chunk that must be meshed first.

    ray is ray_steps' in voxels; children and place are of a ChunkTree that has all chunks which own quads, and those
    that their quads reach into, table (n, 4) int64 has the columns above; scratch is new_scratch()'s.
    """
    centred, points = scratch
    centred[:] = ray
    centred[0] -= 0.5
    shear = _shear(ray)
    low, size = place[:3] << CHUNK_SHIFT, np.int64(CHUNK_SIZE) << 2 * place[LEVELS]
    nearest, owner, quad, half = np.inf, (np.int64(0), np.int64(0), np.int64(0)), np.int64(0), np.int64(0)
    distance, _ = enter_box(centred, low, size, cell)
    while distance <= furthest and distance < nearest:
        x, y, z = cell[0] >> CHUNK_SHIFT, cell[1] >> CHUNK_SHIFT, cell[2] >> CHUNK_SHIFT
        row, shift = find_chunk(children, place, x, y, z)
        if row == NOTHING:
            shift += CHUNK_SHIFT
        else:
            shift = np.int64(_BIN_SHIFT)
            bx, by, bz = _bin_in_chunk(cell[0]), _bin_in_chunk(cell[1]), _bin_in_chunk(cell[2])
            # Cells −1 of the chunks above lie in the last bins of this one.
            for dx in range(1 + (bx == _LAST_BIN)):
                for dy in range(1 + (by == _LAST_BIN)):
                    for dz in range(1 + (bz == _LAST_BIN)):
                        if dx + dy + dz > 0:
                            row, _ = find_chunk(children, place, x + dx, y + dy, z + dz)
                        if row == NOTHING or table[row, STARTS] == NO_QUADS:
                            continue
                        if table[row, STARTS] == NOT_MESHED:
                            cell[0], cell[1], cell[2] = x + dx, y + dy, z + dz
                            return NEEDS_MESH, np.inf
                        k = _bin_index(0 if dx else bx + 1, 0 if dy else by + 1, 0 if dz else bz + 1)
                        chunk = x + dx, y + dy, z + dz
                        at, hit_quad, hit_half = _nearest_quad(ray, shear, table[row], k, chunk, nearest, points)
                        if at < nearest:
                            nearest, quad, half, owner = at, hit_quad, hit_half, chunk
        distance, _ = leave_cell(centred, low, shift, cell)
        if not is_in_box(low, size, cell):
            break
    if nearest == np.inf or nearest > furthest:
        return MISS, np.inf
    row, _ = find_chunk(children, place, *owner)
    _describe(ray, shear, table[row], quad, half, owner, points, cell, face, normal)
    return HIT, nearest


@kernel
def new_scratch():
    """What trace_quads() works in."""
    return np.empty((2, 3), np.float64), np.empty((4, 3), np.float64)


@kernel
def _bin_in_chunk(cell):
    return cell >> _BIN_SHIFT & _LAST_BIN


@kernel
def _shear(ray):
    """(x axis, y axis, z axis, shear along x, along y, scale along z): what brings the ray onto the z axis, with the
    axes' handedness kept. After S. Woop, C. Benthin and I. Wald, "Watertight ray/triangle intersection", JCGT 2013."""
    z = np.int64(0)
    for axis in range(1, 3):
        if abs(ray[1, axis]) > abs(ray[1, z]):
            z = np.int64(axis)
    x, y = (z + 1) % 3, (z + 2) % 3
    if ray[1, z] < 0:
        x, y = y, x
    return x, y, z, ray[1, x] / ray[1, z], ray[1, y] / ray[1, z], 1 / ray[1, z]


@kernel
def _place_corners(ray, shear, positions, quad, chunk, points):
    """Write points (4, 3), the corners of a quad (4,) in the sheared space. Before they are sheared they are exact but
    for the last difference, and so the same in all quads that share them."""
    x, y, z, shear_x, shear_y, scale = shear
    corner_x, corner_y, corner_z = chunk[x] << CHUNK_SHIFT, chunk[y] << CHUNK_SHIFT, chunk[z] << CHUNK_SHIFT
    for k in range(4):
        vertex = quad[k]
        px = np.float64(positions[vertex, x]) + corner_x - ray[0, x]
        py = np.float64(positions[vertex, y]) + corner_y - ray[0, y]
        pz = np.float64(positions[vertex, z]) + corner_z - ray[0, z]
        points[k, 0], points[k, 1], points[k, 2] = px - shear_x * pz, py - shear_y * pz, scale * pz


@kernel
def _weights(points, half):
    """The weights of a triangle's corners where the ray meets it, not normalised; none negative if it does so from the
    visible side. Two triangles get the same number with opposite signs for an edge that they share."""
    a, b, c = points[0], points[1 + half], points[2 + half]
    return c[0] * b[1] - c[1] * b[0], a[0] * c[1] - a[1] * c[0], b[0] * a[1] - b[1] * a[0]


@kernel
def _nearest_quad(ray, shear, row, k, chunk, nearest, points):
    """(distance, quad, half) of the nearest hit in bin k of a chunk that is nearer than nearest, or (nearest, 0, 0).
    row (4,) has the chunk's columns; half tells the triangle of corners 0, 1, 2 from that of 0, 2, 3."""
    found, found_half = np.int64(0), np.int64(0)
    starts = carray(_pointer(row[STARTS]), (N_STARTS,), np.int32)
    # Lengths of arrays that are reached by address are known to nobody and never asked for.
    positions = carray(_pointer(row[POSITIONS]), (1, 3), np.float32)
    quads = carray(_pointer(row[QUADS]), (1, 4), np.uint16)
    for i in range(starts[k], starts[k + 1]):
        _place_corners(ray, shear, positions, quads[i], chunk, points)
        for half in range(2):
            u, v, w = _weights(points, half)
            total = u + v + w
            if u >= 0 and v >= 0 and w >= 0 and total > 0:
                at = (u * points[0, 2] + v * points[1 + half, 2] + w * points[2 + half, 2]) / total
                if 0 <= at < nearest:
                    nearest, found, found_half = at, np.int64(i), np.int64(half)
    return nearest, found, found_half


@kernel
def _describe(ray, shear, row, quad, half, chunk, points, cell, face, normal):
    """Write cell, face and normal, see trace_quads(), of a quad that _nearest_quad() found."""
    positions = carray(_pointer(row[POSITIONS]), (1, 3), np.float32)
    normals = carray(_pointer(row[NORMALS]), (1, 3), np.float32)
    corners = carray(_pointer(row[QUADS]), (1, 4), np.uint16)[quad]
    _place_corners(ray, shear, positions, corners, chunk, points)
    u, v, w = _weights(points, half)
    length = 0.0
    for axis in range(3):
        normal[axis] = u * normals[corners[0], axis] + v * normals[corners[1 + half], axis]
        normal[axis] += w * normals[corners[2 + half], axis]
        length += normal[axis] ** 2
    normal /= np.sqrt(length)
    # The four cells about an edge: the highest on the two axes across it is that of its ends.
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    _quad_cells(positions, corners, low, high)
    edge = np.int64(0)
    for axis in range(3):
        cell[axis] = (chunk[axis] << CHUNK_SHIFT) + high[axis]
        if low[axis] == high[axis]:
            edge = np.int64(axis)
    # Counter-clockwise from outside: three of the cells tell to which end that is.
    p, q = (edge + 1) % 3, (edge + 2) % 3
    p0, q0 = _cell(positions, corners[0], p), _cell(positions, corners[0], q)
    p1, q1 = _cell(positions, corners[1], p) - p0, _cell(positions, corners[1], q) - q0
    p2, q2 = _cell(positions, corners[2], p) - p0, _cell(positions, corners[2], q) - q0
    if p1 * q2 - q1 * p2 > 0:
        face[0] = 2 * edge
    else:
        face[0] = 2 * edge + 1
        cell[edge] += 1
