# SPDX-License-Identifier: GPL-3.0-or-later
"""Journals: records by hand, recovery of worlds, torn and flipped bytes, and long histories of edits and undos."""

import random
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zstandard

from voxelwright.voxel import journal
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.journal import HEADER, edit_record, read_journal, snapshot_record, step_record
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.limits import MAX_WORLD_ID_LETTERS
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import World, as_chunk, content, edit_of_chunks, new_world

STONE = Palette.of({1: Material("stone", (1, 2, 3))})


def record(kind, world_id, *parts):
    """A record by hand."""
    body = bytes([kind, len(world_id)]) + world_id + b"".join(parts)
    length = struct.pack("<Q", len(body))
    return length + struct.pack("<I", zlib.crc32(length + body)) + body


def loaded(data, world_id="a"):
    return finish(read_journal(data).worlds[world_id].loading())


def applied(world, chunks, **changes):
    edit = edit_of_chunks(world, chunks, **changes)
    world.apply(edit)
    return edit


@pytest.fixture
def three_edits():
    """Records and, after each of them, the world as it then is."""
    world = new_world({(0, 0, 0): 0x0100}, STONE)
    dense = np.full(CHUNK_SHAPE, 0x0100, np.uint16)
    dense[5:9] = 0x0210
    records, worlds = [snapshot_record("a", 7, world_to_bytes(world))], [new_world({(0, 0, 0): 0x0100}, STONE)]
    changes = [
        {"chunks": {(1, 0, 0): as_chunk(dense), (-1, 2, 3): 0x0100}},
        {"chunks": {(0, 0, 0): 0}, "palette": Palette(), "settings": Settings(0.5)},
        {"chunks": {(1, 0, 0): as_chunk(dense[::-1])}},
    ]
    for i, change in enumerate(changes):
        records.append(edit_record("a", 7 + i, 8 + i, applied(world, **change)))
        copy = World()
        copy.apply(content(world))
        worlds.append(copy)
    return records, worlds


# --- What is written ----------------------------------------------------------------------------------------------


def test_records_by_hand():
    assert b"VOXELJNL\1\0\1\0" + struct.pack("<I", zlib.crc32(b"VOXELJNL\1\0\1\0")) == HEADER
    assert snapshot_record("ab", -5, b"the world") == record(1, b"ab", struct.pack("<q", -5), b"the world")
    assert step_record("ab", 1 << 40) == record(3, b"ab", struct.pack("<q", 1 << 40))
    world = World(STONE)
    edit = edit_of_chunks(world, {(0, 0, -1): 0x0105, (-1, 0, 0): 0x0100})
    columns = struct.pack("<2i2i2i2I2I", -1, 0, 0, 0, 0, -1, 0, 0, 0x0100, 0x0105)
    assert edit_record("ab", 1, 2, edit) == record(2, b"ab", struct.pack("<qqII", 1, 2, 0, 2), columns)
    dense = np.zeros(CHUNK_SHAPE, np.uint16)
    dense[0, 0, 0] = 0x0100
    edit = edit_of_chunks(world, {(4, 5, 6): as_chunk(dense)}, palette=Palette())
    written = edit_record("ab", 2, 3, edit)
    head = b'{"palette": {}, "settings": {"smoothing": 0.0, "recipe": null}}'
    frame = written[12 + 4 + 24 + len(head) + 20 :]
    entry = struct.pack("<3i2I", 4, 5, 6, len(frame), zlib.crc32(frame))
    assert written == record(2, b"ab", struct.pack("<qqII", 2, 3, len(head), 1), head, entry, frame)
    assert zstandard.decompress(frame) == struct.pack("<HHHB", 2, 0, 0x0100, 1) + bytes(4095)


def test_ids_at_the_limit_and_one_beyond():
    longest = "x" * MAX_WORLD_ID_LETTERS
    assert list(read_journal(HEADER + snapshot_record(longest, 0, b"")).worlds) == [longest]
    for world_id in ("", longest + "x"):
        with pytest.raises(ValueError, match="64 letters"):
            step_record(world_id, 0)


# --- What is recovered --------------------------------------------------------------------------------------------


def test_the_frozen_sample_is_recovered(sample_world, same_world):
    data = (Path(__file__).parent / "storage" / "samples" / "journal_1.vxj").read_bytes()
    found = read_journal(data)
    assert found.end == len(data)
    assert {name: world.revision for name, world in found.worlds.items()} == {"first": 5, "second": -1}
    world, damaged = finish(found.worlds["first"].loading())
    assert damaged == ()
    expected = World()
    expected.apply(content(sample_world))
    applied(expected, {(0, 0, 0): 0, (9, 9, 9): sample_world.chunk((4, 5, -4))}, settings=Settings(0.75))
    assert same_world(world, expected)
    assert same_world(finish(found.worlds["second"].loading()).world, World())


def test_each_record_takes_the_world_on(three_edits, same_world):
    records, worlds = three_edits
    for n, world in enumerate(worlds):
        found = read_journal(HEADER + b"".join(records[: n + 1]))
        assert found.worlds["a"].revision == 7 + n
        assert same_world(finish(found.worlds["a"].loading()).world, world)


def test_undo_redo_and_jumps(three_edits, same_world):
    records, worlds = three_edits
    data = HEADER + b"".join(records)
    for revision in (9, 8, 7, 10, 8, 9):
        data += step_record("a", revision)
        assert read_journal(data).worlds["a"].revision == revision
        assert same_world(loaded(data).world, worlds[revision - 7])


def test_what_was_undone_can_be_asked_for_after_another_edit(three_edits, same_world):
    records, worlds = three_edits
    other = edit_of_chunks(worlds[1], {(5, 5, 5): 0x0700})
    data = HEADER + b"".join(records) + step_record("a", 8) + edit_record("a", 8, 11, other)
    for revision in (10, 7, 9):
        found = read_journal(data).worlds["a"]
        assert found.step_to(revision)
        assert same_world(finish(found.loading()).world, worlds[revision - 7])
    worlds[1].apply(other)
    assert same_world(loaded(data).world, worlds[1])
    assert same_world(loaded(data + step_record("a", 10) + step_record("a", 11)).world, worlds[1])


def test_of_two_states_with_the_same_revision_the_later_counts(three_edits, same_world):
    """Version 1.0 counted the edits in effect: after undo and another edit a revision came again."""
    records, worlds = three_edits
    other = edit_of_chunks(worlds[1], {(5, 5, 5): 0x0700})
    data = HEADER + b"".join(records) + step_record("a", 8) + edit_record("a", 8, 9, other)
    found = read_journal(data).worlds["a"]
    assert found.step_to(10)  # made from the earlier 9
    assert same_world(finish(found.loading()).world, worlds[3])
    worlds[1].apply(other)
    assert same_world(loaded(data).world, worlds[1])
    assert same_world(loaded(data + step_record("a", 7) + step_record("a", 9)).world, worlds[1])


def test_a_later_snapshot_is_in_effect_and_the_states_before_it_stay(three_edits, same_world):
    records, worlds = three_edits
    data = HEADER + b"".join(records) + snapshot_record("a", 20, world_to_bytes(worlds[1]))
    assert same_world(loaded(data).world, worlds[1])
    assert same_world(loaded(data + step_record("a", 9)).world, worlds[2])
    edit = applied(World(), {})
    assert read_journal(data + edit_record("a", 10, 21, edit)).end == len(data)  # not from where the world is


def test_worlds_do_not_mix(three_edits, same_world):
    records, worlds = three_edits
    other = World(STONE)
    data = HEADER + records[0] + snapshot_record("b", 0, world_to_bytes(other)) + records[1]
    data += edit_record("b", 0, 1, applied(other, {(0, 0, 0): 0x0900})) + records[2]
    assert same_world(loaded(data, "a").world, worlds[2])
    assert same_world(loaded(data, "b").world, other)


def test_a_chunk_that_was_damaged_when_the_journal_began_is_told_until_it_is_replaced(three_edits):
    _, worlds = three_edits
    broken = bytearray(world_to_bytes(worlds[3]))
    broken[-1] ^= 1
    data = HEADER + snapshot_record("a", 0, bytes(broken))
    assert loaded(data).damaged == ((1, 0, 0),)
    edit = edit_of_chunks(worlds[3], {(1, 0, 0): 0x0300})
    world, damaged = loaded(data + edit_record("a", 0, 1, edit))
    assert damaged == ()
    assert world.chunk((1, 0, 0)) == 0x0300


# --- Torn and damaged ---------------------------------------------------------------------------------------------


def ends_of(records):
    """Where each record ends, from the header on."""
    ends = [len(HEADER)]
    for written in records:
        ends.append(ends[-1] + len(written))
    return ends


def held_to_the_good_part(found, ends, at):
    """That all records before the place are recovered and none from there on."""
    n = sum(end <= at for end in ends) - 1
    assert found.end == ends[n]
    assert [world.revision for world in found.worlds.values()] == ([6 + n] if n else [])


def test_every_truncation_is_cut_at_the_last_good_record(three_edits, outcome):
    records, _ = three_edits
    data, ends = HEADER + b"".join(records), ends_of(records)
    for length in range(len(data)):
        found = outcome(read_journal, data[:length])
        if length < len(HEADER):
            assert isinstance(found, str)
        else:
            held_to_the_good_part(found, ends, length)


def test_every_flipped_bit_is_cut_at_the_last_good_record(three_edits, outcome):
    records, _ = three_edits
    data, ends = HEADER + b"".join(records), ends_of(records)
    for i in range(8 * len(data)):
        broken = bytearray(data)
        broken[i // 8] ^= 1 << i % 8
        found = outcome(read_journal, bytes(broken))
        if i < 8 * len(HEADER):
            assert isinstance(found, str)
        else:
            held_to_the_good_part(found, ends, i // 8)


@pytest.mark.parametrize("tail", [bytes(5000), b"\xff" * 5000, b"\0" * 8 + struct.pack("<I", zlib.crc32(bytes(8)))])
def test_what_a_file_system_leaves_behind_the_end_is_cut_off(three_edits, tail):
    records, _ = three_edits
    data = HEADER + b"".join(records)
    assert read_journal(data + tail).end == len(data)


SNAPSHOT = snapshot_record("a", 0, world_to_bytes(World()))
REVISIONS = struct.pack("<qq", 0, 1)
NOT_GOOD = {
    "an unknown kind": record(4, b"a", bytes(8)),
    "no id": record(3, b"", bytes(8)),
    "an id longer than the record": record(3, b"a")[:12] + b"",
    "a long id": record(3, b"a" * 65, bytes(8)),
    "an unknown world": step_record("b", 0),
    "an edit of an unknown world": edit_record("b", 0, 1, edit_of_chunks(World(), {})),
    "a short snapshot": record(1, b"a", bytes(7)),
    "a short step": record(3, b"a", bytes(7)),
    "a long step": record(3, b"a", bytes(9)),
    "a step to a revision that never was": step_record("a", 3),
    "an edit of another revision": edit_record("a", 1, 2, edit_of_chunks(World(), {})),
    "a short edit": record(2, b"a", REVISIONS),
    "more chunks than bytes": record(2, b"a", REVISIONS, struct.pack("<II", 0, 1 << 31), bytes(100)),
    "more palette than bytes": record(2, b"a", REVISIONS, struct.pack("<II", 1 << 31, 0), bytes(100)),
    "longer than the journal": struct.pack("<QI", 1 << 63, 0) + bytes(100),
}


@pytest.mark.parametrize("name", NOT_GOOD)
def test_records_that_do_not_fit_end_the_good_part(name):
    data = HEADER + SNAPSHOT
    assert read_journal(data + NOT_GOOD[name] + SNAPSHOT).end == len(data)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "^This is not a Voxelwright journal"),
        (b"VOXELWRT" + bytes(50), "^This is not a Voxelwright journal"),
        (HEADER[:-1] + b"?", "damaged at its beginning"),
        (b"VOXELJNL\2\0\1\0????", r"version 2\.1 and this Voxelwright reads up to 1; update Voxelwright"),
    ],
)
def test_what_is_no_journal_is_refused(data, match):
    with pytest.raises(VoxelwrightError, match=match):
        read_journal(data)


LIES = {
    "a snapshot that is cut short": record(1, b"a", bytes(8), world_to_bytes(World())[:50]),
    "a palette that is none": SNAPSHOT + record(2, b"a", REVISIONS, struct.pack("<II", 2, 0), b"[]"),
    "chunks out of order": SNAPSHOT
    + record(2, b"a", REVISIONS, struct.pack("<II", 0, 2), struct.pack("<10I", 1, 0, 0, 0, 0, 0, 0, 0, 256, 256)),
}


@pytest.mark.parametrize("name", LIES)
def test_lies_with_right_checksums_are_refused_when_the_world_is_loaded(name):
    with pytest.raises(VoxelwrightError, match="damaged"):
        loaded(HEADER + LIES[name])


def test_a_chunk_that_is_none_is_told_and_the_others_load():
    columns = struct.pack("<10I", 0, 1, 0, 0, 0, 0, 4, 0, zlib.crc32(b"rock"), 0x0100)
    world, damaged = loaded(HEADER + SNAPSHOT + record(2, b"a", REVISIONS, struct.pack("<II", 0, 2), columns, b"rock"))
    assert damaged == ((0, 0, 0),)
    assert world.coords() == [(1, 0, 0)]


def test_mutated_records_with_right_checksums_are_recovered_or_refused(three_edits, seeds, mutated, outcome):
    records, _ = three_edits
    bodies = [written[12:] for written in [*records, step_record("a", 8)]]
    n_loaded = 0
    for seed in seeds(2000, 100_000):
        rng = random.Random(seed)
        which = rng.randrange(len(bodies))
        data = HEADER
        for i, original in enumerate(bodies):
            body = mutated(rng, original) if i == which else original
            length = struct.pack("<Q", len(body))
            data += length + struct.pack("<I", zlib.crc32(length + body)) + body
        found = outcome(read_journal, data)
        for world in found.worlds.values():
            n_loaded += not isinstance(outcome(lambda world: finish(world.loading()), world), str)
    assert n_loaded > 200


# --- Limits -------------------------------------------------------------------------------------------------------


def test_worlds_of_a_journal_at_the_limit_and_beyond(monkeypatch):
    monkeypatch.setattr(journal, "MAX_JOURNAL_WORLDS", 3)
    records = [snapshot_record(name, 0, b"") for name in "abcd"]
    data = HEADER + b"".join(records[:3])
    assert len(read_journal(data).worlds) == 3
    assert read_journal(data + records[0]).end == len(data + records[0])  # not one more
    assert read_journal(data + records[3]).end == len(data)


def test_records_of_a_journal_at_the_limit_and_beyond(monkeypatch):
    monkeypatch.setattr(journal, "MAX_JOURNAL_RECORDS", 3)
    data = HEADER + 3 * SNAPSHOT
    assert read_journal(data).end == len(data)
    assert read_journal(data + SNAPSHOT).end == len(data)


def test_bytes_of_a_journal_at_the_limit_and_beyond(monkeypatch):
    data = HEADER + SNAPSHOT
    monkeypatch.setattr(journal, "MAX_JOURNAL_BYTES", len(data))
    assert read_journal(data).end == len(data)
    with pytest.raises(VoxelwrightError, match="larger than 0 GiB, the most that is read; keep the file and ask"):
        read_journal(data + b"\0")


# --- Long histories -----------------------------------------------------------------------------------------------


class History:
    """A world with its edits, as a session keeps it, and the journal of what happened to it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.edits: list[tuple[int, object]] = []  # each with the revision that it leads to
        self.place = 0
        self.last = 0
        self.journal = HEADER + snapshot_record("a", 0, world_to_bytes(world))

    @property
    def revision(self) -> int:
        return self.edits[self.place - 1][0] if self.place else 0

    def edit(self, edit) -> None:
        self.world.apply(edit)
        self.last += 1
        self.journal += edit_record("a", self.revision, self.last, edit)
        self.edits[self.place :] = [(self.last, edit)]
        self.place += 1

    def go(self, place: int) -> None:
        while self.place < place:
            self.world.apply(self.edits[self.place][1])
            self.place += 1
        while self.place > place:
            self.place -= 1
            self.world.apply(self.edits[self.place][1].inverse())
        self.journal += step_record("a", self.revision)


def random_steps(rng: random.Random, history: History, random_chunk, n: int) -> Iterator[None]:
    """Edits, undos, redos and jumps, as people make them: most are edits."""
    coords = [(x, y, 0) for x in range(3) for y in range(2)]
    for _ in range(n):
        kind = rng.random()
        if kind < 0.5 or not history.edits:
            chunks = {at: rng.choice([0, random_chunk(rng)]) for at in rng.sample(coords, rng.randint(1, 2))}
            changes = {}
            if rng.random() < 0.1:
                changes = {"palette": rng.choice([STONE, Palette()]), "settings": Settings(rng.choice([0, 0.5]))}
            history.edit(edit_of_chunks(history.world, chunks, **changes))
        elif kind < 0.7:
            history.go(max(history.place - 1, 0))
        elif kind < 0.85:
            history.go(min(history.place + 1, len(history.edits)))
        else:
            history.go(rng.randrange(len(history.edits) + 1))
        yield


def test_ten_thousand_steps_agree_with_a_replay_and_with_the_journal(seeds, random_chunk, world_hash):
    n_steps = 200
    for seed in seeds(50, 2500):
        rng = random.Random(seed)
        start = new_world({(0, 0, 0): random_chunk(rng), (9, 9, 9): 0x0300}, STONE)
        history = History(start)
        hashes = {0: world_hash(start)}  # by revision
        checked = set(rng.sample(range(n_steps), 4))
        for step, _ in enumerate(random_steps(rng, history, random_chunk, n_steps)):
            now = world_hash(history.world)
            assert hashes.setdefault(history.revision, now) == now, f"step {step}"
            if step in checked:
                found = read_journal(history.journal)
                assert found.end == len(history.journal)
                assert found.worlds["a"].revision == history.revision
                world, damaged = finish(found.worlds["a"].loading())
                assert damaged == ()
                assert world_hash(world) == now, f"step {step}"
                left = rng.choice(list(hashes))
                assert found.worlds["a"].step_to(left)
                assert world_hash(finish(found.worlds["a"].loading()).world) == hashes[left], f"step {step}: {left}"
        # However torn: what is recovered is the world as it was when the last whole record was written.
        cut = rng.randrange(len(HEADER), len(history.journal))
        for world in read_journal(history.journal[:cut]).worlds.values():
            assert world_hash(finish(world.loading()).world) == hashes[world.revision]
