# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground eroded where it is: by slides, and by rain."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..generate.erosion import erode
from ..generate.preset import Erosion
from ..jobs import Job
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SIZE, MATERIAL_SHIFT
from ..limits import MAX_WORLD_EDGE
from ..world import Chunk, Coord, Edit, World, as_chunk
from .draft import Draft
from .selection import Selection

_N = CHUNK_SIZE


def weather(world: World, selection: Selection, stages: Sequence[Erosion], seed: int = 0) -> Job[Edit]:
    """A job for the edit that erodes the ground of the selected columns: the topmost selected voxels of each that are
    solid. What sinks leaves air, what rises is filled with the voxel that was on top.

    Columns of the box about the selection that have no selected ground count as deep as the box, and stay as they are.
    Raises VoxelwrightError where that box is too wide.
    """
    draft = Draft(world)
    bounds = selection.bounds()
    if bounds is None:
        return draft.edit()
    low, high = bounds
    shape = (high[0] - low[0] + 1, high[1] - low[1] + 1)
    if max(shape) > MAX_WORLD_EDGE:
        raise VoxelwrightError(f"Ground is eroded within {MAX_WORLD_EDGE} voxels along x and y; select less at once.")
    tops, voxels = _ground(world, selection, low, shape)
    has_ground = voxels != AIR
    field = yield from erode((tops - low[2]).astype(np.float32), stages, seed)
    after = np.where(has_ground, np.floor(field + np.float32(0.5)).astype(np.int64) + low[2], tops)
    draft.put(_with_heights(world, low, tops, after, voxels))
    return draft.edit()


def _ground(
    world: World, selection: Selection, low: Coord, shape: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """For each column of a box (nx, ny): the height of its topmost voxel that is selected and solid, and that voxel;
    low's height and air where there is none."""
    tops, tops_voxels = np.full(shape, low[2], np.int64), np.zeros(shape, np.uint16)
    for coord in sorted(selection.coords(), key=lambda coord: -coord[2]):
        full = np.broadcast_to(np.asarray(world.chunk(coord), np.uint16), CHUNK_SHAPE)
        is_ground = (full >> MATERIAL_SHIFT != AIR) & selection.mask(coord)
        here, there = _columns(coord, low, shape)
        z = _N - 1 - is_ground[:, :, ::-1].argmax(axis=2)
        found = (is_ground.any(axis=2)[there]) & (tops_voxels[here] == AIR)
        top = np.take_along_axis(full, z[:, :, None], axis=2)[:, :, 0]
        tops[here] = np.where(found, z[there] + coord[2] * _N, tops[here])
        tops_voxels[here] = np.where(found, top[there], tops_voxels[here])
    return tops, tops_voxels


def _with_heights(
    world: World, low: Coord, tops: NDArray[np.int64], after: NDArray[np.int64], voxels: NDArray[np.uint16]
) -> dict[Coord, Chunk]:
    """The chunks in which columns' tops move from one height to another."""
    chunks: dict[Coord, Chunk] = {}
    for cx in range(low[0] // _N, (low[0] + tops.shape[0] - 1) // _N + 1):
        for cy in range(low[1] // _N, (low[1] + tops.shape[1] - 1) // _N + 1):
            here, there = _columns((cx, cy, 0), low, tops.shape)
            before, now = tops[here][:, :, None], after[here][:, :, None]
            moves = before != now
            if not moves.any():
                continue
            lowest, highest = np.minimum(before, now)[moves].min() + 1, np.maximum(before, now)[moves].max()
            for cz in range(int(lowest) // _N, int(highest) // _N + 1):
                chunk = np.array(np.broadcast_to(np.asarray(world.chunk((cx, cy, cz)), np.uint16), CHUNK_SHAPE))
                z = np.arange(cz * _N, (cz + 1) * _N)
                part = chunk[there]
                part[(z > now) & (z <= before)] = AIR
                rises = (z > before) & (z <= now) & (part >> MATERIAL_SHIFT == AIR)
                np.copyto(part, voxels[here][:, :, None], where=rises)
                chunks[cx, cy, cz] = as_chunk(chunk)
    return chunks


def _columns(coord: Coord, low: Coord, shape: tuple[int, ...]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The columns of a chunk that lie in the box of this shape from low on: as slices of the box, and of the chunk."""
    here, there = [], []
    for axis in range(2):
        start = max(low[axis], coord[axis] * _N)
        end = min(low[axis] + shape[axis], (coord[axis] + 1) * _N)
        here.append(slice(start - low[axis], end - low[axis]))
        there.append(slice(start - coord[axis] * _N, end - coord[axis] * _N))
    return tuple(here), tuple(there)
