# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what happens to worlds into this session's journal. Whatever the disk does, editing goes on."""

from collections.abc import Callable, Iterable
from pathlib import Path

import bpy

from ..voxel.journal import edit_record, snapshot_record, step_record
from ..voxel.storage import world_to_bytes
from . import files
from .history import History, Step
from .journal_files import JournalFile, Snapshot

SYNC_SECONDS = 2.0
"""A crash of the machine, not of Blender alone, may lose what was done in this time."""


def folder() -> Path:
    """Where journals are. Raises OSError where that cannot be made."""
    return files.user_folder("journals")


class Recorder:
    """The journal of this session. In the background nothing is recorded, unless is_on is set: a script knows what it
    saves."""

    def __init__(self) -> None:
        self.is_on = not bpy.app.background
        self.problem = ""
        """Why nothing is recorded any more, or ""."""

        self._file: JournalFile | None = None
        self._known: dict[str, set[int]] = {}
        """By world, the revisions that the journal has."""
        self._in_effect: dict[str, int] = {}
        """By world, the revision that the journal is at."""

    def begin(self, snapshots: Iterable[Snapshot], *, keep: bool) -> None:
        """Begin a new journal, with worlds that a saved file has too; the one before is left to other sessions to find,
        or removed."""
        self.problem = ""
        found = list(snapshots)
        self._guarded(lambda file: file.begin(found, keep=keep))
        self._knows_only(found)

    def know(self, world_id: str, history: History) -> None:
        """Record a world as it is now, where the journal does not have it so."""
        if self.is_on and self._in_effect.get(world_id) != history.revision:
            self._write(snapshot_record(*snapshot_of(world_id, history)))
            self._is_at(world_id, history.revision)

    def edited(self, world_id: str, step: Step) -> None:
        """Record an edit of a known world."""
        if self.is_on:
            self._write(edit_record(world_id, self._in_effect[world_id], *step))
            self._is_at(world_id, step.revision)

    def walked(self, world_id: str, way: list[Step]) -> None:
        """Record that undo or redo have gone this way."""
        if not (self.is_on and way and world_id in self._known):
            return
        if way[-1].revision in self._known[world_id]:
            self._write(step_record(world_id, way[-1].revision))
            self._is_at(world_id, way[-1].revision)
        else:  # back to before the journal began
            for step in way:
                self.edited(world_id, step)

    def shorten(self, histories: dict[str, History]) -> None:
        """Go on in a new journal, with all known worlds as they are, where this one has become large."""
        if self.problem or self._file is None or not self._file.is_large:
            return
        found = [snapshot_of(world_id, histories[world_id]) for world_id in self._known.keys() & histories.keys()]

        def renew(file: JournalFile) -> None:
            self._file = file.renewed(found)

        self._guarded(renew)
        self._knows_only(found)

    def _knows_only(self, snapshots: Iterable[Snapshot]) -> None:
        self._known.clear()
        self._in_effect.clear()
        for world_id, revision, _ in snapshots:
            self._is_at(world_id, revision)

    def _is_at(self, world_id: str, revision: int) -> None:
        self._known.setdefault(world_id, set()).add(revision)
        self._in_effect[world_id] = revision

    def close(self, *, keep: bool) -> None:
        """End the journal."""
        self._guarded(lambda file: file.close(keep=keep))
        self._file = None
        self._knows_only([])
        if bpy.app.timers.is_registered(self._sync):
            bpy.app.timers.unregister(self._sync)

    def _write(self, record: bytes) -> None:
        self._guarded(lambda file: file.write(record))
        if not bpy.app.timers.is_registered(self._sync):
            bpy.app.timers.register(self._sync, first_interval=SYNC_SECONDS, persistent=True)

    def _sync(self) -> float | None:
        self._guarded(lambda file: file.sync())
        return None

    def _guarded(self, act: Callable[[JournalFile], object]) -> None:
        """Do something with the file; after a failure nothing more, until the next beginning."""
        if not self.is_on or self.problem:
            return
        try:
            if self._file is None:
                self._file = JournalFile(folder())
            act(self._file)
        except OSError as error:
            self.problem = (
                f"Edits are not kept for a crash: the journal cannot be written ({error.strerror or error}). Save your "
                "file, and make room on the disk."
            )
            print(f"Voxelwright: {self.problem}")


def snapshot_of(world_id: str, history: History) -> Snapshot:
    """A world as it is now, from bytes that were made of it before where there are such."""
    if history.saved is None or history.saved[0] != history.revision:
        history.saved = history.revision, world_to_bytes(history.own_world())
    return world_id, *history.saved
