# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds through undo, saving, and disabling the extension, in a real Blender without a window."""

import numpy as np
import pytest

from voxelwright.addon import registration, session
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import as_chunk, edit_of_chunks


def content(owner):
    return world_to_bytes(session.world_of(owner))


def edit_as_an_operator(bpy, owner, value):
    """Commit an edit and push the undo step that an operator would push."""
    session.commit(owner, edit_of_chunks(session.world_of(owner), {(0, 0, 5): value}))
    bpy.ops.ed.undo_push(message="edit")


def test_undo_and_redo_walk_the_journal(blender, small_world):
    name, states = small_world.name, [content(small_world)]
    dense = np.arange(32**3, dtype=np.uint16).reshape(32, 32, 32)
    for value in (1 << 8, as_chunk(dense), 0):
        edit_as_an_operator(blender, blender.data.objects[name], value)
        states.append(content(blender.data.objects[name]))
    for expected in states[-2::-1]:
        blender.ops.ed.undo()
        assert content(blender.data.objects[name]) == expected
    for expected in states[1:]:
        blender.ops.ed.redo()
        assert content(blender.data.objects[name]) == expected


def test_undo_past_the_creation_of_a_world_and_back(blender, small_world):
    expected = content(small_world)
    blender.ops.ed.undo()
    assert not blender.data.objects
    blender.ops.ed.redo()
    assert content(blender.data.objects[0]) == expected


def test_undo_works_between_blenders_own_steps(blender, small_world):
    name, before = small_world.name, content(small_world)
    blender.ops.mesh.primitive_cube_add("EXEC_DEFAULT", True)
    edit_as_an_operator(blender, blender.data.objects[name], 3 << 8)
    after = content(blender.data.objects[name])
    blender.ops.mesh.primitive_cube_add("EXEC_DEFAULT", True)
    blender.ops.ed.undo()
    assert content(blender.data.objects[name]) == after
    blender.ops.ed.undo()
    assert content(blender.data.objects[name]) == before
    blender.ops.ed.undo()
    blender.ops.ed.redo()
    blender.ops.ed.redo()
    assert content(blender.data.objects[name]) == after


def test_a_new_edit_after_undo_forgets_what_was_undone(blender, small_world):
    name = small_world.name
    edit_as_an_operator(blender, small_world, 1 << 8)
    blender.ops.ed.undo()
    edit_as_an_operator(blender, blender.data.objects[name], 2 << 8)
    assert session.world_of(blender.data.objects[name]).chunk((0, 0, 5)) == 2 << 8
    blender.ops.ed.undo()
    assert session.world_of(blender.data.objects[name]).chunk((0, 0, 5)) == 0
    blender.ops.ed.redo()
    assert session.world_of(blender.data.objects[name]).chunk((0, 0, 5)) == 2 << 8


def test_two_worlds_are_undone_apart(blender, small_world):
    first = small_world.name
    blender.ops.voxelwright.new_world("EXEC_DEFAULT", True, preset="alpine", size=(32, 32, 64), seed=1)
    second = blender.context.active_object.name
    before = content(blender.data.objects[second])
    edit_as_an_operator(blender, blender.data.objects[first], 1 << 8)
    edit_as_an_operator(blender, blender.data.objects[second], 1 << 8)
    blender.ops.ed.undo()
    assert content(blender.data.objects[second]) == before
    assert session.world_of(blender.data.objects[first]).chunk((0, 0, 5)) == 1 << 8


@pytest.mark.parametrize("compress", [False, True])
def test_a_world_is_saved_in_the_file_and_read_again(blender, small_world, tmp_path, compress):
    name, expected = small_world.name, content(small_world)
    path = str(tmp_path / "world.blend")
    blender.ops.wm.save_as_mainfile(filepath=path, compress=compress)
    assert all(not text.keys() for text in blender.data.texts), "the bytes stayed, and every undo step would copy them"
    blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    blender.ops.wm.open_mainfile(filepath=path)
    assert content(blender.data.objects[name]) == expected


def test_a_world_that_nobody_looked_at_is_saved_again(blender, small_world, tmp_path):
    name, expected = small_world.name, content(small_world)
    paths = [str(tmp_path / f"{i}.blend") for i in range(3)]
    for i, path in enumerate(paths):
        if i:
            blender.ops.wm.open_mainfile(filepath=paths[i - 1])
        blender.ops.wm.save_as_mainfile(filepath=path)
    blender.ops.wm.open_mainfile(filepath=paths[-1])
    assert content(blender.data.objects[name]) == expected


def test_undo_after_opening_a_file_keeps_the_world(blender, small_world, tmp_path):
    name = small_world.name
    edit_as_an_operator(blender, small_world, 1 << 8)
    expected = content(small_world)
    path = str(tmp_path / "world.blend")
    blender.ops.wm.save_as_mainfile(filepath=path)
    blender.ops.wm.open_mainfile(filepath=path)
    blender.ops.ed.undo_push(message="start")
    edit_as_an_operator(blender, blender.data.objects[name], 2 << 8)
    blender.ops.ed.undo()
    assert content(blender.data.objects[name]) == expected


def test_a_save_that_fails_leaves_no_bytes_behind(blender, small_world, tmp_path):
    with pytest.raises(RuntimeError):
        blender.ops.wm.save_as_mainfile(filepath=str(tmp_path / "missing" / "world.blend"))
    assert all(not text.keys() for text in blender.data.texts)


def test_another_file_forgets_the_worlds(blender, small_world):
    world_id = small_world.voxelwright.world_id
    blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert world_id not in session._entries


def test_an_empty_whose_voxels_are_gone_says_so(blender):
    owner = blender.data.objects.new("Lost", None)
    owner.voxelwright.world_id = "0123"
    with pytest.raises(VoxelwrightError, match='The voxels of "Lost" are not in this file'):
        session.world_of(owner)


def test_disabling_and_enabling_keeps_the_worlds(blender, small_world):
    name, expected = small_world.name, content(small_world)
    registration.unregister()
    assert not hasattr(blender.types.Object, "voxelwright")
    registration.register()
    assert content(blender.data.objects[name]) == expected


def test_a_duplicated_empty_has_a_world_of_its_own_from_its_first_change_on(blender, small_world):
    name, before = small_world.name, content(small_world)
    blender.ops.object.duplicate("EXEC_DEFAULT", True)
    copy = blender.context.active_object
    copy_name = copy.name
    assert copy_name != name
    assert content(copy) == before
    edit_as_an_operator(blender, copy, 1 << 8)
    assert content(blender.data.objects[name]) == before
    assert session.world_of(blender.data.objects[copy_name]).chunk((0, 0, 5)) == 1 << 8
    blender.ops.ed.undo()
    assert content(blender.data.objects[copy_name]) == content(blender.data.objects[name]) == before
    blender.ops.ed.redo()
    assert content(blender.data.objects[name]) == before
    assert session.world_of(blender.data.objects[copy_name]).chunk((0, 0, 5)) == 1 << 8


def saved_twice_and_opened(bpy, folder):
    """Two saves in a row: the second must still know what the first has put into the file."""
    for i in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"saved{i}.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "saved1.blend"))


def test_a_world_is_not_lost_by_saving_after_the_extension_was_disabled(blender, small_world, tmp_path):
    name, expected = small_world.name, content(small_world)
    registration.unregister()
    registration.register()
    saved_twice_and_opened(blender, tmp_path)
    assert content(blender.data.objects[name]) == expected


def test_an_appended_world_is_kept(blender, small_world, tmp_path):
    name, expected = small_world.name, content(small_world)
    library = str(tmp_path / "library.blend")
    blender.ops.wm.save_as_mainfile(filepath=library)
    blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    blender.ops.wm.append(directory=f"{library}/Object/", filename=name)
    saved_twice_and_opened(blender, tmp_path)
    assert content(blender.data.objects[name]) == expected


def test_an_older_state_of_an_open_world_is_appended_as_a_world_of_its_own(blender, small_world, tmp_path):
    name, old = small_world.name, content(small_world)
    library = str(tmp_path / "library.blend")
    blender.ops.wm.save_as_mainfile(filepath=library, copy=True)
    edit_as_an_operator(blender, small_world, 1 << 8)
    new = content(blender.data.objects[name])
    blender.ops.wm.append(directory=f"{library}/Object/", filename=name)
    copy = next(o.name for o in blender.data.objects if o.name != name)
    saved_twice_and_opened(blender, tmp_path)
    assert content(blender.data.objects[name]) == new
    assert content(blender.data.objects[copy]) == old


def test_a_linked_world_is_not_changed(blender, small_world, tmp_path):
    name, expected = small_world.name, content(small_world)
    library = str(tmp_path / "library.blend")
    blender.ops.wm.save_as_mainfile(filepath=library)
    blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    blender.ops.wm.link(directory=f"{library}/Object/", filename=name)
    owner = blender.data.objects[name]
    assert content(owner) == expected
    with pytest.raises(VoxelwrightError, match="make it local"):
        session.commit(owner, edit_of_chunks(session.world_of(owner), {(0, 0, 5): 1 << 8}))
    assert content(owner) == expected


def test_worlds_that_cannot_come_back_are_forgotten(blender):
    # As the redo panel does it: undo, then execute with another seed.
    blender.ops.ed.undo_push(message="start")
    for seed in range(4):
        blender.ops.voxelwright.new_world("EXEC_DEFAULT", True, preset="rolling_hills", size=(32, 32, 64), seed=seed)
        if seed < 3:
            blender.ops.ed.undo()
    assert len(session._entries) == 1


def test_a_deleted_world_comes_back_by_undo_after_other_worlds_were_made_and_undone(blender, small_world):
    name, expected = small_world.name, content(small_world)
    blender.ops.object.delete("EXEC_DEFAULT", True)
    for seed in range(2):
        blender.ops.voxelwright.new_world("EXEC_DEFAULT", True, preset="alpine", size=(32, 32, 64), seed=seed)
        blender.ops.ed.undo()
    blender.ops.ed.undo()
    assert content(blender.data.objects[name]) == expected


def test_worlds_outlive_disabling_again_and_again(blender, small_world):
    name, expected = small_world.name, content(small_world)
    for _ in range(3):
        registration.unregister()
        registration.register()
        assert content(blender.data.objects[name]) == expected


def test_registration_rolls_back_when_a_step_fails(blender, monkeypatch):
    registration.unregister()

    def fail(*_):
        raise RuntimeError("no")

    monkeypatch.setattr(blender.utils, "register_cli_command", fail)
    try:
        with pytest.raises(RuntimeError, match="no"):
            registration.register()
        assert not registration.is_registered()
        assert not hasattr(blender.types.Object, "voxelwright")
        assert not hasattr(blender.types, "VOXELWRIGHT_PT_world")
    finally:
        monkeypatch.undo()
        registration.register()
    assert hasattr(blender.types.Object, "voxelwright")
