# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshers' quads as one indexed mesh: shared vertices, polygons, unique edges.

Vertices are welded by what they are on the grid, never by how close they lie: corners of blocks by lattice point,
vertices of smooth surfaces by their cell. So the mesh has the topology that the mesher meant, and the copies of a
vertex on both sides of a chunk border become one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress
from ..kernels import kernel
from ..layout import (
    CHUNK_SIZE,
    FACE_U_AXIS,
    FACE_V_AXIS,
    N_MATERIALS,
    QUAD_FACE_SHIFT,
    QUAD_HEIGHT_SHIFT,
    QUAD_MATERIAL_SHIFT,
    QUAD_TRIANGLES,
    QUAD_WIDTH_SHIFT,
    QUAD_Y_SHIFT,
    QUAD_Z_SHIFT,
    quad_corner_offsets,
)
from ..limits import MAX_BAKED_CHUNK_COORD
from .arrays import BlockyMesh, SmoothMesh

# A point's key: 18 bits each for x, y and z, counted from −2¹⁷, and above them 8 bits for the body that it is part of.
_COORD_BITS = 18
_COORD_MASK = (1 << _COORD_BITS) - 1
_COORD_OFFSET = 1 << (_COORD_BITS - 1)
_BODY_SHIFT = 3 * _COORD_BITS

_OFFSETS = quad_corner_offsets()


@dataclass(frozen=True)
class IndexedMesh:
    """Polygons of k corners each (4 for blocks, 3 for smooth surfaces), counter-clockwise from outside.

    positions (v, 3) float32 in voxel space. corners (p, k) int32: the vertex of each corner. materials (p,) uint8.
    uvs (p, k, 2) float32, in voxels. normals (v, 3) float32, unit; None where every polygon is flat.
    """

    positions: NDArray[np.float32]
    corners: NDArray[np.int32]
    materials: NDArray[np.uint8]
    uvs: NDArray[np.float32]
    normals: NDArray[np.float32] | None


@dataclass(frozen=True)
class WeldedMeshes:
    """Both meshes of a world, ready for a bake; None where there is nothing of the kind."""

    blocks: IndexedMesh | None
    smooth: IndexedMesh | None

    @property
    def n_polygons(self) -> int:
        return sum(len(mesh.corners) for mesh in (self.blocks, self.smooth) if mesh is not None)


def weld(blocky: BlockyMesh, smooth: SmoothMesh, transparent: NDArray[np.bool_]) -> Job[WeldedMeshes]:
    """Weld both meshes of a world; transparent is that of weld_blocky()."""
    yield Progress(0.0, "Joining blocks")
    blocks = weld_blocky(blocky, transparent) if len(blocky.quads) else None
    yield Progress(0.6, "Joining smooth surfaces")
    return WeldedMeshes(blocks, weld_smooth(smooth) if len(smooth.quads) else None)


def weld_blocky(mesh: BlockyMesh, transparent: NDArray[np.bool_]) -> IndexedMesh:
    """The quads of blocks, vertices shared by lattice point; UVs are the voxel coordinates along the face's U and V.

    transparent (256,) bool says which materials one sees through. Each of those is a body of its own that shares no
    vertices with others: two kinds of glass that touch both show a face there, and a mesh must not have two polygons
    with the same vertices. Raises VoxelwrightError where the world reaches too far.
    """
    _check_extent(mesh.coords)
    n = len(mesh.quads)
    bodies = np.where(transparent, np.arange(N_MATERIALS), 0)
    keys = np.empty((n, 4), np.int64)
    materials = np.empty(n, np.uint8)
    uvs = np.empty((n, 4, 2), np.float32)
    origins = mesh.coords.astype(np.int64) * CHUNK_SIZE
    _blocky_corners(mesh.quads.view(np.int64), mesh.chunk_of_quad, origins, bodies, keys, materials, uvs)
    first, index = number_keys(keys.reshape(-1))
    return IndexedMesh(
        _key_points(keys.reshape(-1)[first]).astype(np.float32), index.reshape(n, 4), materials, uvs, None
    )


def weld_smooth(mesh: SmoothMesh) -> IndexedMesh:
    """The triangles of smooth surfaces, vertices shared by cell; UVs are the voxel coordinates along U and V of the
    axis that each triangle faces most, the first of several.

    Raises VoxelwrightError where the world reaches too far.
    """
    _check_extent(mesh.coords)
    points = mesh.world_positions()
    # A cell's vertex lies strictly within the cube between the centres of its 8 samples.
    cells = np.floor(points - 0.5).astype(np.int64) + _COORD_OFFSET
    first, index = number_keys(cells[:, 0] << 2 * _COORD_BITS | cells[:, 1] << _COORD_BITS | cells[:, 2])
    triangles = index[mesh.quads][:, QUAD_TRIANGLES].reshape(-1, 3)
    points = points[first]
    uvs = np.empty((len(triangles), 3, 2), np.float32)
    _smooth_uvs(points, triangles, uvs)
    return IndexedMesh(
        points.astype(np.float32), triangles, np.repeat(mesh.quad_materials, 2), uvs, mesh.normals[first]
    )


def unique_edges(corners: NDArray[np.int32], n_vertices: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The edges of polygons with corners (p, k): their vertices (e, 2) int32, the lower first, and (p, k) int32 the
    edge from each corner to the next of its polygon."""
    edges = np.empty((corners.size, 2), np.int32)
    corner_edges = np.empty(corners.shape, np.int32)
    return edges[: _unique_edges(corners, n_vertices, edges, corner_edges)], corner_edges


def number_keys(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct keys in the order of their first occurrence.

    keys is (n,) int64, not negative. Returns first (m,) int32, where each distinct key first occurs, and index (n,)
    int32, the number of each key: keys[first][index] == keys. 4 M keys, 1 M of them distinct, take 0.2 s on one
    2.5 GHz core.
    """
    if len(keys) > np.iinfo(np.int32).max:
        raise VoxelwrightError("The mesh has more than 2,147,483,647 corners; bake a smaller world.")
    first = np.empty(len(keys), np.int32)
    index = np.empty(len(keys), np.int32)
    return first[: _number_keys(keys, first, index)].copy(), index


def _check_extent(coords: NDArray[np.int32]) -> None:
    if np.abs(coords).max(initial=0) > MAX_BAKED_CHUNK_COORD:
        reach = MAX_BAKED_CHUNK_COORD * CHUNK_SIZE
        raise VoxelwrightError(
            f"Only voxels within {reach} of the origin can be baked; move those further out nearer to it."
        )


def _key_points(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n, 3) int64: the coordinates in keys (n,)."""
    return np.stack([(keys >> shift * _COORD_BITS & _COORD_MASK) - _COORD_OFFSET for shift in (2, 1, 0)], axis=1)


@kernel
def _blocky_corners(quads, chunk_of_quad, origins, bodies, keys, materials, uvs):
    """Write the key (q, 4) int64 and UV (q, 4, 2) float32 of each corner, and materials (q,) uint8, from PackedQuads
    (q,) int64, the row of each one's chunk (q,) int64, the chunks' corners (n, 3) int64 in voxels, and the body of
    each material (256,) int64."""
    low, size, point = np.empty(3, np.int64), np.empty(3, np.int64), np.empty(3, np.int64)
    for i in range(len(quads)):
        quad, chunk = quads[i], chunk_of_quad[i]
        face = quad >> QUAD_FACE_SHIFT & 7
        u, v = FACE_U_AXIS[face], FACE_V_AXIS[face]
        material = quad >> QUAD_MATERIAL_SHIFT & 255
        materials[i] = material
        low[0] = origins[chunk, 0] + (quad & 63)
        low[1] = origins[chunk, 1] + (quad >> QUAD_Y_SHIFT & 63)
        low[2] = origins[chunk, 2] + (quad >> QUAD_Z_SHIFT & 63)
        size[:] = 1
        size[u] = quad >> QUAD_WIDTH_SHIFT & 63
        size[v] = quad >> QUAD_HEIGHT_SHIFT & 63
        for k in range(4):
            key = bodies[material] << _BODY_SHIFT
            for axis in range(3):
                point[axis] = low[axis] + _OFFSETS[face, k, axis] * size[axis]
                key |= (point[axis] + _COORD_OFFSET) << (2 - axis) * _COORD_BITS
            keys[i, k] = key
            uvs[i, k, 0] = point[u]
            uvs[i, k, 1] = point[v]


@kernel
def _smooth_uvs(points, triangles, uvs):
    """Write the UV (t, 3, 2) float32 of each corner of triangles (t, 3) int32 between points (v, 3) float64."""
    for i in range(len(triangles)):
        p, q, r = points[triangles[i, 0]], points[triangles[i, 1]], points[triangles[i, 2]]
        best, best_area = 0, -1.0
        for axis in range(3):
            b, c = (axis + 1) % 3, (axis + 2) % 3
            area = abs((q[b] - p[b]) * (r[c] - p[c]) - (q[c] - p[c]) * (r[b] - p[b]))
            if area > best_area:
                best, best_area = axis, area
        u, v = FACE_U_AXIS[2 * best], FACE_V_AXIS[2 * best]
        for k in range(3):
            uvs[i, k, 0] = points[triangles[i, k], u]
            uvs[i, k, 1] = points[triangles[i, k], v]


@kernel
def _number_keys(keys, first, index):
    """Write first and index of number_keys(), both (n,) int32; return how many keys are distinct.

    A hash table with open addressing, of rows (key, number), grown fourfold when half full.
    """
    table = np.full((1024, 2), -1, np.int64)
    n = 0
    for i in range(len(keys)):
        slot = _find(table, keys[i])
        if table[slot, 1] < 0:
            table[slot, 0], table[slot, 1] = keys[i], n
            first[n] = i
            n += 1
        index[i] = table[slot, 1]
        if 2 * n > len(table):
            table = np.full((4 * len(table), 2), -1, np.int64)
            for j in range(n):
                slot = _find(table, keys[first[j]])
                table[slot, 0], table[slot, 1] = keys[first[j]], j
    return n


@kernel
def _find(table, key):
    """The row of table (a power of two rows) that holds key, or the empty one where it belongs."""
    mixed = key * -7046029254386353131  # 2⁶⁴ divided by the golden ratio: Knuth's multiplicative hashing
    slot = (mixed ^ mixed >> 32) & (len(table) - 1)
    while table[slot, 1] >= 0 and table[slot, 0] != key:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@kernel
def _unique_edges(corners, n_vertices, edges, corner_edges):
    """Write edges (p·k, 2) int32 and corner_edges (p, k) int32 of unique_edges(); return how many edges there are.

    Edges are looked up in the row of their lower vertex, which has few: neighbouring polygons find their edges near
    each other in memory, which a hash table would scatter.
    """
    n_sides = corners.shape[1]
    row_start = np.zeros(n_vertices + 1, np.int64)
    for i in range(len(corners)):
        for k in range(n_sides):
            row_start[min(corners[i, k], corners[i, (k + 1) % n_sides]) + 1] += 1
    for vertex in range(n_vertices):
        row_start[vertex + 1] += row_start[vertex]
    row_end = row_start[:-1].copy()
    upper, number = np.empty(corners.size, np.int32), np.empty(corners.size, np.int32)
    n = 0
    for i in range(len(corners)):
        for k in range(n_sides):
            a, b = corners[i, k], corners[i, (k + 1) % n_sides]
            low, high = min(a, b), max(a, b)
            at = row_start[low]
            while at < row_end[low] and upper[at] != high:
                at += 1
            if at == row_end[low]:
                upper[at], number[at] = high, n
                edges[n, 0], edges[n, 1] = low, high
                row_end[low] += 1
                n += 1
            corner_edges[i, k] = number[at]
    return n
