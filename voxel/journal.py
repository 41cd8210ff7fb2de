# SPDX-License-Identifier: GPL-3.0-or-later
"""What has happened to worlds, as bytes that only grow: snapshots, then edits and steps of undo and redo.

docs/formats/journal.md specifies it to the byte. Whoever keeps a journal writes HEADER, a snapshot of each world and
then a record for each thing that has happened, and keeps below the limits by beginning a new one with new snapshots.
After a crash read_journal() finds all that was written whole.
"""

import struct
import zlib
from dataclasses import dataclass, field
from typing import NamedTuple

from .errors import VoxelwrightError
from .jobs import Job, Progress, stage
from .limits import (
    MAX_JOURNAL_BYTES,
    MAX_JOURNAL_RECORDS,
    MAX_JOURNAL_WORLDS,
    MAX_WORLD_CHUNKS,
    MAX_WORLD_HEAD_BYTES,
    MAX_WORLD_ID_LETTERS,
)
from .palette import Palette
from .settings import Settings
from .storage import Loaded, reading
from .storage.chunks import ENTRY_BYTES, Entry, pack_entry, table_from_bytes, table_to_bytes, unpack_entry
from .storage.head import damaged, head_from_bytes, head_to_bytes
from .world import Chunk, Coord, Edit, edit_of_chunks

MAJOR = 1
MINOR = 1

_MAGIC = b"VOXELJNL"
_HEADER = struct.Struct("<8sHHI")  # magic, major, minor, CRC-32 of all before it
_RECORD = struct.Struct("<QI")  # bytes of the body, CRC-32 of them and of the body
_SNAPSHOT, _EDIT, _STEP = range(1, 4)
_REVISION = struct.Struct("<q")
_EDIT_HEAD = struct.Struct("<qqII")  # revisions before and after, bytes of palette and settings, chunks

_CHUNKS_A_SLICE = 64
_EDITS_A_SLICE = 1000
"""How much is done between two reports of progress: some 20 ms."""

_VERSION = struct.pack("<8sHH", _MAGIC, MAJOR, MINOR)
HEADER = _VERSION + struct.pack("<I", zlib.crc32(_VERSION))
"""The first bytes of a journal."""


# --- Writing ------------------------------------------------------------------------------------------------------


def snapshot_record(world_id: str, revision: int, data: bytes) -> bytes:
    """A world as a whole, its bytes as storage writes them; it is at that revision from here on."""
    return _record(_SNAPSHOT, world_id, _REVISION.pack(revision), data)


def edit_record(world_id: str, before: int, after: int, edit: Edit) -> bytes:
    """An edit that took the world from one revision, at which it was, to another that it has never had."""
    same = (edit.palette_before, edit.settings_before) == (edit.palette_after, edit.settings_after)
    head = b"" if same else head_to_bytes(edit.palette_after, edit.settings_after)
    entries: list[Entry] = []
    parts: list[bytes] = []
    n_bytes = 0
    for delta in sorted(edit.deltas, key=lambda delta: delta.coord):
        entry, packed = pack_entry(delta.coord, delta.after, n_bytes)
        n_bytes = entry.end
        entries.append(entry)
        parts.append(packed)
    edit_head = _EDIT_HEAD.pack(before, after, len(head), len(entries))
    return _record(_EDIT, world_id, edit_head, head, table_to_bytes(entries), *parts)


def step_record(world_id: str, revision: int) -> bytes:
    """The revision that is in effect after steps of undo or redo."""
    return _record(_STEP, world_id, _REVISION.pack(revision))


def _record(kind: int, world_id: str, *parts: bytes) -> bytes:
    name = world_id.encode("ascii")
    if not 1 <= len(name) <= MAX_WORLD_ID_LETTERS:
        raise ValueError(f"a world's id has 1 to {MAX_WORLD_ID_LETTERS} letters")
    parts = (bytes((kind, len(name))), name, *parts)
    length = struct.pack("<Q", sum(map(len, parts)))
    check = zlib.crc32(length)
    for part in parts:
        check = zlib.crc32(part, check)
    return b"".join((length, struct.pack("<I", check), *parts))


# --- Reading ------------------------------------------------------------------------------------------------------


class _State(NamedTuple):
    """A world at a revision: a snapshot, or an edit of an earlier state. It shares the journal's bytes."""

    revision: int
    before: int | None
    """The earlier state's place among all states; None of a snapshot."""
    data: memoryview
    """The world, or the edit's record from the revisions on."""


@dataclass(slots=True)
class Recovered:
    """A world as a journal has it last, and all other states of it that the journal has."""

    _states: list[_State] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)
    """By revision. Version 1.0 gave an undone state's to another one; the later one counts."""
    _in_effect: int = 0

    @property
    def revision(self) -> int:
        """The revision that is in effect."""
        return self._states[self._in_effect].revision

    def step_to(self, revision: int) -> bool:
        """Let another revision be in effect, whether undone or left; False, with nothing changed, where it is not
        known."""
        if revision not in self._places:
            return False
        self._in_effect = self._places[revision]
        return True

    def loading(self) -> Job[Loaded]:
        """The world at that revision. Raises VoxelwrightError where bytes with a right checksum are none of ours."""
        snapshot, edits = self._way()
        loaded = yield from stage(reading(snapshot), 0.0, 0.4)
        world, lost = loaded.world, set(loaded.damaged)
        palette, settings = world.palette, world.settings
        last: dict[Coord, tuple[Entry, memoryview]] = {}
        for i, edit in enumerate(edits):
            if i % _EDITS_A_SLICE == 0:
                yield Progress(0.4 + 0.1 * i / len(edits), "Looking through the edits")
            head, entries, payload = _parts_of_edit(edit)
            palette, settings = head or (palette, settings)
            last.update((entry.coord, (entry, payload)) for entry in entries)
        if sum(entry.start < entry.end for entry, _ in last.values()) > MAX_WORLD_CHUNKS:
            raise damaged()
        lost -= last.keys()
        chunks: dict[Coord, Chunk] = {}
        for i, (coord, (entry, payload)) in enumerate(last.items()):
            if i % _CHUNKS_A_SLICE == 0:
                yield Progress(0.5 + 0.5 * i / len(last), "Making the edits again")
            try:
                chunks[coord] = unpack_entry(entry, payload)
            except VoxelwrightError:
                lost.add(coord)
        world.apply(edit_of_chunks(world, chunks, palette, settings))
        return Loaded(world, tuple(sorted(lost)))

    def _way(self) -> tuple[memoryview, list[memoryview]]:
        """The snapshot that the state in effect goes back to, and the edits from there to it."""
        state, edits = self._states[self._in_effect], []
        while state.before is not None:
            edits.append(state.data)
            state = self._states[state.before]
        return state.data, edits[::-1]

    def _begin(self, revision: int, snapshot: memoryview) -> None:
        self._add(_State(revision, None, snapshot))

    def _advance(self, before: int, after: int, edit: memoryview) -> None:
        if before != self.revision:
            raise damaged()
        self._add(_State(after, self._in_effect, edit))

    def _add(self, state: _State) -> None:
        self._in_effect = self._places[state.revision] = len(self._states)
        self._states.append(state)


@dataclass(frozen=True, slots=True)
class JournalContents:
    """What a journal has whole: the worlds by their ids, and where its last good record ends. What comes behind is
    torn, or not to be trusted; whoever goes on writing cuts it off."""

    worlds: dict[str, Recovered]
    end: int


def read_journal(data: bytes | memoryview) -> JournalContents:
    """All that a journal has up to its first record that is torn, damaged or does not fit to those before.

    Takes time and memory by the journal's length: nothing is unfolded before a world is loaded. Raises
    VoxelwrightError where the header is no journal's or says a newer version.
    """
    view = memoryview(data)
    if len(view) < _HEADER.size or view[: len(_MAGIC)] != _MAGIC:
        raise VoxelwrightError("This is not a Voxelwright journal; there is nothing to recover in it.")
    if len(view) > MAX_JOURNAL_BYTES:
        raise VoxelwrightError(
            f"This journal is larger than {MAX_JOURNAL_BYTES >> 30} GiB, the most that is read; keep the file and ask "
            "for help."
        )
    _, major, minor, check = _HEADER.unpack_from(view)
    if major > MAJOR:
        raise VoxelwrightError(
            f"This journal has format version {major}.{minor} and this Voxelwright reads up to {MAJOR}; "
            "update Voxelwright."
        )
    if zlib.crc32(view[: _HEADER.size - 4]) != check:
        raise VoxelwrightError("This journal is damaged at its beginning; there is nothing to recover in it.")
    worlds: dict[str, Recovered] = {}
    end = _HEADER.size
    for _ in range(MAX_JOURNAL_RECORDS):
        body = _body_at(view, end)
        if body is None:
            break
        try:
            _take(worlds, body)
        except VoxelwrightError:
            break
        end += _RECORD.size + len(body)
    return JournalContents(worlds, end)


def _body_at(data: memoryview, at: int) -> memoryview | None:
    """The body of the record that begins there, or None where there is no whole one."""
    if at + _RECORD.size > len(data):
        return None
    n_bytes, check = _RECORD.unpack_from(data, at)
    start = at + _RECORD.size
    if n_bytes > len(data) - start:
        return None
    body = data[start : start + n_bytes]
    return body if zlib.crc32(body, zlib.crc32(data[at : at + 8])) == check else None


def _take(worlds: dict[str, Recovered], body: memoryview) -> None:
    """Let a record happen. Raises VoxelwrightError, with nothing changed, where it is none."""
    if len(body) < 2 or not 1 <= body[1] <= MAX_WORLD_ID_LETTERS:
        raise damaged()
    kind, start = body[0], 2 + body[1]
    world_id = bytes(body[2:start]).decode("ascii", "replace")
    rest = body[start:]
    if kind == _SNAPSHOT and len(rest) >= _REVISION.size:
        if world_id not in worlds and len(worlds) >= MAX_JOURNAL_WORLDS:
            raise damaged()
        (revision,) = _REVISION.unpack_from(rest)
        worlds.setdefault(world_id, Recovered())._begin(revision, rest[_REVISION.size :])
        return
    if world_id not in worlds:
        raise damaged()
    if kind == _EDIT and len(rest) >= _EDIT_HEAD.size:
        before, after, head_bytes, n_chunks = _EDIT_HEAD.unpack_from(rest)
        if _EDIT_HEAD.size + head_bytes + n_chunks * ENTRY_BYTES > len(rest):
            raise damaged()
        worlds[world_id]._advance(before, after, rest)
    elif kind == _STEP and len(rest) == _REVISION.size:
        if not worlds[world_id].step_to(_REVISION.unpack(rest)[0]):
            raise damaged()
    else:
        raise damaged()


def _parts_of_edit(edit: memoryview) -> tuple[tuple[Palette, Settings] | None, list[Entry], memoryview]:
    """Palette and settings where they changed, the chunks' entries, and their payload."""
    _, _, head_bytes, n_chunks = _EDIT_HEAD.unpack_from(edit)
    if head_bytes > MAX_WORLD_HEAD_BYTES or n_chunks > MAX_WORLD_CHUNKS:
        raise damaged()
    head_end = _EDIT_HEAD.size + head_bytes
    table_end = head_end + n_chunks * ENTRY_BYTES
    head = head_from_bytes(bytes(edit[_EDIT_HEAD.size : head_end])) if head_bytes else None
    return head, table_from_bytes(edit[head_end:table_end]), edit[table_end:]
