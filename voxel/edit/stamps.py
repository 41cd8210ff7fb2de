# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips put onto surfaces, many as one edit."""

from collections.abc import Iterable

from ..layout import FACE_AXIS, FACE_SIGN
from ..world import Coord, Edit, World
from .clipboard import Clip
from .draft import Draft
from .paste import pasted_chunks
from .selection import Selection, limited


def on_face(size: Coord, voxel: Coord, face: int) -> Coord:
    """Where the lowest voxel of a box of that size is when its middle stands on a face: voxel is the one before it."""
    axis = int(FACE_AXIS[face])
    low = [c - (n - 1) // 2 for c, n in zip(voxel, size, strict=True)]
    low[axis] = voxel[axis] if FACE_SIGN[face] > 0 else voxel[axis] - size[axis] + 1
    return (low[0], low[1], low[2])


def stamp(world: World, puts: Iterable[tuple[Clip, Coord]], within: Selection | None = None) -> Edit:
    """The edit that writes clips over world one after another, each with its box's lowest voxel at a place; of all that
    only what lies within the selection, where there is one. Materials are merged as paste() does it."""
    draft = Draft(world)
    for clip, at in puts:
        x, y, z = (a - b for a, b in zip(at, clip.low, strict=True))
        draft.palette, chunks = pasted_chunks(draft, draft.palette, clip.voxels, (x, y, z))
        draft.put(chunks)
    return draft.edit() if within is None else limited(draft.edit(), within)
