# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds at half the resolution, from which levels of detail are meshed.

Eight voxels become one. It is solid where at least four of them are, so that surfaces stay where they were on
average; what is thinner than a voxel of the level goes. It is the commonest of the solid ones that touch air (of all
eight where none does), so that grass one voxel thick stays grass.
"""

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import kernel, parallel_kernel, prange
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SIZE, VOXEL_DTYPE
from ..world import Chunk, Coord, World, as_chunk, new_world
from .neighbourhood import BORDER, padded_batches

_HALF = CHUNK_SIZE // 2


def halve(world: World) -> Job[World]:
    """The world at half its resolution: its voxel (x, y, z) is about voxels 2x … 2x + 1 and so on of this one."""
    coords = world.coords()
    uniform = {coord: chunk for coord in coords if isinstance(chunk := world.chunk(coord), int)}
    dense: dict[Coord, NDArray[np.uint16]] = {}
    for coord, value in uniform.items():
        _octant(dense, coord)[...] = value
    for batch, padded, done in padded_batches(world, coords):
        halves = np.empty((len(batch), _HALF, _HALF, _HALF), VOXEL_DTYPE)
        _halve(padded, halves)
        for coord, octant in zip(batch.tolist(), halves, strict=True):
            _octant(dense, tuple(coord))[...] = octant
        yield Progress(done / len(coords), "Reducing the world's detail")
    chunks: dict[Coord, Chunk] = {coord: as_chunk(voxels) for coord, voxels in dense.items()}
    return new_world(chunks, world.palette, world.settings)


def _octant(dense: dict[Coord, NDArray[np.uint16]], coord: Coord) -> NDArray[np.uint16]:
    """The part of dense, which is extended where need be, that a chunk of the finer world becomes."""
    x, y, z = coord
    chunk = dense.setdefault((x >> 1, y >> 1, z >> 1), np.full(CHUNK_SHAPE, AIR, VOXEL_DTYPE))
    low = [(c & 1) * _HALF for c in coord]
    return chunk[low[0] : low[0] + _HALF, low[1] : low[1] + _HALF, low[2] : low[2] + _HALF]


@parallel_kernel
def _halve(padded, halves):
    """Write halves (n, 16, 16, 16) uint16 from padded chunks (n, 36, 36, 36) uint16."""
    for i in prange(len(padded)):
        voxels = padded[i]
        eight, counted = np.empty(8, np.uint16), np.empty(8, np.bool_)
        for x in range(_HALF):
            for y in range(_HALF):
                for z in range(_HALF):
                    n_solid, differ = 0, False
                    for k in range(8):
                        vx, vy, vz = _corner(x, y, z, k)
                        eight[k] = voxels[vx, vy, vz]
                        n_solid += eight[k] != AIR
                        differ |= eight[k] != eight[0]
                    if not differ:
                        halves[i, x, y, z] = eight[0]
                        continue
                    any_exposed = False
                    for k in range(8):
                        vx, vy, vz = _corner(x, y, z, k)
                        counted[k] = eight[k] != AIR and _touches_air(voxels, vx, vy, vz)
                        any_exposed |= counted[k]
                    if not any_exposed:
                        counted[:] = eight != AIR
                    halves[i, x, y, z] = _commonest(eight, counted) if n_solid >= 4 else AIR


@kernel
def _corner(x, y, z, k):
    """The k-th of the eight padded voxels that voxel (x, y, z) is made of."""
    return 2 * x + BORDER + (k >> 2), 2 * y + BORDER + (k >> 1 & 1), 2 * z + BORDER + (k & 1)


@kernel
def _touches_air(voxels, x, y, z):
    return (
        voxels[x - 1, y, z] == AIR
        or voxels[x + 1, y, z] == AIR
        or voxels[x, y - 1, z] == AIR
        or voxels[x, y + 1, z] == AIR
        or voxels[x, y, z - 1] == AIR
        or voxels[x, y, z + 1] == AIR
    )


@kernel
def _commonest(eight, counted):
    """The commonest of the counted voxels, the lowest of several."""
    best, best_count = np.int64(0), 0
    for k in range(8):
        if not counted[k]:
            continue
        count = 0
        for other in range(8):
            count += counted[other] and eight[other] == eight[k]
        if count > best_count or (count == best_count and eight[k] < best):
            best, best_count = np.int64(eight[k]), count
    return best
