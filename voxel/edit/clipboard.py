# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels copied, turned, mirrored, pasted and moved."""

from dataclasses import dataclass

import numpy as np

from ..errors import VoxelwrightError
from ..jobs import Job, Progress, finish, stage
from ..layout import AIR, CHUNK_SHAPE, VOXEL_DTYPE
from ..world import Chunk, Coord, Edit, World, as_chunk, edit_of_chunks, new_world
from .actions import remove
from .dabs import doing
from .draft import CHUNKS_PER_SLICE, Draft
from .orientation import Orientation, mirror, turn
from .paste import pasting_chunks
from .selection import Selection, limited


@dataclass(frozen=True, eq=False, slots=True)
class Clip:
    """Copied voxels: a world that is never changed, and the box (low and high inclusive) that was selected. What was
    air in it is not part of the clip. Whole chunks are shared with the world that they are from."""

    voxels: World
    low: Coord
    high: Coord

    @property
    def size(self) -> Coord:
        """The box's size, in voxels."""
        x, y, z = (b - a + 1 for a, b in zip(self.low, self.high, strict=True))
        return (x, y, z)

    def oriented(self, orientation: Orientation) -> "Clip":
        """The clip turned and mirrored about the grid's origin."""
        chunks: dict[Coord, Chunk] = {}
        for coord in self.voxels.coords():
            chunk = self.voxels.chunk(coord)
            chunks[orientation.place(coord)] = chunk if isinstance(chunk, int) else as_chunk(orientation.chunk(chunk))
        return Clip(new_world(chunks, self.voxels.palette), *orientation.box(self.low, self.high))

    def mirrored(self, axis: int) -> "Clip":
        """The mirror image along an axis."""
        return self.oriented(mirror(axis))

    def turned(self, axis: int, quarters: int = 1) -> "Clip":
        """After quarter turns about an axis, from the axis after it towards the third (about z: from x towards y)."""
        return self.oriented(turn(axis, quarters))


def copy(world: World, selection: Selection) -> Clip:
    """The selected voxels. Raises VoxelwrightError where nothing is selected."""
    return finish(copying(world, selection))


def copying(world: World, selection: Selection) -> Job[Clip]:
    """The job of copy()."""
    bounds = selection.bounds()
    if bounds is None:
        raise VoxelwrightError("Nothing is selected; select the voxels to copy.")
    chunks: dict[Coord, Chunk] = {}
    coords = selection.coords()
    for n_done, coord in enumerate(coords):
        if n_done % CHUNKS_PER_SLICE == 0:
            yield Progress(n_done / len(coords), "Copying")
        mask, chunk = selection.mask(coord), world.chunk(coord)
        if mask is not True:
            full = np.broadcast_to(np.asarray(chunk, VOXEL_DTYPE), CHUNK_SHAPE)
            chunk = as_chunk(np.where(mask, full, VOXEL_DTYPE.type(AIR)))
        chunks[coord] = chunk
    return Clip(new_world(chunks, world.palette), *bounds)


def paste_clip(world: World, clip: Clip, at: Coord, within: Selection | None = None) -> Edit:
    """The edit that writes the clip over world, its box's lowest voxel at at; of that only what lies within the
    selection, where there is one. Materials are merged as paste() does it."""
    return finish(pasting(world, clip, at, within))


def pasting(world: World, clip: Clip, at: Coord, within: Selection | None = None) -> Job[Edit]:
    """The job of paste_clip()."""
    palette, chunks = yield from pasting_chunks(world, world.palette, clip.voxels, _offset(clip, at))
    edit = edit_of_chunks(world, chunks, palette)
    return edit if within is None else limited(edit, within)


def transplant(world: World, selection: Selection, clip: Clip, at: Coord) -> Edit:
    """The edit that takes the selected voxels away and then pastes the clip: what was selected moved, turned or
    mirrored, if the clip is that."""
    return finish(transplanting(world, selection, clip, at))


def transplanting(world: World, selection: Selection, clip: Clip, at: Coord) -> Job[Edit]:
    """The job of transplant()."""
    draft = Draft(world)
    gone = yield from stage(doing(world, remove(), selection), 0.0, 0.3)
    draft.put({delta.coord: delta.after for delta in gone.deltas})
    job = pasting_chunks(draft, draft.palette, clip.voxels, _offset(clip, at))
    draft.palette, chunks = yield from stage(job, 0.3, 1.0)
    draft.put(chunks)
    return draft.edit()


def move(world: World, selection: Selection, offset: Coord) -> Edit:
    """The edit that moves the selected voxels by offset, over whatever is there."""
    clip = copy(world, selection)
    x, y, z = (a + b for a, b in zip(clip.low, offset, strict=True))
    return transplant(world, selection, clip, (x, y, z))


def _offset(clip: Clip, at: Coord) -> Coord:
    x, y, z = (a - b for a, b in zip(at, clip.low, strict=True))
    return (x, y, z)
