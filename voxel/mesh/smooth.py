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

    def column(name: str, empty: NDArray) -> NDArray:
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


@kernel
def _covered_voxel(voxels, transparent, axis, x, y, z):
    """(voxel, direction) of the edge from padded sample (x, y, z) along axis: the smooth voxel that the edge leaves,
    and 1 where that is the lower end, −1 where it is the upper; (0, 0) where the edge gets no quad."""
    low = voxels[x, y, z]
    high = voxels[x + (axis == 0), y + (axis == 1), z + (axis == 2)]
    low_in, high_in = is_ground(low, transparent), is_ground(high, transparent)
    if low_in and not high_in and is_smooth(low):
        return low, 1
    if high_in and not low_in and is_smooth(high):
        return high, -1
    return np.uint16(0), 0


@kernel
def _mark_cells(voxels, transparent, marks):
    """Set marks (35³ uint8, by padded cell) to 1 where a quad of this chunk has a corner; return the quads."""
    n_quads = 0
    for x in range(BORDER, BORDER + _N):
        for y in range(BORDER, BORDER + _N):
            for z in range(BORDER, BORDER + _N):
                for axis in range(3):
                    if _covered_voxel(voxels, transparent, axis, x, y, z)[1] != 0:
                        n_quads += 1
                        for k in range(4):
                            cx, cy, cz = _ring_cell(axis, k, x, y, z)
                            marks[cx, cy, cz] = 1
    return n_quads


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
def _has_smooth(voxels):
    for voxel in voxels.flat:
        if is_smooth(voxel):
            return True
    return False


@parallel_kernel
def _count(padded, transparent, n_vertices, n_quads):
    """Write the vertices and quads of each chunk, (n,) uint32, from padded (n, 36, 36, 36) uint16."""
    for i in prange(len(padded)):
        if _has_smooth(padded[i]):
            marks = np.zeros((_CELLS, _CELLS, _CELLS), np.uint8)
            n_quads[i] = _mark_cells(padded[i], transparent, marks)
            n_vertices[i] = marks.sum()


@kernel
def _cell_fraction(voxels, transparent, x, y, z):
    """The place of padded cell (x, y, z)'s vertex within the cell, three float32 of 0 … 1."""
    inside = 0
    for k in range(8):
        if is_ground(voxels[x + _CORNERS[k, 0], y + _CORNERS[k, 1], z + _CORNERS[k, 2]], transparent):
            inside |= 1 << k
    for e in range(12):
        a, b = _EDGES[e, 0], _EDGES[e, 1]
        one = voxels[x + _CORNERS[a, 0], y + _CORNERS[a, 1], z + _CORNERS[a, 2]]
        other = voxels[x + _CORNERS[b, 0], y + _CORNERS[b, 1], z + _CORNERS[b, 2]]
        if shows_face(one, other, transparent) or shows_face(other, one, transparent):
            return _CENTROIDS[0]
    return _CENTROIDS[inside]


@kernel
def _cell_material(voxels, x, y, z):
    """The commonest smooth material at padded cell (x, y, z)'s corners, the lowest of several."""
    best, best_count = 0, 0
    for k in range(8):
        voxel = voxels[x + _CORNERS[k, 0], y + _CORNERS[k, 1], z + _CORNERS[k, 2]]
        if not is_smooth(voxel):
            continue
        material = voxel >> MATERIAL_SHIFT
        count = 0
        for other in range(8):
            there = voxels[x + _CORNERS[other, 0], y + _CORNERS[other, 1], z + _CORNERS[other, 2]]
            if is_smooth(there) and there >> MATERIAL_SHIFT == material:
                count += 1
        if count > best_count or (count == best_count and material < best):
            best, best_count = material, count
    return best


@parallel_kernel
def _emit(padded, transparent, first_vertex, first_quad, positions, normals, materials, quads, quad_materials):
    """Write the arrays of SmoothMesh from padded (n, 36, 36, 36) uint16, chunk i from vertex first_vertex[i] and quad
    first_quad[i] on; quads get indices into the arrays."""
    for i in prange(len(padded)):
        voxels = padded[i]
        marks = np.zeros((_CELLS, _CELLS, _CELLS), np.uint8)
        _mark_cells(voxels, transparent, marks)
        index = np.full((_CELLS, _CELLS, _CELLS), -1, np.int64)
        at = first_vertex[i]
        for x in range(_CELLS):
            for y in range(_CELLS):
                for z in range(_CELLS):
                    if marks[x, y, z] != 0:
                        index[x, y, z] = at
                        fraction = _cell_fraction(voxels, transparent, x, y, z)
                        # Padded cell x spans the centres of voxels x − BORDER and x − BORDER + 1.
                        positions[at, 0] = x - BORDER + np.float32(0.5) + fraction[0]
                        positions[at, 1] = y - BORDER + np.float32(0.5) + fraction[1]
                        positions[at, 2] = z - BORDER + np.float32(0.5) + fraction[2]
                        materials[at] = _cell_material(voxels, x, y, z)
                        normals[at] = 0
                        at += 1
        _emit_quads(voxels, transparent, index, first_quad[i], positions, normals, quads, quad_materials)
        for vertex in range(first_vertex[i], at):
            length = np.sqrt((normals[vertex].astype(np.float64) ** 2).sum())
            if length > 0:
                normals[vertex] = normals[vertex] / length
            else:
                normals[vertex, 2] = 1


@kernel
def _diagonal(corners, axis, direction):
    """0 to split a quad along corners 0 and 2, 1 along 1 and 3: both triangles must face the edge's outside; where
    both splits do that, the shorter one. One always does, since the ring goes once about the edge."""
    best, best_length = 0, np.float32(np.inf)
    for turn in range(2):
        a, b, c, d = corners[turn], corners[turn + 1], corners[turn + 2], corners[(turn + 3) % 4]
        diagonal = c - a
        if np.cross(b - a, diagonal)[axis] * direction > 0 and np.cross(diagonal, d - a)[axis] * direction > 0:
            length = (diagonal**2).sum()
            if length < best_length:
                best, best_length = turn, length
    return best


@kernel
def _emit_quads(voxels, transparent, index, at, positions, normals, quads, quad_materials):
    """Write the quads that the chunk owns from row at on, and add to the vertices' normals the area of every quad
    about them, the neighbour chunks' too."""
    ring = np.empty(4, np.int64)
    corners = np.empty((4, 3), np.float32)
    for x in range(BORDER - 1, BORDER + _N + 1):
        for y in range(BORDER - 1, BORDER + _N + 1):
            for z in range(BORDER - 1, BORDER + _N + 1):
                for axis in range(3):
                    voxel, direction = _covered_voxel(voxels, transparent, axis, x, y, z)
                    if direction == 0:
                        continue
                    for k in range(4):
                        cx, cy, cz = _ring_cell(axis, k if direction > 0 else 3 - k, x, y, z)
                        fraction = _cell_fraction(voxels, transparent, cx, cy, cz)
                        corners[k, 0], corners[k, 1], corners[k, 2] = (
                            cx + fraction[0],
                            cy + fraction[1],
                            cz + fraction[2],
                        )
                        ring[k] = index[cx, cy, cz]
                    first, second = corners[2] - corners[0], corners[3] - corners[1]
                    area = np.cross(first, second)
                    for k in range(4):
                        if ring[k] >= 0:
                            normals[ring[k]] += area
                    low, high = BORDER, BORDER + _N
                    if low <= x < high and low <= y < high and low <= z < high:
                        turn = _diagonal(corners, axis, direction)
                        for k in range(4):
                            quads[at, k] = ring[(k + turn) % 4]
                        quad_materials[at] = voxel >> MATERIAL_SHIFT
                        at += 1
