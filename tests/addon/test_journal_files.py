# SPDX-License-Identifier: GPL-3.0-or-later
"""Journals in a folder: what a session that went on, ended or crashed leaves for others."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from voxelwright.addon import journal_files
from voxelwright.addon.journal_files import JournalFile
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.journal import edit_record, read_journal, snapshot_record, step_record
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import World, edit_of_chunks, new_world

PALETTE = Palette.of({1: Material("stone", (120, 120, 120)), 2: Material("grass", (60, 160, 60))})


@pytest.fixture
def world() -> World:
    return new_world({(0, 0, 0): PALETTE.voxel(1)}, PALETTE)


def _edited(world: World) -> bytes:
    """The record of an edit from revision 3 to 4."""
    return edit_record("w", 3, 4, edit_of_chunks(world, {(1, 0, 0): PALETTE.voxel(2)}))


def _begun(folder: Path, world: World) -> JournalFile:
    journal = JournalFile(folder)
    journal.begin([("w", 3, world_to_bytes(world))], keep=True)
    return journal


def test_a_changed_journal_is_a_crash_once_its_session_is_gone(tmp_path: Path, world: World) -> None:
    journal = _begun(tmp_path, world)
    assert journal_files.crashed(tmp_path) == []
    journal.write(_edited(world))
    assert journal_files.crashed(tmp_path) == []  # its session goes on
    journal._file.close()  # as the end of a process does
    (path,) = journal_files.crashed(tmp_path)
    found = journal_files.worlds_of(path)["w"]
    assert found.revision == 4
    assert finish(found.loading()).world.chunk((1, 0, 0)) == PALETTE.voxel(2)
    journal_files.remove(path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_saved_or_left_in_good_order_is_no_crash(tmp_path: Path, world: World) -> None:
    saved = _begun(tmp_path, world)
    saved._file.close()
    left = _begun(tmp_path, world)
    left.write(_edited(world))
    left.close(keep=True)
    removed = _begun(tmp_path, world)
    removed.write(_edited(world))
    removed.close(keep=False)
    assert journal_files.crashed(tmp_path) == []
    assert len(list(tmp_path.glob("*.vxj"))) == 2


def test_worlds_are_found_at_the_revision_that_is_asked_for(tmp_path: Path, world: World) -> None:
    journal = _begun(tmp_path, world)
    journal.write(_edited(world))
    journal.write(step_record("w", 3))
    for revision, n_chunks in ((3, 1), (4, 2)):
        found = journal_files.find(tmp_path, "w", revision)
        assert found is not None
        assert finish(found.loading()).world.n_chunks == n_chunks
    assert journal_files.find(tmp_path, "w", 5) is None
    assert journal_files.find(tmp_path, "other", 3) is None
    journal.close(keep=False)


def test_old_and_many_journals_go_but_not_what_is_needed(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, crashed, going_on, new = (_begun(tmp_path, world) for _ in range(4))
    crashed.write(_edited(world))
    for journal in (old, crashed, new):
        journal._file.close()
    for journal in (old, crashed, going_on):
        long_ago = time.time() - 2 * journal_files.KEPT_SECONDS
        os.utime(journal._path, (long_ago, long_ago))
    journal_files.prune(tmp_path)
    assert set(tmp_path.glob("*.vxj")) == {crashed._path, going_on._path, new._path}
    monkeypatch.setattr(journal_files, "KEPT_BYTES", 10)
    journal_files.prune(tmp_path)
    assert set(tmp_path.glob("*.vxj")) == {crashed._path, going_on._path}


def test_what_is_no_journal_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "1-a.vxj").write_bytes(b"something else")
    (tmp_path / "2-b.vxj").mkdir()
    assert journal_files.find(tmp_path, "w", 1) is None
    assert capsys.readouterr().out.count("cannot read the journal") == 2
    assert journal_files.crashed(tmp_path) == []
    assert journal_files.crashed(tmp_path / "missing") == []


@pytest.mark.parametrize("fails_at", range(12))
def test_whatever_fails_nothing_that_was_written_before_is_lost(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    """An error of the disk at the n-th write, for every n: what is there up to then is a good journal."""
    journal = _begun(tmp_path, world)
    n_writes = 0

    class Failing:
        def __init__(self, file: Any) -> None:
            self._real = file

        def write(self, data: bytes) -> int:
            nonlocal n_writes
            n_writes += 1
            if n_writes > fails_at:
                self._real.write(data[: len(data) // 2])
                self._real.flush()
                raise OSError(28, "No space left on device")
            return int(self._real.write(data))

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

    journal._file = Failing(journal._file)  # type: ignore[assignment]
    n_done = 0
    for number in range(10):
        edit = edit_of_chunks(world, {(number + 1, 0, 0): PALETTE.voxel(2)})
        try:
            journal.write(edit_record("w", 3 + number, 4 + number, edit))
        except OSError:
            break
        world.apply(edit)
        n_done += 1
    assert n_done == min(fails_at, 10)
    contents = read_journal(journal._path.read_bytes())
    assert contents.worlds["w"].revision == 3 + n_done
    assert finish(contents.worlds["w"].loading()).world.n_chunks == 1 + n_done


def test_snapshots_begin_a_journal_anew(tmp_path: Path, world: World) -> None:
    journal = _begun(tmp_path, world)
    journal.write(_edited(world))
    first = journal._path
    journal.begin([("w", 4, world_to_bytes(world))], keep=False)
    assert not first.exists()
    assert list(tmp_path.iterdir()) == [journal._path]
    assert snapshot_record("w", 4, world_to_bytes(world)) in journal._path.read_bytes()
    journal.close(keep=False)
