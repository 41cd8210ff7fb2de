# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth voxels to a surface: naive Surface Nets over the binary field.

The samples are the voxels' centres; a cell c spans the samples c … c + 1. A cell whose corners are partly inside
and partly outside has one vertex, at the centroid of its crossed edges' middles: c + ½ + centroid, so that a flat
top lies on the voxels' top. Every crossed edge between two samples is covered by one quad through its four cells.

Blocks and smooth voxels share one field (visibility.is_ground), but only edges that leave a smooth voxel get a
quad; those that leave a block are the block's own faces. So that the two meet without a gap, the vertex of a cell
that holds a block's visible face is moved to the cell's centre, which is the grid point where eight voxels meet:
there quads over blocks would be exactly the blocks' faces. The blocky mesh of 1×1 quads and this mesh together are
therefore closed wherever blocks are opaque.

An edge belongs to the chunk that holds its lower sample, so chunks neither miss nor repeat a quad. Vertices of
cells across a border exist in both chunks with the same bits: fractions are multiples of 2⁻¹², and all sums run in
an order that does not depend on the chunk.

Source of the method: S. Gibson, "Constrained elastic surface nets", MICCAI 1998; the centroid variant is known as
naive Surface Nets.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import kernel, parallel_kernel, prange
from ..layout import CHUNK_SIZE, MATERIAL_SHIFT
from ..world import Coord, World
from .arrays import SmoothMesh
from .neighbourhood import BORDER, PADDED_SIZE, padded_batches
from .visibility import is_ground, is_smooth, shows_face

_N = CHUNK_SIZE
_CELLS = PADDED_SIZE - 1
_FRACTION_STEPS = 4096

_CORNERS = np.array([(k & 1, k >> 1 & 1, k >> 2) for k in range(8)], np.int64)
"""A cell's corner k, as offsets from its lowest sample."""

_EDGES = np.array([(k, k | 1 << axis) for axis in range(3) for k in range(8) if not k >> axis & 1], np.int64)
"""A cell's 12 edges as pairs of corners."""

_RING = np.array([(-1, -1), (0, -1), (0, 0), (-1, 0)], np.int64)
"""The four cells about an edge, as offsets from its lower sample along the two other axes, (y, z), (z, x) or (x, y):
the order in which their cross product is the edge's axis, so that the ring is counter-clockwise from its upper end.
(With (x, z) for the Y axis that ring alone would be wound the other way.)"""


def _crossing_centroids() -> NDArray[np.float32]:
    """(256, 3) float32 by the bits of the corners inside: the centroid of the crossed edges' middles, in 2⁻¹²."""
    centroids = np.full((256, 3), 0.5)
    for inside in range(1, 255):
        middles = [_CORNERS[[a, b]].mean(axis=0) for a, b in _EDGES if (inside >> a ^ inside >> b) & 1]
        centroids[inside] = np.mean(middles, axis=0)
    return (np.round(centroids * _FRACTION_STEPS) / _FRACTION_STEPS).astype(np.float32)


_CENTROIDS = _crossing_centroids()


def mesh_smooth(world: World) -> Job[SmoothMesh]:
    """Mesh the surfaces of all smooth voxels."""
    coords = _owners(world)
    transparent = world.palette.transparent
    parts = []
    yield Progress(0.0, "Meshing smooth surfaces")
    for batch_coords, padded, done in padded_batches(world, coords):
        parts.append(_mesh_batch(batch_coords, padded, transparent))
        yield Progress(done / len(coords), "Meshing smooth surfaces")
    return _joined(parts)


def _owners(world: World) -> list[Coord]:
    """The chunks that may own a crossed edge: those stored, and those below them on one axis."""
    owners = set(world.coords())
    for x, y, z in world.coords():
        owners.update(((x - 1, y, z), (x, y - 1, z), (x, y, z - 1)))
    return sorted(owners)


def _mesh_batch(coords: NDArray[np.int32], padded: NDArray[np.uint16], transparent: NDArray[np.bool_]) -> SmoothMesh:
    n_vertices = np.zeros(len(padded), np.uint32)
    n_quads = np.zeros(len(padded), np.uint32)
    _count(padded, transparent, n_vertices, n_quads)
    used = n_quads > 0
    coords, padded, n_vertices, n_quads = coords[used], padded[used], n_vertices[used], n_quads[used]
    total_vertices, total_quads = int(n_vertices.sum()), int(n_quads.sum())
    mesh = SmoothMesh(
        coords,
        n_vertices,
        n_quads,
        np.empty((total_vertices, 3), np.float32),
        np.empty((total_vertices, 3), np.float32),
        np.empty(total_vertices, np.uint8),
        np.empty((total_quads, 4), np.uint32),
        np.empty(total_quads, np.uint8),
    )
    first_vertex = np.cumsum(n_vertices, dtype=np.int64) - n_vertices
    first_quad = np.cumsum(n_quads, dtype=np.int64) - n_quads
    _emit(
        padded,
        transparent,
        first_vertex,
        first_quad,
        mesh.positions,
        mesh.normals,
        mesh.materials,
        mesh.quads,
        mesh.quad_materials,
    )
    return mesh


def _joined(parts: list[SmoothMesh]) -> SmoothMesh:
    """One mesh of several, their vertex indices shifted."""
    first = 0
    quads = [np.empty((0, 4), np.uint32)]
    for part in parts:
        quads.append(part.quads + np.uint32(first))
        first += len(part.positions)

    def column(name: str, empty: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([empty, *(getattr(part, name) for part in parts)])

    return SmoothMesh(
        column("coords", np.empty((0, 3), np.int32)),
        column("vertex_counts", np.empty(0, np.uint32)),
        column("quad_counts", np.empty(0, np.uint32)),
        column("positions", np.empty((0, 3), np.float32)),
        column("normals", np.empty((0, 3), np.float32)),
        column("materials", np.empty(0, np.uint8)),
        np.concatenate(quads),
        column("quad_materials", np.empty(0, np.uint8)),
    )


@parallel_kernel
def _count(padded, transparent, n_vertices, n_quads):
    """Write the vertices and quads of each chunk, (n,) uint32, from padded (n, 36, 36, 36) uint16."""
    for i in prange(len(padded)):
        classes = np.empty((PADDED_SIZE, PADDED_SIZE, PADDED_SIZE), np.uint8)
        if _classify(padded[i], transparent, classes):
            marks = np.zeros((_CELLS, _CELLS, _CELLS), np.uint8)
            n_quads[i], n_vertices[i] = _mark_cells(classes, marks)


@parallel_kernel
def _emit(padded, transparent, first_vertex, first_quad, positions, normals, materials, quads, quad_materials):
    """Write the arrays of SmoothMesh from padded (n, 36, 36, 36) uint16, chunk i from vertex first_vertex[i] and quad
    first_quad[i] on; quads get indices into the arrays."""
    for i in prange(len(padded)):
        voxels = padded[i]
        classes = np.empty((PADDED_SIZE, PADDED_SIZE, PADDED_SIZE), np.uint8)
        _classify(voxels, transparent, classes)
        marks = np.zeros((_CELLS, _CELLS, _CELLS), np.uint8)
        _mark_cells(classes, marks)
        index = np.empty((_CELLS, _CELLS, _CELLS), np.int32)
        corners = np.empty((_CELLS, _CELLS, _CELLS, 3), np.float32)
        at = first_vertex[i]
        for x in range(_CELLS):
            for y in range(_CELLS):
                for z in range(_CELLS):
                    if marks[x, y, z] == 0:
                        continue
                    # Padded cell x spans the centres of voxels x − BORDER and x − BORDER + 1.
                    which = _cell_case(voxels, classes, transparent, x, y, z)
                    corners[x, y, z, 0] = x - BORDER + np.float32(0.5) + _CENTROIDS[which, 0]
                    corners[x, y, z, 1] = y - BORDER + np.float32(0.5) + _CENTROIDS[which, 1]
                    corners[x, y, z, 2] = z - BORDER + np.float32(0.5) + _CENTROIDS[which, 2]
                    index[x, y, z] = -1
                    if marks[x, y, z] & _OWNED:
                        index[x, y, z] = at
                        for axis in range(3):
                            positions[at, axis] = corners[x, y, z, axis]
                            normals[at, axis] = 0
                        materials[at] = _cell_material(voxels, classes, x, y, z)
                        at += 1
        _emit_quads(voxels, classes, index, corners, first_quad[i], normals, quads, quad_materials)
        for vertex in range(first_vertex[i], at):
            _normalise(normals, vertex)


_GROUND, _SMOOTH = 1, 2
"""Bits of a sample's class: inside the field; smooth, and so inside too."""

_USED, _OWNED = 1, 2
"""Bits of a cell's mark: a corner of some quad about the chunk; a corner of a quad that the chunk owns."""


@kernel
def _classify(voxels, transparent, classes):
    """Write the class of every padded voxel to classes (36³ uint8); return whether any is smooth."""
    any_smooth = False
    for x in range(PADDED_SIZE):
        for y in range(PADDED_SIZE):
            for z in range(PADDED_SIZE):
                voxel = voxels[x, y, z]
                if is_smooth(voxel):
                    classes[x, y, z] = _GROUND | _SMOOTH
                    any_smooth = True
                else:
                    classes[x, y, z] = _GROUND if is_ground(voxel, transparent) else 0
    return any_smooth


@kernel
def _crossing(classes, axis, x, y, z):
    """The direction, along axis, in which the edge from padded sample (x, y, z) leaves a smooth voxel: 1, −1, or 0
    where it gets no quad."""
    low = classes[x, y, z]
    high = classes[x + (axis == 0), y + (axis == 1), z + (axis == 2)]
    if high == 0 and low & _SMOOTH:
        return 1
    if low == 0 and high & _SMOOTH:
        return -1
    return 0


@kernel
def _ring_cell(axis, k, x, y, z):
    """The k-th of the four padded cells about the edge from sample (x, y, z) along axis."""
    u, v = _RING[k, 0], _RING[k, 1]
    if axis == 0:
        return x, y + u, z + v
    if axis == 1:
        return x + v, y, z + u
    return x + u, y + v, z


@kernel
def _owns(x, y, z):
    """Whether the edges from padded sample (x, y, z) belong to this chunk."""
    low, high = BORDER, BORDER + _N
    return low <= x < high and low <= y < high and low <= z < high


@kernel
def _mark_cells(classes, marks):
    """Set the marks (35³ uint8, zeros before) of the cells; return (quads, vertices) that are the chunk's own."""
    n_quads, n_vertices = 0, 0
    for x in range(BORDER - 1, BORDER + _N + 1):
        for y in range(BORDER - 1, BORDER + _N + 1):
            for z in range(BORDER - 1, BORDER + _N + 1):
                for axis in range(3):
                    if _crossing(classes, axis, x, y, z) == 0:
                        continue
                    owned = _owns(x, y, z)
                    n_quads += owned
                    for k in range(4):
                        cx, cy, cz = _ring_cell(axis, k, x, y, z)
                        if owned and marks[cx, cy, cz] & _OWNED == 0:
                            n_vertices += 1
                            marks[cx, cy, cz] |= _OWNED
                        marks[cx, cy, cz] |= _USED
    return n_quads, n_vertices


@kernel
def _cell_case(voxels, classes, transparent, x, y, z):
    """The row of _CENTROIDS for padded cell (x, y, z): the bits of its corners inside, or 0, the cell's centre, where
    a block shows a face along one of its edges."""
    inside, all_smooth = 0, True
    for k in range(8):
        cx, cy, cz = x + _CORNERS[k, 0], y + _CORNERS[k, 1], z + _CORNERS[k, 2]
        if classes[cx, cy, cz]:
            inside |= 1 << k
        if classes[cx, cy, cz] & _SMOOTH == 0 and voxels[cx, cy, cz] >> MATERIAL_SHIFT:
            all_smooth = False
    if all_smooth:
        return inside
    for e in range(12):
        a, b = _EDGES[e, 0], _EDGES[e, 1]
        one = voxels[x + _CORNERS[a, 0], y + _CORNERS[a, 1], z + _CORNERS[a, 2]]
        other = voxels[x + _CORNERS[b, 0], y + _CORNERS[b, 1], z + _CORNERS[b, 2]]
        if shows_face(one, other, transparent) or shows_face(other, one, transparent):
            return 0
    return inside


@kernel
def _cell_material(voxels, classes, x, y, z):
    """The commonest smooth material at padded cell (x, y, z)'s corners, the lowest of several."""
    best, best_count = 0, 0
    for k in range(8):
        cx, cy, cz = x + _CORNERS[k, 0], y + _CORNERS[k, 1], z + _CORNERS[k, 2]
        if classes[cx, cy, cz] & _SMOOTH == 0:
            continue
        material = voxels[cx, cy, cz] >> MATERIAL_SHIFT
        count = 0
        for other in range(8):
            ox, oy, oz = x + _CORNERS[other, 0], y + _CORNERS[other, 1], z + _CORNERS[other, 2]
            if classes[ox, oy, oz] & _SMOOTH and voxels[ox, oy, oz] >> MATERIAL_SHIFT == material:
                count += 1
        if count > best_count or (count == best_count and material < best):
            best, best_count = material, count
    return best


@kernel
def _emit_quads(voxels, classes, index, corners, at, normals, quads, quad_materials):
    """Write the quads that the chunk owns from row at on, and add to the vertices' normals the area of every quad
    about them, the neighbour chunks' too."""
    cells = np.empty((4, 3), np.int64)
    ring = np.empty((4, 3), np.float32)
    for x in range(BORDER - 1, BORDER + _N + 1):
        for y in range(BORDER - 1, BORDER + _N + 1):
            for z in range(BORDER - 1, BORDER + _N + 1):
                for axis in range(3):
                    direction = _crossing(classes, axis, x, y, z)
                    if direction == 0:
                        continue
                    for k in range(4):
                        cx, cy, cz = _ring_cell(axis, k if direction > 0 else 3 - k, x, y, z)
                        cells[k, 0], cells[k, 1], cells[k, 2] = cx, cy, cz
                        for a in range(3):
                            ring[k, a] = corners[cx, cy, cz, a]
                    for a in range(3):
                        b, c = (a + 1) % 3, (a + 2) % 3
                        area = _cross(ring, 0, 2, 1, 3, b, c)
                        for k in range(4):
                            vertex = index[cells[k, 0], cells[k, 1], cells[k, 2]]
                            if vertex >= 0:
                                normals[vertex, a] += area
                    if _owns(x, y, z):
                        turn = _diagonal(ring, axis, direction)
                        for k in range(4):
                            t = (k + turn) % 4
                            quads[at, k] = index[cells[t, 0], cells[t, 1], cells[t, 2]]
                        if direction > 0:
                            quad_materials[at] = voxels[x, y, z] >> MATERIAL_SHIFT
                        else:
                            high = voxels[x + (axis == 0), y + (axis == 1), z + (axis == 2)]
                            quad_materials[at] = high >> MATERIAL_SHIFT
                        at += 1


@kernel
def _cross(points, from_1, to_1, from_2, to_2, b, c):
    """The component of (to_1 − from_1) × (to_2 − from_2) that axes b and c make; points (n, 3) float32."""
    return (points[to_1, b] - points[from_1, b]) * (points[to_2, c] - points[from_2, c]) - (
        points[to_1, c] - points[from_1, c]
    ) * (points[to_2, b] - points[from_2, b])


@kernel
def _diagonal(ring, axis, direction):
    """0 to split a quad along corners 0 and 2, 1 along 1 and 3: both triangles must face the edge's outside; where
    both splits do that, the shorter one. One always does, since the ring goes once about the edge."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    best, best_length = 0, np.float32(np.inf)
    for turn in range(2):
        p, q, r, s = turn, turn + 1, turn + 2, (turn + 3) % 4
        if _cross(ring, p, q, p, r, b, c) * direction > 0 and _cross(ring, p, r, p, s, b, c) * direction > 0:
            length = np.float32(0)
            for a in range(3):
                length += (ring[r, a] - ring[p, a]) ** 2
            if length < best_length:
                best, best_length = turn, length
    return best


@kernel
def _normalise(normals, row):
    """Make normals[row] unit; where it is zero, up."""
    x, y, z = np.float64(normals[row, 0]), np.float64(normals[row, 1]), np.float64(normals[row, 2])
    length = np.sqrt(x * x + y * y + z * z)
    if length > 0.0:
        normals[row, 0], normals[row, 1], normals[row, 2] = x / length, y / length, z / length
    else:
        normals[row, 2] = 1.0
