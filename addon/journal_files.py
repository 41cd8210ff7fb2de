# SPDX-License-Identifier: GPL-3.0-or-later
"""Journals in the user's folder, one a session: what is not in a saved file is there, when Blender crashes and when it
saves by itself, of which it tells nobody. No bpy here.

While a journal has what no saved file has, an empty file of the same name marks it; a session that ends in good order
takes the mark away. A session's own journal is locked: one that is marked and not locked is what a crash left.
"""

import os
import sys
import time
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..voxel.errors import VoxelwrightError
from ..voxel.journal import HEADER, Recovered, read_journal, snapshot_record
from ..voxel.limits import MAX_JOURNAL_BYTES, MAX_JOURNAL_RECORDS

SUFFIX = ".vxj"
_MARK_SUFFIX = ".changed"

LARGE_BYTES = 1 << 29
"""After which a journal is to be begun anew."""

KEPT_SECONDS = 30 * 24 * 3600
KEPT_BYTES = 1 << 31
"""How long, and how many bytes of, journals of other sessions are kept for files that Blender saved by itself."""

Snapshot = tuple[str, int, bytes]
"""A world's id, a revision, and the world's bytes at it."""


class JournalFile:
    """The journal of this session in a folder. The file appears with the first snapshot.

    Raises OSError where the disk does not do what it should.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._path = folder
        self._n_records = 0
        self._is_synced = True
        self._is_marked = False

    @property
    def is_large(self) -> bool:
        """Whether it is time to begin anew."""
        n_bytes = self._file.tell() if self._file is not None else 0
        return n_bytes > LARGE_BYTES or self._n_records > MAX_JOURNAL_RECORDS // 2

    def begin(self, snapshots: Iterable[Snapshot], *, keep: bool) -> None:
        """Leave what there is, for other sessions to find where it is to be kept, and begin with these worlds, which a
        saved file has too."""
        self.close(keep=keep)
        for snapshot in snapshots:
            self._add(snapshot_record(*snapshot))

    def renewed(self, snapshots: Iterable[Snapshot]) -> "JournalFile":
        """Another file that goes on with these worlds, which no saved file has. Once they are on the disk, this one is
        left for other sessions to find; where they cannot be written, it is what a crash leaves."""
        new = JournalFile(self._folder)
        try:
            for snapshot in snapshots:
                new.write(snapshot_record(*snapshot))
            new.sync()
        except OSError:
            new.close(keep=False)
            raise
        self.close(keep=True)
        return new

    def write(self, record: bytes) -> None:
        """Add a record of something that no saved file has. It outlives this process from here on, and the machine from
        sync() on."""
        self._add(record)
        if not self._is_marked:
            self._path.with_suffix(_MARK_SUFFIX).touch()
            self._is_marked = True

    def _add(self, record: bytes) -> None:
        if self._file is None:
            self._open()
        assert self._file is not None
        self._file.write(record)
        self._file.flush()
        self._n_records += 1
        self._is_synced = False

    def sync(self) -> bool:
        """See to it that all is on the disk; whether anything was to be done."""
        if self._is_synced or self._file is None:
            return False
        os.fsync(self._file.fileno())
        self._is_synced = True
        return True

    def close(self, *, keep: bool) -> None:
        """Leave the file, for good or in good order."""
        file, self._file, self._n_records = self._file, None, 0
        if file is None:
            return
        with suppress(OSError):  # what could not be written was told when it was to be
            file.close()
        self._path.with_suffix(_MARK_SUFFIX).unlink(missing_ok=True)
        self._is_marked = False
        if not keep:
            self._path.unlink(missing_ok=True)

    def _open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        prune(self._folder)
        self._path = self._folder / f"{time.time_ns()}-{uuid.uuid4().hex}{SUFFIX}"
        self._file = self._path.open("xb")
        _lock(self._file)
        self._file.write(HEADER)


def crashed(folder: Path) -> list[Path]:
    """The journals whose sessions ended with changes that no file has, the newest first."""
    return [path for path in _journals(folder) if path.with_suffix(_MARK_SUFFIX).exists() and not _is_locked(path)]


def remove(path: Path) -> None:
    """Remove a journal that a crash left. Raises OSError where that cannot be."""
    path.with_suffix(_MARK_SUFFIX).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def find(folder: Path, world_id: str, revision: int) -> Recovered | None:
    """A world at a revision, from the newest journal that has it."""
    for path in _journals(folder):
        found = worlds_of(path).get(world_id)
        if found is not None and found.step_to(revision):
            return found
    return None


def worlds_of(path: Path) -> dict[str, Recovered]:
    """The worlds in a journal by their ids; none where it cannot be read."""
    try:
        if path.stat().st_size > MAX_JOURNAL_BYTES:
            return {}
        return read_journal(path.read_bytes()).worlds
    except (OSError, VoxelwrightError) as error:
        print(f"Voxelwright cannot read the journal {path}: {error}")
        return {}


def prune(folder: Path) -> None:
    """Remove what sessions left behind in good order, once it is old or takes too much room."""
    n_bytes = 0
    for path in _journals(folder):
        if path.with_suffix(_MARK_SUFFIX).exists() or _is_locked(path):
            continue
        try:
            status = path.stat()
            n_bytes += status.st_size
            if n_bytes > KEPT_BYTES or time.time() - status.st_mtime > KEPT_SECONDS:
                path.unlink()
        except OSError:
            continue


def _journals(folder: Path) -> list[Path]:
    """All journals, the newest first."""

    def changed_at(path: Path) -> float:
        try:
            return path.stat().st_mtime_ns
        except OSError:
            return 0

    return sorted(folder.glob(f"*{SUFFIX}"), key=changed_at, reverse=True)


# --- Locks. They end with the process, however that ends. ---

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 40
    """Far beyond the end: on Windows nobody can read what is locked."""

    def _lock(file: IO[bytes]) -> None:
        place = file.tell()
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        file.seek(place)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        """Raises OSError where somebody else has locked it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_locked(path: Path) -> bool:
    """Whether a session that goes on has this journal."""
    try:
        with path.open("r+b") as file:
            _lock(file)
    except OSError:
        return path.exists()
    return False
