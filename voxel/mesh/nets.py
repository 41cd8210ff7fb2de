# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface Nets over rows of bits: which cells have a vertex, where it lies, which quads there are, and normals.

A chunk is read with a border of two samples, so that padded sample s is voxel s − 2; row [x, y] holds its samples
along z as bits. A cell has the number of its lowest sample. The chunk's own vertices are those of the padded cells
1 … 33, its own quads those of the edges from samples 2 … 33; the cells about them (0 and 34) are computed too, for
the normals.

1. Edges: four shifts and ands give a row of crossed edges; cells with a vertex are ors of those. What has no
   surface costs no more than this.
2. Vertices, in the order of the cells: the bits of a cell's corners choose a row of a table (binary field), or all
   vertices of a block of 64 are interpolated at once (a field of signed distances).
3. Quads: every set bit of the rows of edges is one; its area is added to the normals of its four vertices.

Positions are int32 in 2⁻¹² of a voxel, and so are areas in 2⁻²⁴: all sums are exact, and do not depend on their order.
"""

import numpy as np

from ..kernels import kernel, parallel_kernel, prange
from ..queue import take
from .bits import lowest_bit
from .chunk_bits import GROUND, SMOOTH, any_near, only_material, pad_rows
from .nets_cells import END, FIRST, INNER, count_own, find_cells, find_centred, number_cells, used_rows
from .nets_field import place_by_field, smoothed_field
from .nets_materials import find_quad_materials, find_vertex_materials
from .nets_tables import BORDER, CELLS, CENTROIDS, FRACTION_STEPS, NOWHERE, SAMPLES
from .vectors import add_quad, length_squared, write_quad, write_scaled


@parallel_kernel
def count(planes, has_blocks, tables, rows, counts):
    """Write rows (n, 2, 36, 36) int64, ground and, where blocks are near, smooth, and counts (n, 2) int64, vertices and
    quads, from planes, has_blocks and tables of a BitBatch."""
    for i in prange(len(tables)):
        edges = np.empty((3, SAMPLES, SAMPLES), np.int64)
        cells = np.empty((CELLS, CELLS), np.int64)
        pad_rows(planes, tables[i], GROUND, BORDER, rows[i, 0])
        if any_near(tables[i], has_blocks):
            pad_rows(planes, tables[i], SMOOTH, BORDER, rows[i, 1])
        find_cells(rows[i, 0], _smooth_rows(rows[i], tables[i], has_blocks), edges, cells)
        counts[i, 0], counts[i, 1] = count_own(edges, cells)


@kernel
def _smooth_rows(rows, table, has_blocks):
    """Of rows (2, 36, 36), ground and smooth, those that say what is smooth: without blocks all that is ground."""
    return rows[np.int64(any_near(table, has_blocks))]


@parallel_kernel
def emit(
    n_threads,
    planes,
    addresses,
    has_blocks,
    smooth_materials,
    tables,
    strength,
    first_vertex,
    rows,
    counts,
    firsts,
    order,
    positions,
    normals,
    vertex_materials,
    quads,
    quad_materials,
):
    """Write the arrays of SmoothMesh for the chunks of order (one or more), begun in that order: chunk i from vertex
    firsts[i, 0] and quad firsts[i, 1] on; quads get indices that count from first_vertex. planes … tables are a
    BitBatch's, rows and counts count()'s, strength is smoothed_field()'s, and vertex_materials are
    find_vertex_materials()'s."""
    # Besides a chunk's own vertices there are at most those of the cells about it.
    most, most_quads = counts[:, 0].max() + CELLS**3 - (CELLS - 2) ** 3, counts[:, 1].max()
    queue = np.zeros(1, np.int64)
    for _ in prange(n_threads):
        numbers, corners = np.empty(CELLS * CELLS * SAMPLES, np.uint16), np.empty(most, np.uint8)
        points, areas = np.empty((most, 4), np.int32), np.empty((most, 4), np.int32)
        samples = np.empty(most_quads, np.uint16)
        edges = np.empty((3, SAMPLES, SAMPLES), np.int64)
        cells, centred = np.empty((CELLS, CELLS), np.int64), np.empty((CELLS, CELLS), np.int64)
        field = np.empty((SAMPLES, SAMPLES, SAMPLES), np.float32)
        place = take(queue)
        while place < len(order):
            i = order[place]
            place = take(queue)
            vertex, quad, n_own, n_quads = firsts[i, 0], firsts[i, 1], counts[i, 0], counts[i, 1]
            ground, smooth, table = rows[i, 0], _smooth_rows(rows[i], tables[i], has_blocks), tables[i]
            find_cells(ground, smooth, edges, cells)
            centred[:] = 0
            if any_near(table, has_blocks):
                find_centred(planes, addresses, table, ground, centred)
            shifts = CENTROIDS if strength == 0 else NOWHERE
            n = number_cells(ground, cells, centred, shifts, n_own, numbers, corners, points)
            if strength != 0:
                smoothed_field(planes, table, strength, field)
                place_by_field(field, corners, n, points)
            areas[:n] = 0
            find_quads(ground, edges, numbers, points, first_vertex + vertex, areas, quads[quad:], samples)
            finish_vertices(points, areas, n_own, positions[vertex:], normals[vertex:])
            only = only_material(table, smooth_materials)
            if only > 0:
                own = slice(vertex, vertex + n_own)
                vertex_materials[0][own], vertex_materials[1][own], vertex_materials[2][own] = only, only, 0
                quad_materials[quad : quad + n_quads] = only
            else:
                find_vertex_materials(addresses, table, smooth, cells, vertex, vertex_materials)
                find_quad_materials(addresses, table, samples, n_quads, quad_materials[quad:])


_X_CELL, _Y_CELL = CELLS * SAMPLES, SAMPLES
# Back from an edge's upper cell to its neighbours on the two axes after the edge's own: the ring a b c d about the
# edge lies at −p − q, −q, 0 and −p, counter-clockwise from the edge's upper end.
_BACK_P = np.array([_Y_CELL, 1, _X_CELL], np.int64)
_BACK_Q = np.array([1, _X_CELL, _Y_CELL], np.int64)
_STEPS = np.array([SAMPLES * SAMPLES, SAMPLES, 1], np.int64)


@kernel
def find_quads(ground, edges, numbers, points, first_vertex, areas, quads, samples):
    """Write the chunk's own quads (q, 4) uint32, indices from first_vertex on, and samples (q,) uint16, the solid
    sample of each one's edge as (x·36 + y)·36 + z; add every quad's area to areas (v, 4) int32."""
    at = 0
    points_at, areas_at, quads_at = _address(points), _address(areas), _address(quads)
    for axis in range(3):
        p, q, step = _BACK_P[axis], _BACK_Q[axis], _STEPS[axis]
        for x in range(1, SAMPLES - 1):
            columns = used_rows(edges[axis, x])
            while columns != 0:
                y = lowest_bit(columns)
                columns &= columns - 1
                row = edges[axis, x, y]
                own = INNER if FIRST <= x < END and FIRST <= y < END else 0
                inside = ground[x, y]
                cell, sample = (x * CELLS + y) * SAMPLES, (x * SAMPLES + y) * SAMPLES
                while row != 0:
                    z = lowest_bit(row)
                    row &= row - 1
                    up = inside >> z & 1
                    a, b = np.int64(numbers[np.uint64(cell + z - p - q)]), np.int64(numbers[np.uint64(cell + z - p)])
                    c, d = np.int64(numbers[np.uint64(cell + z)]), np.int64(numbers[np.uint64(cell + z - q)])
                    turned = (b ^ d) & -up
                    b, d = b ^ turned, d ^ turned
                    splits = add_quad(points_at, areas_at, a, b, c, d)
                    if own >> z & 1:
                        write_quad(quads_at, at, splits >> axis & 1, first_vertex, a, b, c, d)
                        samples[np.uint64(at)] = sample + z + (step & (up - 1))
                        at += 1
    return at


@kernel
def _address(array):
    return np.int64(array.ctypes.data)


@kernel
def finish_vertices(points, areas, n, positions, normals):
    """Write positions and normals (v, 3) float32 of n vertices: in voxels; unit, up where the area is zero."""
    points_at, areas_at = _address(points), _address(areas)
    positions_at, normals_at = _address(positions), _address(normals)
    for i in range(n):
        length = np.sqrt(length_squared(areas_at, i))
        write_scaled(points_at, i, np.float32(1 / FRACTION_STEPS), positions_at)
        if length > 0:
            write_scaled(areas_at, i, np.float32(1) / length, normals_at)
        else:
            normals[i, 0], normals[i, 1], normals[i, 2] = 0, 0, 1
