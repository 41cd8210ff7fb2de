# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected voxels: found, filled, and extruded."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..kernels import kernel
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SHIFT, CHUNK_SIZE, FACE_AXIS, FACE_NORMALS, MATERIAL_SHIFT, POS_Z
from ..limits import MAX_CONNECTED_VOXELS, MAX_EXTRUSION
from ..world import Coord, Edit, World
from .actions import add, fill, paint, remove
from .dabs import throughout
from .draft import window
from .patterns import Pattern, only
from .selection import Mask, Selection, exposed_mask

_N = CHUNK_SIZE

CONNECTIONS = ("face", "material", "surface")
"""What connects voxels of one material: "face", that they lie in one plane with air before them, edge to edge;
"material", their faces; "surface", that all have air at a face and touch each other, be it by a corner."""

_ALL_AROUND = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], np.int64)
_MAX_EXITS = 60_000
"""More than the ways from a chunk's voxels to voxels of others, of the 26 about each."""


def connected(world: World, start: Coord, by: str, face: int = POS_Z, limit: int = MAX_CONNECTED_VOXELS) -> Selection:
    """The voxels of start's material that are connected to it, by one of CONNECTIONS; face is where "face" looks to.

    Empty where start itself is not of the kind that is looked for. From air, by "material", it is the hollow about
    start. Raises VoxelwrightError where there are more than limit.
    """
    if by not in CONNECTIONS:
        raise VoxelwrightError(f"Voxels are connected by one of {', '.join(CONNECTIONS)}.")
    limit = min(limit, MAX_CONNECTED_VOXELS)
    flat = [axis for axis in range(3) if axis != FACE_AXIS[face]]
    ways = {
        "face": np.concatenate([np.eye(3, dtype=np.int64)[flat], -np.eye(3, dtype=np.int64)[flat]]),
        "material": FACE_NORMALS,
        "surface": _ALL_AROUND,
    }[by]
    material = world.voxel(*start) >> MATERIAL_SHIFT
    first = (start[0] >> CHUNK_SHIFT, start[1] >> CHUNK_SHIFT, start[2] >> CHUNK_SHIFT)
    seeds = {first: [np.array([np.ravel_multi_index([c % _N for c in start], CHUNK_SHAPE)], np.int64)]}
    waiting = deque([first])
    open_in: dict[Coord, NDArray[np.bool_]] = {}
    reached: dict[Coord, NDArray[np.bool_]] = {}
    exits, stack = np.empty((_MAX_EXITS, 2), np.int64), np.empty(_N**3, np.int64)
    count = 0
    while waiting:
        coord = waiting.popleft()
        if coord not in open_in:
            open_in[coord] = _open(world, coord, material, by, face)
            reached[coord] = np.zeros(CHUNK_SHAPE, np.bool_)
        here = np.concatenate(seeds.pop(coord))
        n_new, n_exits = _flood(open_in[coord], reached[coord], here, ways, stack, exits)
        count += n_new
        if count > limit:
            raise VoxelwrightError(f"More than {limit} voxels are connected there; raise the limit or part them.")
        for code in np.unique(exits[:n_exits, 0]).tolist():
            x, y, z = np.unravel_index(code, (3, 3, 3))
            near = (coord[0] + int(x) - 1, coord[1] + int(y) - 1, coord[2] + int(z) - 1)
            if near not in seeds:
                waiting.append(near)
            seeds.setdefault(near, []).append(np.unique(exits[:n_exits][exits[:n_exits, 0] == code, 1]))
    masks: dict[Coord, Mask] = dict(reached)
    return Selection(masks)


def fill_connected(
    world: World, start: Coord, pattern: Pattern, by: str, face: int = POS_Z, limit: int = MAX_CONNECTED_VOXELS
) -> Edit:
    """The edit that gives the voxels of connected() other materials, or fills the hollow about start."""
    found = connected(world, start, by, face, limit)
    is_air = world.voxel(*start) >> MATERIAL_SHIFT == AIR
    return throughout(world, add(pattern) if is_air else paint(pattern), found)


def extrude(world: World, start: Coord, face: int, n_voxels: int, limit: int = MAX_CONNECTED_VOXELS) -> Edit:
    """The edit that pulls the connected face region about start, looking to face, out by n_voxels, or pushes it in
    where n_voxels is negative.

    Pulled out it grows voxels of its material until they meet others; pushed in the voxels behind it go, until there
    is air. Raises VoxelwrightError where that is too far, or the region too large.
    """
    if abs(n_voxels) > MAX_EXTRUSION:
        raise VoxelwrightError(f"A face may be extruded by at most {MAX_EXTRUSION} voxels at once.")
    region = connected(world, start, "face", face, limit)
    if not region or n_voxels == 0:
        return throughout(world, remove(), Selection())
    out = n_voxels > 0
    step = FACE_NORMALS[face] if out else -FACE_NORMALS[face]
    way = (int(step[0]), int(step[1]), int(step[2]))
    layer = region.shifted(way) if out else region
    taken = Selection()
    for _ in range(abs(n_voxels)):
        layer = _of_kind(world, layer, out)
        if not layer:
            break
        taken |= layer
        layer = layer.shifted(way)
    return throughout(world, fill(only(world.voxel(*start) >> MATERIAL_SHIFT)) if out else remove(), taken)


def _of_kind(world: World, selection: Selection, air: bool) -> Selection:
    """The selected voxels that are air, or those that are not."""
    masks: dict[Coord, Mask] = {}
    for coord in selection.coords():
        masks[coord] = selection.mask(coord) & _is(world, coord, air)
    return Selection(masks)


def _is(world: World, coord: Coord, air: bool) -> NDArray[np.bool_]:
    materials = np.broadcast_to(np.asarray(world.chunk(coord), np.uint16), CHUNK_SHAPE) >> MATERIAL_SHIFT
    return (materials == AIR) == air


def _open(world: World, coord: Coord, material: int, by: str, face: int) -> NDArray[np.bool_]:
    """(32, 32, 32) bool: the chunk's voxels that are of the kind that is looked for."""
    if by == "surface":
        exposed = exposed_mask(world, coord)
        if exposed is None:
            return np.zeros(CHUNK_SHAPE, np.bool_)
    materials = np.broadcast_to(np.asarray(world.chunk(coord), np.uint16), CHUNK_SHAPE) >> MATERIAL_SHIFT
    of_material = materials == material
    if by == "surface":
        return of_material & exposed
    if by == "face":
        low = [c * _N + n for c, n in zip(coord, FACE_NORMALS[face].tolist(), strict=True)]
        before = window(world, (low[0], low[1], low[2]), (low[0] + _N, low[1] + _N, low[2] + _N))
        is_solid = material != AIR
        return np.ascontiguousarray(of_material & (np.asarray(before, np.uint16) >> MATERIAL_SHIFT == AIR) & is_solid)
    return np.ascontiguousarray(of_material)


@kernel
def _flood(is_open, reached, seeds, ways, stack, exits):
    """Mark in reached (32, 32, 32) bool what can be reached from seeds (n,) int64, places in the chunk as one number,
    through is_open (32, 32, 32) bool by ways (m, 3) int64.

    Steps out of the chunk go to exits (…, 2) int64: which of the 27 chunks about it, and the place there; stack
    (32³,) int64 is scratch. Returns how many voxels were marked, and how many exits there are.
    """
    n_marked, n_exits, n_waiting = 0, 0, 0
    for seed in seeds:
        x, y, z = seed // (_N * _N), seed // _N % _N, seed % _N
        if is_open[x, y, z] and not reached[x, y, z]:
            reached[x, y, z] = True
            stack[n_waiting] = seed
            n_waiting += 1
            n_marked += 1
    while n_waiting:
        n_waiting -= 1
        place = stack[n_waiting]
        x, y, z = place // (_N * _N), place // _N % _N, place % _N
        for way in range(len(ways)):
            i, j, k = x + ways[way, 0], y + ways[way, 1], z + ways[way, 2]
            if 0 <= i < _N and 0 <= j < _N and 0 <= k < _N:
                if is_open[i, j, k] and not reached[i, j, k]:
                    reached[i, j, k] = True
                    stack[n_waiting] = (i * _N + j) * _N + k
                    n_waiting += 1
                    n_marked += 1
            else:
                exits[n_exits, 0] = ((i // _N + 1) * 3 + j // _N + 1) * 3 + k // _N + 1
                exits[n_exits, 1] = (i % _N * _N + j % _N) * _N + k % _N
                n_exits += 1
    return n_marked, n_exits
