# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshers' quads as one indexed mesh: shared vertices, polygons, unique edges.

Vertices are welded by what they are on the grid, never by how close they lie: corners of blocks by lattice point,
vertices of smooth surfaces by their cell. So the mesh has the topology that the mesher meant, and the copies of a
vertex on both sides of a chunk border become one.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress
from ..kernels import kernel
from ..layout import (
    CHUNK_SIZE,
    FACE_CORNERS_UV,
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
    unpack_quads,
)
from ..limits import MAX_BAKED_CHUNK_COORD
from .arrays import BlockyMesh, SmoothMesh
from .crackfree import Polygons
from .crackfree import crack_free as polygons_of
from .numbering import number_keys

# A point's key: 18 bits each for x, y and z, counted from −2¹⁷, and above them 8 bits for the body that it is part of.
_COORD_BITS = 18
_COORD_MASK = (1 << _COORD_BITS) - 1
_COORD_OFFSET = 1 << (_COORD_BITS - 1)
_BODY_SHIFT = 3 * _COORD_BITS

_OFFSETS = quad_corner_offsets()

FULL_LIGHT = 3
"""The light of a corner that nothing darkens."""


@dataclass(frozen=True)
class IndexedMesh:
    """Polygons, counter-clockwise from outside.

    positions (v, 3) float32 in voxel space. starts (p,) int32: the first corner of each polygon, whose corners reach to
    the next one's. corners (c,) int32: the vertex of each corner. materials (p,) uint8. uvs (c, 2) float32, in voxels.
    normals (v, 3) float32, unit; None where every polygon is flat. light (c,) float32: ambient light at the corners, 0
    to 1; None for full light everywhere.
    """

    positions: NDArray[np.float32]
    starts: NDArray[np.int32]
    corners: NDArray[np.int32]
    materials: NDArray[np.uint8]
    uvs: NDArray[np.float32]
    normals: NDArray[np.float32] | None = None
    light: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class WeldedMeshes:
    """Both meshes of a world, ready for a bake; None where there is nothing of the kind."""

    blocks: IndexedMesh | None
    smooth: IndexedMesh | None

    @property
    def n_polygons(self) -> int:
        return sum(len(mesh.starts) for mesh in (self.blocks, self.smooth) if mesh is not None)


def weld(
    blocky: BlockyMesh,
    smooth: SmoothMesh,
    transparent: NDArray[np.bool_],
    scale: int = 1,
    *,
    crack_free: bool = False,
) -> Job[WeldedMeshes]:
    """Weld both meshes of a world; transparent is that of weld_blocky(), scale how many voxels of the world one of the
    meshes' is wide. crack_free makes polygons of the quads that have all points at which they meet others, or smooth
    surfaces, among their corners."""
    yield Progress(0.0, "Joining blocks")
    blocks = None
    if len(blocky.quads):
        polygons = polygons_of(blocky, _lattice_points(smooth)) if crack_free else None
        blocks = weld_blocky(blocky, transparent, polygons)
    yield Progress(0.6, "Joining smooth surfaces")
    surface = weld_smooth(smooth) if len(smooth.quads) else None
    return WeldedMeshes(_scaled(blocks, scale), _scaled(surface, scale))


def _scaled(mesh: IndexedMesh | None, scale: int) -> IndexedMesh | None:
    if mesh is None or scale == 1:
        return mesh
    return replace(mesh, positions=mesh.positions * np.float32(scale), uvs=mesh.uvs * np.float32(scale))


def _lattice_points(smooth: SmoothMesh) -> NDArray[np.int32]:
    """The vertices of smooth surfaces that lie on the voxels' lattice, where they meet blocks."""
    points = smooth.world_positions()
    return points[(points == np.round(points)).all(axis=1)].astype(np.int32)


def weld_blocky(mesh: BlockyMesh, transparent: NDArray[np.bool_], polygons: Polygons | None = None) -> IndexedMesh:
    """The quads of blocks, or the polygons that crack_free() made of them, vertices shared by lattice point; UVs are
    the voxel coordinates along the face's U and V.

    transparent (256,) bool says which materials one sees through. Each of those is a body of its own that shares no
    vertices with others: two kinds of glass that touch both show a face there, and a mesh must not have two polygons
    with the same vertices. A quad whose light asks for the other diagonal starts at its second corner. Raises
    VoxelwrightError where the world reaches too far.
    """
    _check_extent(mesh.coords)
    bodies = np.where(transparent, np.arange(N_MATERIALS), 0)
    if polygons is None:
        starts, keys, uvs, materials, light = _quad_corners(mesh, bodies)
    else:
        starts, keys, uvs, materials, light = _polygon_corners(mesh, bodies, polygons)
    first, index = number_keys(keys)
    return IndexedMesh(_key_points(keys[first]).astype(np.float32), starts, index, materials, uvs, None, light)


_Corners = tuple[
    NDArray[np.int32], NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8], NDArray[np.float32] | None
]
"""starts (p,), and a corner's key (c,), UV (c, 2), and light (c,), with materials (p,) before the last."""


def _quad_corners(mesh: BlockyMesh, bodies: NDArray[np.int64]) -> _Corners:
    n = len(mesh.quads)
    keys = np.empty((n, 4), np.int64)
    materials = np.empty(n, np.uint8)
    uvs = np.empty((n, 4, 2), np.float32)
    origins = mesh.coords.astype(np.int64) * CHUNK_SIZE
    _blocky_corners(mesh.quads.view(np.int64), mesh.chunk_of_quad, origins, bodies, keys, materials, uvs)
    light = None
    if mesh.corner_light is not None:
        turned = mesh.splits_along_1_3()
        keys[turned] = np.roll(keys[turned], -1, axis=1)
        uvs[turned] = np.roll(uvs[turned], -1, axis=1)
        lights = (mesh.corner_light / FULL_LIGHT).astype(np.float32)
        lights[turned] = np.roll(lights[turned], -1, axis=1)
        light = lights.reshape(-1)
    return np.arange(0, 4 * n, 4, dtype=np.int32), keys.reshape(-1), uvs.reshape(-1, 2), materials, light


def _polygon_corners(mesh: BlockyMesh, bodies: NDArray[np.int64], polygons: Polygons) -> _Corners:
    fields = unpack_quads(mesh.quads)
    owner = np.repeat(np.arange(len(mesh.quads)), np.diff(polygons.offsets))
    points, face = polygons.corners.astype(np.int64), fields["face"][owner]
    rows = np.arange(len(points))
    u, v = points[rows, FACE_U_AXIS[face]], points[rows, FACE_V_AXIS[face]]
    keys = bodies[fields["material"][owner]] << _BODY_SHIFT
    for axis in range(3):
        keys |= (points[:, axis] + _COORD_OFFSET) << (2 - axis) * _COORD_BITS
    light = None
    if mesh.corner_light is not None:
        # Bilinear between the quad's own corners, whose light is exact along edges between others.
        low = mesh.corners().min(axis=1)[owner]
        at_u = (u - low[rows, FACE_U_AXIS[face]]) / fields["width"][owner]
        at_v = (v - low[rows, FACE_V_AXIS[face]]) / fields["height"][owner]
        corner_uv = FACE_CORNERS_UV[face]
        weights = np.where(corner_uv[:, :, 0] == 1, at_u[:, None], 1 - at_u[:, None])
        weights = weights * np.where(corner_uv[:, :, 1] == 1, at_v[:, None], 1 - at_v[:, None])
        light = ((weights * mesh.corner_light[owner]).sum(axis=1) / FULL_LIGHT).astype(np.float32)
    uvs = np.stack([u, v], axis=1).astype(np.float32)
    return polygons.offsets[:-1].astype(np.int32), keys, uvs, fields["material"].astype(np.uint8), light


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
        points.astype(np.float32),
        np.arange(0, triangles.size, 3, dtype=np.int32),
        triangles.reshape(-1),
        np.repeat(mesh.quad_materials, 2),
        uvs.reshape(-1, 2),
        mesh.normals[first],
    )


def unique_edges(
    starts: NDArray[np.int32], corners: NDArray[np.int32], n_vertices: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The edges of polygons, starts and corners as in IndexedMesh: their vertices (e, 2) int32, the lower first, and
    (c,) int32 the edge from each corner to the next of its polygon."""
    edges = np.empty((corners.size, 2), np.int32)
    corner_edges = np.empty(corners.shape, np.int32)
    n = _unique_edges(starts, corners, n_vertices, edges, corner_edges)
    return edges[:n], corner_edges


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
def _unique_edges(starts, corners, n_vertices, edges, corner_edges):
    """Write edges (c, 2) int32 and corner_edges (c,) int32 of unique_edges(); return how many edges there are.

    Edges are looked up in the row of their lower vertex, which has few: neighbouring polygons find their edges near
    each other in memory, which a hash table would scatter.
    """
    following = np.empty(len(corners), np.int32)
    row_start = np.zeros(n_vertices + 1, np.int64)
    for i in range(len(starts)):
        end = starts[i + 1] if i + 1 < len(starts) else len(corners)
        for k in range(starts[i], end):
            following[k] = corners[k + 1 if k + 1 < end else starts[i]]
            row_start[min(corners[k], following[k]) + 1] += 1
    for vertex in range(n_vertices):
        row_start[vertex + 1] += row_start[vertex]
    row_end = row_start[:-1].copy()
    upper, number = np.empty(len(corners), np.int32), np.empty(len(corners), np.int32)
    n = 0
    for k in range(len(corners)):
        low, high = min(corners[k], following[k]), max(corners[k], following[k])
        at = row_start[low]
        while at < row_end[low] and upper[at] != high:
            at += 1
        if at == row_end[low]:
            upper[at], number[at] = high, n
            edges[n, 0], edges[n, 1] = low, high
            row_end[low] += 1
            n += 1
        corner_edges[k] = number[at]
    return n
