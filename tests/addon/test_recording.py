# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded while people work in Blender, and what comes of it; and long mixtures of our steps and Blender's."""

import hashlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voxelwright.addon import journal_files, session
from voxelwright.addon.operators import recover_worlds
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import World, as_chunk, edit_of_chunks, new_world

PALETTE = Palette.of({1: Material("stone", (120, 120, 120)), 2: Material("grass", (60, 160, 60))})


def digest(world: World) -> str:
    """A hash of all that a world is."""
    return hashlib.sha256(world_to_bytes(world)).hexdigest()


def random_edit(world: World, rng: random.Random) -> Any:
    """An edit of some chunks near the origin."""
    voxels = np.random.default_rng(rng.getrandbits(32))
    chunks: dict[tuple[int, int, int], Any] = {}
    for _ in range(rng.randint(1, 3)):
        coord = rng.randint(-1, 1), rng.randint(-1, 1), 0
        noise = voxels.choice(np.array([0, PALETTE.voxel(1), PALETTE.voxel(2)], np.uint16), (32, 32, 32))
        chunks[coord] = rng.choice([0, PALETTE.voxel(1), as_chunk(noise)])
    return edit_of_chunks(world, chunks)


@pytest.fixture
def owner(blender) -> Any:
    """The empty of a small world, after the first undo steps."""
    return _new_owner(blender)


def _new_owner(blender: Any) -> Any:
    blender.ops.ed.undo_push(message="start")
    made = session.new_world_object(blender.context, "World", new_world({(0, 0, 0): PALETTE.voxel(1)}, PALETTE))
    blender.ops.ed.undo_push(message="world")
    return made


def _recorded(folder: Path, owner: Any) -> World:
    (path,) = folder.glob("*.vxj")
    return finish(journal_files.worlds_of(path)[session.world_id(owner)].loading()).world


def test_edits_undo_and_redo_are_recorded(blender, recording: Path, owner: Any) -> None:
    name, rng = owner.name, random.Random(1)
    assert digest(_recorded(recording, owner)) == digest(session.world_of(owner))
    for _ in range(5):
        session.commit(owner, random_edit(session.own_world_of(owner), rng))
        blender.ops.ed.undo_push(message="edit")
        assert digest(_recorded(recording, owner)) == digest(session.world_of(owner))
    for step in (blender.ops.ed.undo, blender.ops.ed.undo, blender.ops.ed.redo, blender.ops.ed.undo):
        step()
        owner = blender.data.objects[name]
        assert digest(_recorded(recording, owner)) == digest(session.world_of(owner))


def test_saving_begins_a_journal_that_is_no_crash(blender, recording: Path, owner: Any, tmp_path: Path) -> None:
    (marked,) = recording.glob("*.changed")
    blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    assert not marked.exists()
    (path,) = recording.iterdir()
    assert digest(_recorded(recording, owner)) == digest(session.world_of(owner))
    session.commit(owner, random_edit(session.own_world_of(owner), random.Random(2)))
    assert set(recording.iterdir()) == {path, path.with_suffix(".changed")}


def _crash(recording: Path) -> None:
    """End the session's process, as far as its journal can tell."""
    session.recorder._file._file.close()
    session.recorder._file = None


def test_what_is_done_after_undoing_further_than_the_last_save_is_recovered(
    blender, recording: Path, owner: Any, tmp_path: Path
) -> None:
    """What the journal begins with is then a later state."""
    rng, path = random.Random(7), str(tmp_path / "a.blend")
    for _ in range(5):
        _edit(blender, rng)
        blender.ops.ed.undo_push(message="edit")
    blender.ops.wm.save_as_mainfile(filepath=path)
    for step in (*3 * [blender.ops.ed.undo], blender.ops.ed.redo):
        step()
        owner = blender.data.objects["World"]
        assert digest(_recorded(recording, owner)) == digest(session.world_of(owner))
    _edit(blender, rng)
    last = digest(session.world_of(owner))
    assert digest(_recorded(recording, owner)) == last
    _crash(recording)
    blender.ops.wm.open_mainfile(filepath=path)
    recover_worlds.look_again()
    blender.ops.voxelwright.recover_worlds("EXEC_DEFAULT")
    assert digest(session.world_of(blender.data.objects["World"])) == last


def test_after_a_crash_worlds_come_back_into_their_objects(
    blender, recording: Path, owner: Any, tmp_path: Path
) -> None:
    path = str(tmp_path / "a.blend")
    blender.ops.wm.save_as_mainfile(filepath=path)
    saved = digest(session.world_of(owner))
    session.commit(owner, random_edit(session.own_world_of(owner), random.Random(4)))
    last = digest(session.world_of(owner))
    assert not recover_worlds.is_needed()
    _crash(recording)
    blender.ops.wm.open_mainfile(filepath=path)
    assert digest(session.world_of(blender.data.objects["World"])) == saved
    recover_worlds.look_again()
    assert recover_worlds.is_needed()
    blender.ops.ed.undo_push(message="start")
    assert blender.ops.voxelwright.recover_worlds("EXEC_DEFAULT", True) == {"FINISHED"}
    assert digest(session.world_of(blender.data.objects["World"])) == last
    assert not recover_worlds.is_needed()
    blender.ops.ed.undo()
    assert digest(session.world_of(blender.data.objects["World"])) == saved


def test_after_a_crash_before_any_save_worlds_come_back_as_new_objects(blender, recording: Path, owner: Any) -> None:
    session.commit(owner, random_edit(session.own_world_of(owner), random.Random(5)))
    last = digest(session.world_of(owner))
    _crash(recording)
    blender.ops.wm.read_homefile(use_empty=True)
    recover_worlds.look_again()
    blender.ops.voxelwright.recover_worlds("EXEC_DEFAULT")
    assert digest(session.world_of(blender.data.objects["Recovered"])) == last


def test_a_world_that_a_journal_has_as_a_snapshot_alone_comes_back(
    blender, recording: Path, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A journal that became large is begun anew with what no file has."""
    with monkeypatch.context() as patch:
        patch.setattr(journal_files, "LARGE_BYTES", 1)
        session.commit(owner, edit_of_chunks(session.own_world_of(owner), {(1, 1, 0): PALETTE.voxel(2)}))
    last = digest(session.world_of(owner))
    (marked,) = recording.glob("*.changed")
    (found,) = journal_files.worlds_of(marked.with_suffix(".vxj")).values()
    assert digest(finish(found.loading()).world) == last
    _crash(recording)
    blender.ops.wm.read_homefile(use_empty=True)
    recover_worlds.look_again()
    blender.ops.voxelwright.recover_worlds("EXEC_DEFAULT")
    assert digest(session.world_of(blender.data.objects["Recovered"])) == last


def test_journals_that_cannot_be_read_are_kept(blender, recording: Path, owner: Any) -> None:
    _crash(recording)
    (path,) = recording.glob("*.vxj")
    path.write_bytes(b"VOXELJNL" + b"\xff" * 30)
    blender.ops.wm.read_homefile(use_empty=True)
    recover_worlds.look_again()
    blender.ops.voxelwright.recover_worlds("EXEC_DEFAULT")
    assert path.exists()
    assert recover_worlds.is_needed()


def test_what_a_crash_left_can_be_discarded(blender, recording: Path, owner: Any) -> None:
    _crash(recording)
    blender.ops.wm.read_homefile(use_empty=True)
    recover_worlds.look_again()
    assert recover_worlds.is_needed()
    blender.ops.voxelwright.discard_recovery("EXEC_DEFAULT")
    assert not recover_worlds.is_needed()
    assert not list(recording.glob("*.changed"))


def test_a_full_disk_is_said_and_editing_goes_on(
    blender, recording: Path, owner: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(journal_files.JournalFile, "write", fail)
        for seed in range(3):
            session.commit(owner, random_edit(session.own_world_of(owner), random.Random(seed)))
    assert capsys.readouterr().out.count("No space left on device") == 1
    assert session.problem_of(owner).startswith("Edits are not kept for a crash")
    assert session.world_of(owner).n_chunks > 1


def test_the_oldest_steps_are_forgotten_beyond_the_limit(
    blender, owner: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from voxelwright.addon import preferences

    monkeypatch.setattr(preferences, "choices", lambda: preferences.Choices(undo_mib=1))
    monkeypatch.setattr(session, "_forgotten", [])
    digests = []
    noise = np.random.default_rng(6)
    for _ in range(30):  # 64 KiB each
        chunk = as_chunk(noise.choice(np.array([0, PALETTE.voxel(1)], np.uint16), (32, 32, 32)))
        session.commit(owner, edit_of_chunks(session.own_world_of(owner), {(0, 0, 0): chunk}))
        blender.ops.ed.undo_push(message="edit")
        digests.append(digest(session.world_of(owner)))
    assert capsys.readouterr().out.count("has forgotten the oldest steps") == 1
    kept = session._entries[session.world_id(owner)]
    assert len(kept.applied) == 16
    for number in range(28, -1, -1):
        blender.ops.ed.undo()
        owner = blender.data.objects["World"]
        expected = digests[max(number, 13)]  # the oldest that is kept is seen from there on
        assert digest(session.world_of(owner)) == expected
    for _ in range(29):
        blender.ops.ed.redo()
    assert digest(session.world_of(blender.data.objects["World"])) == digests[-1]
    blender.ops.ed.undo_history(item=2)  # a jump to what is forgotten leads to the oldest
    assert digest(session.world_of(blender.data.objects["World"])) == digests[13]


def test_mixed_steps_of_ours_and_of_blender(blender, recording: Path, seeds: Callable[..., Iterator[int]]) -> None:
    """Edits of voxels among Blender's own operators, undone, redone and jumped over: at each step the world is what it
    was when that step was done, and the journal has it."""
    for seed in seeds(3, 100):
        blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        for left in recording.iterdir():
            if not journal_files._is_locked(left):
                left.unlink()
        _new_owner(blender)
        _mix_steps(blender, recording, random.Random(seed))


def _mix_steps(blender: Any, recording: Path, rng: random.Random) -> None:
    def world() -> World:
        return session.world_of(blender.data.objects["World"])

    states = [digest(world())]
    at = 0
    steps = [_edit, _edit, _edit, _add_cube, _move, _edit_mesh, _select]
    for step in range(100):
        kind = rng.random()
        if kind < 0.55:
            rng.choice(steps)(blender, rng)
            blender.ops.ed.undo_push(message=f"step {step}")
            states[at + 1 :] = [digest(world())]
            at += 1
        elif kind < 0.75 and at > max(0, len(states) - 25):  # Blender keeps 32 steps
            blender.ops.ed.undo()
            at -= 1
        elif kind < 0.9 and at < len(states) - 1:
            blender.ops.ed.redo()
            at += 1
        elif kind < 0.93:
            blender.ops.wm.save_as_mainfile(filepath=str(recording / "mixed.blend"))
        elif len(states) < 25:
            at = rng.randrange(len(states))
            blender.ops.ed.undo_history(item=1 + at)  # "start" comes before
        assert digest(world()) == states[at], f"step {step}"
        assert digest(_recorded(recording, blender.data.objects["World"])) == states[at], f"step {step}"


def _edit(blender: Any, rng: random.Random) -> None:
    owner = blender.data.objects["World"]
    session.commit(owner, random_edit(session.own_world_of(owner), rng))


def _add_cube(blender: Any, _rng: random.Random) -> None:
    blender.ops.mesh.primitive_cube_add("EXEC_DEFAULT", False)


def _move(blender: Any, _rng: random.Random) -> None:
    blender.data.objects["World"].location.x += 1


def _edit_mesh(blender: Any, rng: random.Random) -> None:
    _add_cube(blender, rng)
    blender.ops.object.mode_set(mode="EDIT")
    blender.ops.mesh.subdivide()
    blender.ops.object.mode_set(mode="OBJECT")


def _select(blender: Any, _rng: random.Random) -> None:
    blender.ops.object.select_all(action="TOGGLE")
