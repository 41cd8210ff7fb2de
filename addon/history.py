# SPDX-License-Identifier: GPL-3.0-or-later
"""A world in memory, and how it came to be what it is. No bpy here."""

import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from ..voxel.layout import CHUNK_VOXELS, VOXEL_DTYPE
from ..voxel.palette import Palette
from ..voxel.world import Chunk, Coord, Edit, World, content, edit_of_chunks, same_chunk

_CHUNK_BYTES = CHUNK_VOXELS * VOXEL_DTYPE.itemsize


_REVISIONS = 1 << 31
"""Revisions are from 0 up to here: Blender's int properties hold no more."""


class Step(NamedTuple):
    """An edit, and the revision that it leads to."""

    revision: int
    edit: Edit


class Frame(NamedTuple):
    """A frame of an animation: its phase, and whether it lacks what takes long."""

    phase: float
    reduced: bool


@dataclass
class History:
    """A world since it was loaded, at the revision first: edits in effect, and edits that can be redone.

    A revision is the name of one state. None comes twice, not after undo either, so that a file which Blender saved by
    itself is never taken for another state. Each session counts from a number of its own.
    """

    world: World
    first: int = 0
    applied: deque[Step] = field(default_factory=deque)
    undone: list[Step] = field(default_factory=list)
    """The next to be redone is the last."""

    covered: dict[Coord, Chunk] = field(default_factory=dict)
    """The world's own chunks where others are shown over them: a frame of an animation, or what a tool will do."""

    covered_palette: Palette | None = None
    """The world's own palette where another is shown with them."""

    frame: Frame | None = None
    """The frame of an animation that is shown."""

    saved: tuple[int, bytes] | None = None
    """A revision, and the world's bytes at it."""

    n_bytes: int = 0
    """What the edits hold of voxels beside the world."""

    _last: int = field(init=False)
    """The revision that was given last."""

    def __post_init__(self) -> None:
        self._last = self.first + uuid.uuid4().int % (_REVISIONS // 2)

    @property
    def revision(self) -> int:
        return self.applied[-1].revision if self.applied else self.first

    def show(self, edit: Edit, frame: Frame | None = None) -> None:
        """Show something else, by the edit from what is seen to it. It is neither undone nor saved."""
        palette = self.covered_palette or self.world.palette
        self.world.apply(edit)
        self.frame = frame
        self.covered_palette = palette if palette != self.world.palette else None
        for delta in edit.deltas:
            own = self.covered.pop(delta.coord, delta.before)
            if not same_chunk(own, delta.after):
                self.covered[delta.coord] = own

    def uncover(self) -> None:
        """Show the world itself."""
        edit = edit_of_chunks(self.world, self.covered, self.covered_palette)
        if edit:
            self.world.apply(edit)
        self.covered.clear()
        self.covered_palette = self.frame = None

    def own_world(self) -> World:
        """The world without what is shown over it; a copy where that is anything."""
        if not self.covered and self.covered_palette is None:
            return self.world
        copy = World()
        copy.apply(content(self.world))
        copy.apply(edit_of_chunks(copy, self.covered, self.covered_palette))
        return copy

    def commit(self, edit: Edit, max_bytes: int) -> bool:
        """Apply an edit, after which nothing can be redone. The oldest edits are forgotten where all of them hold more
        than so many bytes; whether any was. The last one stays."""
        self.uncover()
        self.world.apply(edit)
        self.n_bytes += held_bytes(edit) - sum(held_bytes(step.edit) for step in self.undone)
        self.undone.clear()
        self._last = (self._last + 1) % _REVISIONS
        self.applied.append(Step(self._last, edit))
        n_before = len(self.applied)
        while self.n_bytes > max_bytes and len(self.applied) > 1:
            self.first, forgotten = self.applied.popleft()
            self.n_bytes -= held_bytes(forgotten)
        return len(self.applied) < n_before

    def walk_to(self, revision: int) -> list[Step]:
        """Undo or redo up to a revision; to the oldest that is kept where this one is not. The way there, as edits."""
        self.uncover()
        way = []
        is_undone = any(step.revision == revision for step in self.undone)
        while is_undone and self.revision != revision:
            self.applied.append(self.undone.pop())
            way.append(self.applied[-1])
        while self.applied and self.revision != revision:
            self.undone.append(self.applied.pop())
            way.append(Step(self.revision, self.undone[-1].edit.inverse()))
        for step in way:
            self.world.apply(step.edit)
        return way


def held_bytes(edit: Edit) -> int:
    """The bytes of voxels that an edit keeps in memory: of each chunk one state that the world itself does not have."""
    return sum(_CHUNK_BYTES for d in edit.deltas if not (isinstance(d.before, int) and isinstance(d.after, int)))
