# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's ways of saving: worlds are the same after reopening, no bytes stay behind, and the journal says what is not
in the open file's last save."""

import gc
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voxelwright.addon import journal_files, preferences, session
from voxelwright.addon.operators import recover_worlds
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import World, as_chunk, edit_of_chunks, new_world

PALETTE = Palette.of({1: Material("stone", (120, 120, 120)), 2: Material("grass", (60, 160, 60))})


def new_owner(bpy: Any, name: str = "World") -> Any:
    """The empty of a small new world, with the undo step of it."""
    owner = session.new_world_object(bpy.context, name, new_world({(0, 0, 0): PALETTE.voxel(1)}, PALETTE))
    bpy.ops.ed.undo_push(message=name)
    return owner


def change(bpy: Any, x: int, name: str = "World") -> bytes:
    """Fill the chunk (x, 1, 0) but for a corner, as an operator would; the world's bytes."""
    owner = bpy.data.objects[name]
    voxels = np.full((32, 32, 32), PALETTE.voxel(2), np.uint16)
    voxels[0, 0, 0] = 0
    session.commit(owner, edit_of_chunks(session.own_world_of(owner), {(x, 1, 0): as_chunk(voxels)}))
    bpy.ops.ed.undo_push(message="change")
    return content(bpy, name)


def content(bpy: Any, name: str = "World") -> bytes:
    return world_to_bytes(session.world_of(bpy.data.objects[name]))


def reopened(bpy: Any, path: Path, name: str = "World") -> bytes:
    """The world's bytes once the file is opened, without the help of any journal."""
    bpy.ops.wm.read_homefile(use_empty=True)
    for journal in session.folder().glob("*.vxj"):
        journal.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return content(bpy, name)


def is_clean(bpy: Any) -> bool:
    """Whether no bytes are left in the open file, where every undo step would copy them."""
    return all(not text.keys() for text in bpy.data.texts)


def has_unsaved(recording: Path) -> bool:
    """Whether a crash would leave something to recover."""
    return bool(list(recording.glob("*.changed")))


def autosaved(bpy: Any, path: Path, name: str = "World") -> Path:
    """Write the open file as Blender does by itself, which calls no handler; the path."""
    bpy.data.libraries.write(str(path), {bpy.data.objects[name], bpy.context.scene})
    return path


def opened(bpy: Any, path: Path, name: str = "World") -> bytes:
    """The world's bytes once the file is opened, with what journals know."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return content(bpy, name)


def crash_and_recover(bpy: Any, path: Path | None, name: str = "World") -> bytes:
    """The world's bytes after a crash, once the file (or an empty one) is opened and what was not saved recovered."""
    session.recorder._file._file.close()  # as the end of a process does
    session.recorder._file = None
    if path is None:
        bpy.ops.wm.read_homefile(use_empty=True)
    else:
        bpy.ops.wm.open_mainfile(filepath=str(path))
    recover_worlds.look_again()
    bpy.ops.voxelwright.recover_worlds("EXEC_DEFAULT")
    return content(bpy, name)


@pytest.fixture
def first(blender: Any, recording: Path, tmp_path: Path) -> Path:
    """A saved file with a world, which is open."""
    blender.ops.ed.undo_push(message="start")
    new_owner(blender)
    path = tmp_path / "first.blend"
    blender.ops.wm.save_as_mainfile(filepath=str(path))
    assert not has_unsaved(recording)
    return path


# --- Ways of saving -----------------------------------------------------------------------------------------------


def test_a_copy_has_the_world_and_leaves_the_open_file_unsaved(
    blender: Any, recording: Path, first: Path, tmp_path: Path
) -> None:
    copy, saved = tmp_path / "copy.blend", content(blender)
    changed = change(blender, 1)
    blender.ops.wm.save_as_mainfile(filepath=str(copy), copy=True)
    assert is_clean(blender)
    assert has_unsaved(recording)
    later = change(blender, 2)
    assert crash_and_recover(blender, first) == later
    assert reopened(blender, copy) == changed
    assert reopened(blender, first) == saved


def test_a_copy_of_a_file_that_was_never_saved_leaves_it_unsaved(blender: Any, recording: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.blend"
    new_owner(blender)
    changed = change(blender, 1)
    blender.ops.wm.save_as_mainfile(filepath=str(copy), copy=True)
    assert has_unsaved(recording)
    assert crash_and_recover(blender, None, "Recovered") == changed
    assert reopened(blender, copy) == changed


def test_the_startup_file_is_no_save_of_the_open_file(blender: Any, recording: Path) -> None:
    new_owner(blender)
    changed = change(blender, 1)
    startup = Path(blender.utils.user_resource("CONFIG", path="startup.blend"))
    try:
        blender.ops.wm.save_homefile()
        assert startup.exists()
    finally:
        startup.unlink(missing_ok=True)
    assert is_clean(blender)
    assert has_unsaved(recording)
    assert crash_and_recover(blender, None, "Recovered") == changed


def test_incremental_saves_keep_each_state(blender: Any, recording: Path, first: Path) -> None:
    states = {first: content(blender)}
    for x in (1, 2):
        changed = change(blender, x)
        assert has_unsaved(recording)
        blender.ops.wm.save_mainfile(incremental=True)
        assert is_clean(blender)
        assert not has_unsaved(recording)
        states[Path(blender.data.filepath)] = changed
    assert len(states) == 3
    for path, expected in states.items():
        assert reopened(blender, path) == expected


def test_compressed_files_hold_the_world(blender: Any, recording: Path, first: Path, tmp_path: Path) -> None:
    path, expected = tmp_path / "compressed.blend", change(blender, 1)
    blender.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    assert is_clean(blender)
    assert not has_unsaved(recording)
    assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"  # zstd
    assert reopened(blender, path) == expected


@pytest.mark.parametrize("why", ["the folder has vanished", "a folder has that name", "it cannot be written"])
def test_a_save_that_fails_changes_nothing(
    blender: Any, recording: Path, first: Path, tmp_path: Path, why: str
) -> None:
    saved, changed = content(blender), change(blender, 1)
    path = tmp_path / "other" / "world.blend"
    if why == "a folder has that name":
        path.mkdir(parents=True)
    elif why == "it cannot be written":
        Path(f"{path}@").mkdir(parents=True)  # Blender writes there first; root may write into any folder
    with pytest.raises(RuntimeError):
        blender.ops.wm.save_as_mainfile(filepath=str(path))
    assert is_clean(blender)
    assert has_unsaved(recording)
    assert content(blender) == changed
    later = change(blender, 2)
    assert crash_and_recover(blender, first) == later
    assert reopened(blender, first) == saved


def test_saving_goes_on_after_a_save_that_failed(blender: Any, recording: Path, first: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    blender.ops.wm.save_as_mainfile(filepath=str(folder / "world.blend"))
    shutil.rmtree(folder)
    expected = change(blender, 1)
    with pytest.raises(RuntimeError):
        blender.ops.wm.save_mainfile()
    blender.ops.wm.save_as_mainfile(filepath=str(first))
    assert not has_unsaved(recording)
    assert reopened(blender, first) == expected


# --- Several scenes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [False, True])
def test_worlds_of_two_scenes_and_one_in_both(blender: Any, first: Path, compress: bool) -> None:
    other = blender.data.scenes.new("Other")
    other.collection.objects.link(blender.data.objects["World"])
    with blender.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        new_owner(blender, "Second")
    expected = {"World": change(blender, 1), "Second": change(blender, 2, name="Second")}
    blender.ops.wm.save_as_mainfile(filepath=str(first), compress=compress)
    assert is_clean(blender)
    for name, world in expected.items():
        assert reopened(blender, first, name) == world
    assert {scene.name: {o.name for o in scene.objects} for scene in blender.data.scenes} == {
        "Scene": {"World"},
        "Other": {"World", "Second"},
    }
    assert blender.data.scenes["Other"].objects["World"] == blender.data.scenes["Scene"].objects["World"]


def test_a_copied_scene_shares_the_world_until_it_is_changed(blender: Any, first: Path) -> None:
    before = content(blender)
    blender.ops.scene.new(type="FULL_COPY")
    (copy,) = (o.name for o in blender.data.objects if o.name != "World")
    for save in range(2):
        blender.ops.wm.save_as_mainfile(filepath=str(first))
        assert is_clean(blender)
        assert reopened(blender, first, copy) == before, save
    changed = change(blender, 1, name=copy)
    blender.ops.wm.save_as_mainfile(filepath=str(first))
    assert reopened(blender, first, copy) == changed
    assert content(blender) == before


# --- Files that Blender saves by itself, and tells nobody: autosaves, quit.blend, libraries, the clipboard --------


def test_autosaves_find_their_worlds(blender: Any, first: Path, tmp_path: Path) -> None:
    states = {}
    for n in range(4):
        expected = change(blender, n)
        states[autosaved(blender, tmp_path / f"{n}.blend")] = expected
    for path, expected in states.items():
        assert opened(blender, path) == expected
    with pytest.raises(VoxelwrightError, match="are not in this file; open an older save or a backup"):
        reopened(blender, path)
    assert "are not in this file" in session.problem_of(blender.data.objects["World"])


@pytest.mark.parametrize("n_saved", [0, 2])
def test_an_autosave_of_what_was_undone_since_is_that_world(
    blender: Any, first: Path, tmp_path: Path, n_saved: int
) -> None:
    """A change, an autosave, undo, another change: the autosave is of the first. With saved changes, undo goes further
    back than the journal."""
    for x in range(n_saved):
        change(blender, 5 + x)
    blender.ops.wm.save_mainfile()
    for _ in range(n_saved):
        blender.ops.ed.undo()
    states = {}
    for n in range(3):
        expected = change(blender, n)
        states[autosaved(blender, tmp_path / f"{n}.blend")] = expected
        blender.ops.ed.undo()
    last = change(blender, 4)
    for path, expected in states.items():
        assert opened(blender, path) == expected
    assert last not in states.values()


def test_a_save_of_what_was_done_after_undo_is_that_world(blender: Any, first: Path) -> None:
    change(blender, 1)
    blender.ops.wm.save_mainfile()
    blender.ops.ed.undo()
    expected = change(blender, 2)
    blender.ops.wm.save_mainfile()
    assert reopened(blender, first) == expected


def test_autosaves_of_two_sessions_with_the_same_file_do_not_mix(blender: Any, first: Path, tmp_path: Path) -> None:
    states = {}
    for n in range(3):
        opened(blender, first)
        expected = change(blender, n)
        states[autosaved(blender, tmp_path / f"{n}.blend")] = expected
    for path, expected in states.items():
        assert opened(blender, path) == expected


def test_an_autosave_finds_its_world_after_the_journal_became_large(
    blender: Any, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = change(blender, 1)
    path = autosaved(blender, tmp_path / "autosave.blend")
    with monkeypatch.context() as patch:
        patch.setattr(journal_files, "LARGE_BYTES", 1)
        change(blender, 2)
    change(blender, 3)
    assert opened(blender, path) == expected


def test_an_autosave_of_what_undo_has_forgotten_is_what_was_shown(
    blender: Any, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preferences, "choices", lambda: preferences.Choices(undo_mib=0))  # the last edit stays
    oldest = [change(blender, n) for n in range(5)][-2]
    blender.ops.wm.save_mainfile()
    for _ in range(3):
        blender.ops.ed.undo()
    assert content(blender) == oldest
    path = autosaved(blender, tmp_path / "autosave.blend")
    assert opened(blender, path) == oldest


def test_a_world_is_recovered_into_the_object_of_an_autosave_that_lacks_it(
    blender: Any, recording: Path, first: Path, tmp_path: Path
) -> None:
    """The journal has begun anew since then."""
    path = autosaved(blender, tmp_path / "autosave.blend")
    change(blender, 1)
    blender.ops.wm.save_mainfile()
    last = change(blender, 2)
    assert crash_and_recover(blender, path) == last
    assert session.problem_of(blender.data.objects["World"]) == ""
    assert [o.name for o in blender.data.objects if session.is_world(o)] == ["World"]


@pytest.mark.parametrize("is_opened_between", [False, True])
def test_an_object_pasted_after_another_change_has_the_world_that_was_copied(
    blender: Any, first: Path, tmp_path: Path, is_opened_between: bool
) -> None:
    now = change(blender, 1)
    blender.ops.wm.save_mainfile()
    copied = change(blender, 2)
    clipboard = autosaved(blender, tmp_path / "clipboard.blend")
    if is_opened_between:  # and nobody has asked for its world
        blender.ops.wm.open_mainfile(filepath=str(first))
        blender.ops.ed.undo_push(message="start")
    else:
        now = change(blender, 3)
    blender.ops.wm.append(directory=f"{clipboard}/Object/", filename="World")
    blender.ops.ed.undo_push(message="paste")
    (pasted,) = (o.name for o in blender.data.objects if o.name != "World")
    for _ in range(2):
        assert content(blender) == now
        assert content(blender, pasted) == copied
        blender.ops.ed.undo()
        assert content(blender) == now
        blender.ops.ed.redo()
    blender.ops.wm.save_mainfile()
    assert reopened(blender, first) == now
    assert content(blender, pasted) == copied


def test_a_pasted_object_whose_world_is_nowhere_says_so(
    blender: Any, recording: Path, first: Path, tmp_path: Path
) -> None:
    clipboard = autosaved(blender, tmp_path / "clipboard.blend")
    change(blender, 1)
    blender.ops.wm.save_mainfile()  # which begins a new journal
    now = change(blender, 2)
    blender.ops.wm.append(directory=f"{clipboard}/Object/", filename="World")
    (pasted,) = (o.name for o in blender.data.objects if o.name != "World")
    with pytest.raises(VoxelwrightError, match="are not in this file"):
        content(blender, pasted)
    assert content(blender) == now


# --- Memory -------------------------------------------------------------------------------------------------------


def test_a_session_holds_little_more_than_the_voxels(blender: Any, recording: Path, tmp_path: Path) -> None:
    """benchmarks/memory.py measures it of the whole process, with a large world."""
    path, n_bytes = tmp_path / "world.blend", 64 * 64 * 1024
    tracemalloc.start()
    try:
        new_owner(blender).name = "Small"
        before = tracemalloc.get_traced_memory()[0]
        session.new_world_object(blender.context, "World", noise_world())
        blender.ops.wm.save_as_mainfile(filepath=str(path))
        gc.collect()
        assert n_bytes < tracemalloc.get_traced_memory()[0] - before < 1.3 * n_bytes
        blender.ops.wm.open_mainfile(filepath=str(path))
        change(blender, 20)
        gc.collect()
        assert n_bytes < tracemalloc.get_traced_memory()[0] - before < 1.3 * n_bytes
    finally:
        tracemalloc.stop()


def noise_world() -> World:
    """64 chunks of noise."""
    noise, values = np.random.default_rng(1), np.array([0, PALETTE.voxel(1)], np.uint16)
    chunks = {(x, y, 0): as_chunk(noise.choice(values, (32, 32, 32))) for x, y in np.ndindex(8, 8)}
    return new_world(chunks, PALETTE)
