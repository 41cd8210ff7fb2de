# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of detail: parts of a world at 1:1, 1:2, 1:4 and 1:8, that meet without a crack.

The chunks of one level are a body of their own, closed towards the other levels: where two bodies meet, each has a
wall in the plane between them. However differently the levels show the surface, a ray that leaves the one above the
other's ground meets the other's wall. Walls that the other body covers, with a margin of one coarse voxel, are left
out, so what is left hangs below the border like a skirt. Blocks make their walls themselves; a smooth surface's
vertices on the border lie where the whole level's surface has them, moved into the plane, so that slope and light go on
across it.

Each level is the world halved once more (downsample.py). A chunk of level k is 2ᵏ chunks of the world wide, so all
chunks of the world in it must be of that level.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, stage
from ..layout import (
    AIR,
    CHUNK_SHAPE,
    CHUNK_SIZE,
    FACE_AXIS,
    FACE_NORMALS,
    FACE_SIGN,
    FLAG_SMOOTH,
    MATERIAL_SHIFT,
    N_FACES,
    VOXEL_DTYPE,
)
from ..world import Chunk, Coord, World, as_chunk, new_world
from .arrays import BlockyMesh, SmoothMesh
from .blocky import mesh_blocky
from .downsample import halve
from .smooth import mesh_smooth

MAX_LEVEL = 3


@dataclass(frozen=True)
class LevelMesh:
    """The part of a world at one level: meshes whose chunks and positions count voxels of 2ᵏ voxels of the world, so
    that corners and positions times scale are in voxel space."""

    level: int
    blocky: BlockyMesh
    smooth: SmoothMesh

    @property
    def scale(self) -> int:
        return 1 << self.level


def levels_by_distance(world: World, eye: Iterable[float], distances: tuple[float, float, float]) -> dict[Coord, int]:
    """A level for every chunk of the world: blocks of 2ᵏ chunks are level k from distances[k − 1] on, in voxels from
    the eye (voxel space) to the nearest point of the block. distances ascend."""
    levels = {}
    point = np.array(tuple(eye), np.float64)
    for coord in world.coords():
        level = 0
        for k in range(MAX_LEVEL, 0, -1):
            size = CHUNK_SIZE << k
            low = np.array([c >> k for c in coord], np.float64) * size
            if np.linalg.norm(np.maximum(np.maximum(low - point, point - low - size), 0)) >= distances[k - 1]:
                level = k
                break
        levels[coord] = level
    return levels


def mesh_lod(world: World, level_of: Mapping[Coord, int], *, merge: bool = True) -> Job[list[LevelMesh]]:
    """Mesh every chunk of the world at its level, 0 where level_of has none. One LevelMesh a level in use, finest
    first; merge is mesh_blocky's.

    Raises VoxelwrightError where a level is not 0 … 3, or not one level in the whole of a chunk of that level.
    """
    regions = _regions(world, level_of)
    coarsest = max(regions, default=0)
    worlds = [world]
    share = 0.3 / max(coarsest, 1)
    for k in range(coarsest):
        worlds.append((yield from stage(halve(worlds[-1]), k * share, (k + 1) * share)))
    shown = _Shown(worlds, regions)
    meshes = []
    for i, level in enumerate(sorted(regions)):
        start, width = 0.3 + 0.7 * i / len(regions), 0.7 / len(regions)
        meshes.append((yield from stage(_mesh_level(shown, level, merge), start, start + width)))
    return meshes


def _regions(world: World, level_of: Mapping[Coord, int]) -> dict[int, set[Coord]]:
    """The chunks of each level, in that level's coordinates."""
    regions: dict[int, set[Coord]] = {}
    for coord in world.coords():
        level = level_of.get(coord, 0)
        if not 0 <= level <= MAX_LEVEL:
            raise VoxelwrightError(f"A level of detail is a number from 0 to {MAX_LEVEL}, not {level}.")
        regions.setdefault(level, set()).add(_coarser(coord, level))
    for coord in world.coords():
        level = level_of.get(coord, 0)
        for other, region in regions.items():
            if other != level and _coarser(coord, other) in region:
                raise VoxelwrightError(
                    f"All chunks within a block of {1 << other} chunks must have the level of detail {other}, "
                    f"and chunk {coord} has {level}; give each such block one level."
                )
    return regions


def _coarser(coord: Coord, levels: int) -> Coord:
    return coord[0] >> levels, coord[1] >> levels, coord[2] >> levels


def _moved(coord: Coord, offset: Iterable[int]) -> Coord:
    x, y, z = (c + int(o) for c, o in zip(coord, offset, strict=True))
    return x, y, z


class _Shown:
    """What is shown where: which level, and how much of it one does not see through."""

    def __init__(self, worlds: list[World], regions: dict[int, set[Coord]]) -> None:
        self.worlds = worlds
        self.regions = regions
        self._transparent = worlds[0].palette.transparent
        # For each level, the coordinates of which finer levels show a part, and the coarsest of those.
        self._finer_within = [
            {_coarser(coord, level - finer): finer for finer in range(level) for coord in regions.get(finer, ())}
            for level in range(MAX_LEVEL + 1)
        ]
        self._solid: dict[tuple[int, Coord], NDArray[np.bool_]] = {}

    def level_at(self, level: int, coord: Coord) -> int | None:
        """The level that shows the place of a level's chunk, or a part of it; None where nothing is shown."""
        for other in range(level, MAX_LEVEL + 1):
            if _coarser(coord, other - level) in self.regions.get(other, ()):
                return other
        return self._finer_within[level].get(coord)

    def solid(self, level: int, coord: Coord) -> NDArray[np.bool_]:
        """(32, 32, 32) bool: which voxels of a level's chunk are wholly within what is shown there as solid."""
        key = level, coord
        if key not in self._solid:
            self._solid[key] = self._find_solid(level, coord)
        return self._solid[key]

    def _find_solid(self, level: int, coord: Coord) -> NDArray[np.bool_]:
        for other in range(level, MAX_LEVEL + 1):
            above = _coarser(coord, other - level)
            if above not in self.regions.get(other, ()):
                continue
            chunk = np.broadcast_to(np.array(self.worlds[other].chunk(above), VOXEL_DTYPE), CHUNK_SHAPE)
            material = chunk >> MATERIAL_SHIFT
            solid = (material != 0) & ((chunk & FLAG_SMOOTH != 0) | ~self._transparent[material])
            factor = 1 << (other - level)
            part = CHUNK_SIZE // factor
            at = [c % factor * part for c in coord]
            solid = solid[at[0] : at[0] + part, at[1] : at[1] + part, at[2] : at[2] + part]
            return solid.repeat(factor, 0).repeat(factor, 1).repeat(factor, 2)
        solid = np.zeros(CHUNK_SHAPE, np.bool_)
        if level > 0 and self.level_at(level, coord) is not None:
            half = CHUNK_SIZE // 2
            for x, y, z in np.ndindex(2, 2, 2):
                fine = self.solid(level - 1, _moved((2 * coord[0], 2 * coord[1], 2 * coord[2]), (x, y, z)))
                octant = fine.reshape(half, 2, half, 2, half, 2).all(axis=(1, 3, 5))
                solid[x * half : (x + 1) * half, y * half : (y + 1) * half, z * half : (z + 1) * half] = octant
        return solid


def _mesh_level(shown: _Shown, level: int, merge: bool) -> Job[LevelMesh]:
    world, region = shown.worlds[level], shown.regions[level]
    body = _body(shown, level)
    blocky = yield from stage(mesh_blocky(body, merge=merge, coords=region), 0.0, 0.4)
    owners = _with_lower(region)
    smooth = yield from stage(mesh_smooth(body, coords=owners), 0.4, 0.8)
    edge = [coord for coord in owners if _borders(shown, level, coord)]
    if not edge:
        return LevelMesh(level, blocky, smooth)
    whole = yield from stage(mesh_smooth(world, coords=edge), 0.8, 1.0)
    return LevelMesh(level, blocky, _continued(smooth, whole, shown, level))


def _with_lower(region: set[Coord]) -> set[Coord]:
    """Those chunks and the ones just below them on each axis, which own the edges between the two."""
    return region | {_moved(coord, -offset) for coord in region for offset in np.eye(3, dtype=np.int64)}


def _borders(shown: _Shown, level: int, coord: Coord) -> bool:
    """Whether a level's chunk or one beside it is shown at another level."""
    around = (_moved(coord, np.array(offset) - 1) for offset in np.ndindex(3, 3, 3))
    return any(shown.level_at(level, c) not in (None, level) for c in around)


def _body(shown: _Shown, level: int) -> World:
    """The level's own chunks; beyond them air, but opaque blocks where another level covers the walls towards it."""
    world, region = shown.worlds[level], shown.regions[level]
    chunks: dict[Coord, Chunk] = {coord: world.chunk(coord) for coord in region}
    opaque = np.flatnonzero(~world.palette.transparent[1:]) + 1
    covers: dict[Coord, NDArray[np.uint16]] = {}
    for coord in region:
        for face in range(N_FACES):
            beyond = _moved(coord, FACE_NORMALS[face])
            other = shown.level_at(level, beyond)
            if beyond in region or other is None or not len(opaque):
                continue
            axis, low = FACE_AXIS[face], FACE_SIGN[face] > 0
            cover = covers.setdefault(beyond, np.full(CHUNK_SHAPE, AIR, VOXEL_DTYPE))
            layer = cover.swapaxes(0, axis)[0 if low else CHUNK_SIZE - 1]
            there = np.broadcast_to(np.array(world.chunk(beyond), VOXEL_DTYPE), CHUNK_SHAPE)
            there = there.swapaxes(0, axis)[0 if low else CHUNK_SIZE - 1]
            # No walls within water.
            layer[...] = np.where(world.palette.transparent[there >> MATERIAL_SHIFT], there, AIR)
            margin = 1 << max(other - level, 0)
            layer[_covered(shown, level, beyond, axis, low, margin)] = opaque[0] << MATERIAL_SHIFT
    chunks |= {coord: as_chunk(voxels) for coord, voxels in covers.items()}
    return new_world(chunks, world.palette, world.settings)


def _covered(shown: _Shown, level: int, beyond: Coord, axis: int, low: bool, margin: int) -> NDArray[np.bool_]:
    """(32, 32) bool, of a chunk's lowest or highest layer along axis with that swapped for axis 0: the voxels that
    are solid in what is shown there, with all within margin voxels in the layer."""
    n = CHUNK_SIZE
    wide = np.zeros((3 * n, 3 * n), np.bool_)
    for u, v in np.ndindex(3, 3):
        offset = np.array([0, u - 1, v - 1])
        offset[[0, axis]] = offset[[axis, 0]]
        layer = shown.solid(level, _moved(beyond, offset)).swapaxes(0, axis)[0 if low else n - 1]
        wide[u * n : (u + 1) * n, v * n : (v + 1) * n] = layer
    for direction in (0, 1):
        wide = np.logical_and.reduce([np.roll(wide, step, direction) for step in range(-margin, margin + 1)])
    return wide[n : 2 * n, n : 2 * n]


def _continued(smooth: SmoothMesh, whole: SmoothMesh, shown: _Shown, level: int) -> SmoothMesh:
    """smooth with its vertices near other levels where whole, the mesh of the whole level there, has them, and those on
    the border in the planes between."""
    positions, normals, moved = (
        smooth.positions.copy(),
        smooth.normals.copy(),
        np.zeros(len(smooth.positions), np.bool_),
    )
    rows = np.flatnonzero(_rows_of(smooth.coords, whole.coords)[smooth.chunk_of_vertex] >= 0)
    cells, points = _cells(smooth)[rows], smooth.world_positions()[rows]
    corners = smooth.coords[smooth.chunk_of_vertex[rows]] * CHUNK_SIZE
    found = _rows_of(cells, _cells(whole))
    known = found >= 0
    normals[rows[known]] = whole.normals[found[known]]
    # A vertex in the middle of its cell may belong to the corner of a block, and must stay.
    taken = known & (points != cells + 1).any(axis=1)
    positions[rows[taken]] = whole.world_positions()[found[taken]] - corners[taken]
    planes = _border_planes(shown, level, cells)
    positions[rows] = np.where(planes, (cells + 1 - corners).astype(np.float32), positions[rows])
    moved[rows] = taken | planes.any(axis=1)
    return _split_again(replace(smooth, positions=positions, normals=normals), _cells(smooth), moved)


def _cells(mesh: SmoothMesh) -> NDArray[np.int64]:
    """(v, 3) int64: the cell of each vertex, which lies within the cube between the centres of its samples."""
    return np.floor(mesh.world_positions() - 0.5).astype(np.int64)


def _border_planes(shown: _Shown, level: int, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(v, 3) bool: by axis, whether the two samples of a cell lie in chunks of which one is the level's and the other
    is shown at another one."""
    planes = np.zeros(cells.shape, np.bool_)
    straddles = (cells & (CHUNK_SIZE - 1)) == CHUNK_SIZE - 1
    rows = np.flatnonzero(straddles.any(axis=1))
    keys = np.concatenate([cells[rows] // CHUNK_SIZE, straddles[rows]], axis=1)
    unique, index = np.unique(keys, axis=0, return_inverse=True)
    found = np.array([_planes_about(shown, level, key) for key in unique.tolist()], np.bool_).reshape(-1, 3)
    planes[rows] = found[index.reshape(-1)]
    return planes


def _planes_about(shown: _Shown, level: int, key: list[int]) -> list[bool]:
    """_border_planes for a cell in chunk key[:3] that reaches into the next chunk on the axes where key[3:] is 1."""
    low, reaches = (key[0], key[1], key[2]), key[3:]
    levels = {}
    for corner in np.ndindex(2, 2, 2):
        if all(reach or not step for reach, step in zip(reaches, corner, strict=True)):
            levels[corner] = shown.level_at(level, _moved(low, corner))
    planes = [False] * 3
    for corner, one in levels.items():
        for axis in range(3):
            beyond = tuple(1 if a == axis else c for a, c in enumerate(corner))
            if corner[axis] == 0 and beyond in levels:
                pair = {one, levels[beyond]}
                planes[axis] |= len(pair) == 2 and level in pair and None not in pair
    return planes


def _rows_of(cells: NDArray[Any], others: NDArray[Any]) -> NDArray[np.int64]:
    """(n,) int64: for each of cells (n, 3) a row of others (m, 3) that is equal, −1 where there is none."""
    rows = np.full(len(cells), -1, np.int64)
    if len(cells) and len(others):
        _, index = np.unique(np.concatenate([cells, others]), axis=0, return_inverse=True)
        index = index.reshape(-1)
        row_of = np.full(index.max() + 1, -1, np.int64)
        row_of[index[len(cells) :]] = np.arange(len(others))
        rows = row_of[index[: len(cells)]]
    return rows


def _split_again(mesh: SmoothMesh, cells: NDArray[np.int64], moved: NDArray[np.bool_]) -> SmoothMesh:
    """mesh with those of its quads that have a moved vertex, (v,) bool, turned so that both triangles along corners 0
    and 2 face the edge's outside; cells (v, 3) are its vertices'."""
    rows = np.flatnonzero(moved[mesh.quads].any(axis=1))
    ring = mesh.quads[rows]
    around = cells[ring]
    axis = np.argmax((around == around[:, :1]).all(axis=1), axis=1)
    points = mesh.world_positions()[ring]
    flat = [np.take_along_axis(points, ((axis + k) % 3)[:, None, None], axis=2)[..., 0] for k in (1, 2)]
    centres = [np.take_along_axis(around, ((axis + k) % 3)[:, None, None], axis=2)[..., 0] for k in (1, 2)]
    facing = np.sign(_turn(centres, 0, 1, 2))
    holds = (_turn(flat, 0, 1, 2) * facing > 0) & (_turn(flat, 0, 2, 3) * facing > 0)
    quads = mesh.quads.copy()
    quads[rows[~holds]] = np.roll(ring[~holds], 1, axis=1)
    return replace(mesh, quads=quads)


def _turn(flat: list[NDArray[Any]], a: int, b: int, c: int) -> NDArray[Any]:
    """Twice the signed area of the triangles between columns a, b and c of points in the plane, two arrays (n, 4)."""
    u, v = flat
    return (u[:, b] - u[:, a]) * (v[:, c] - v[:, a]) - (v[:, b] - v[:, a]) * (u[:, c] - u[:, a])
