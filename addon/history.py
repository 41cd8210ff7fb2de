# SPDX-License-Identifier: GPL-3.0-or-later
"""A world in memory, and how it came to be what it is. No bpy here."""

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from ..voxel.layout import CHUNK_VOXELS, VOXEL_DTYPE
from ..voxel.palette import Palette
from ..voxel.world import Chunk, Coord, Edit, World, content, edit_of_chunks, same_chunk

_CHUNK_BYTES = CHUNK_VOXELS * VOXEL_DTYPE.itemsize


class Frame(NamedTuple):
    """A frame of an animation: its phase, and whether it lacks what takes long."""

    phase: float
    reduced: bool


@dataclass
class History:
    """A world since it was loaded, at the revision first: edits in effect, and edits that can be redone."""

    world: World
    first: int = 0
    applied: deque[Edit] = field(default_factory=deque)
    undone: list[Edit] = field(default_factory=list)
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

    @property
    def revision(self) -> int:
        return self.first + len(self.applied)

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
        if self.saved is not None and self.saved[0] > self.revision:
            self.saved = None  # of what had been undone: its revision will be another world's now
        self.n_bytes += held_bytes(edit) - sum(map(held_bytes, self.undone))
        self.undone.clear()
        self.applied.append(edit)
        n_before = len(self.applied)
        while self.n_bytes > max_bytes and len(self.applied) > 1:
            self.n_bytes -= held_bytes(self.applied.popleft())
            self.first += 1
        return len(self.applied) < n_before

    def walk_to(self, revision: int) -> bool:
        """Undo or redo up to a revision, as far as edits are kept; whether anything was to be done."""
        self.uncover()
        before = self.revision
        while self.revision > revision and self.applied:
            self.undone.append(self.applied.pop())
            self.world.apply(self.undone[-1].inverse())
        while self.revision < revision and self.undone:
            self.applied.append(self.undone.pop())
            self.world.apply(self.applied[-1])
        return self.revision != before


def held_bytes(edit: Edit) -> int:
    """The bytes of voxels that an edit keeps in memory: of each chunk one state that the world itself does not have."""
    return sum(_CHUNK_BYTES for d in edit.deltas if not (isinstance(d.before, int) and isinstance(d.after, int)))
