# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators on selected voxels as scripts and the redo panel call them."""

import numpy as np
import pytest

from voxelwright.addon import clipboard, selections, session
from voxelwright.addon.operators import copy_voxels, edit_voxels, move_voxels, select_voxels
from voxelwright.voxel.edit.selection import Selection, box, by_material, solid
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_from_bytes, world_to_bytes
from voxelwright.voxel.world import as_chunk, new_world

STONE, MOSS = Material("stone", (128, 126, 124)), Material("moss", (70, 110, 40))
PALETTE = Palette.of({1: STONE, 2: MOSS})
LOW, HIGH = (-64, -64, -64), (96, 96, 96)


def stairs():
    """Ten steps of stone with moss on them."""
    x, _, z = np.indices(CHUNK_SHAPE)
    height = 4 + x // 4
    return new_world(
        {(0, 0, 0): as_chunk(np.where(z < height, 0x0100, np.where(z == height, 0x0200, 0)).astype(np.uint16))}, PALETTE
    )


@pytest.fixture
def owner(blender):
    """A function that gives the object with the stairs anew, for undo replaces it."""
    blender.ops.ed.undo_push(message="start")
    name = session.new_world_object(blender.context, "Stairs", stairs()).name
    blender.ops.ed.undo_push(message="stairs")
    return lambda: blender.data.objects[name]


@pytest.fixture
def call(blender):
    """call(name, **properties): an operator with an undo step."""

    def called(name, **properties):
        assert getattr(blender.ops.voxelwright, name)("EXEC_DEFAULT", True, **properties) == {"FINISHED"}

    return called


def voxels_of(owner):
    return session.world_of(owner).region(LOW, HIGH)


def state_of(owner):
    return world_to_bytes(session.world_of(owner)), selections.selection_of(owner)


def test_nothing_is_selected_at_first(blender, owner):
    assert selections.selection_of(owner()) is None
    assert not blender.ops.voxelwright.fill_voxels.poll()
    assert not blender.ops.voxelwright.copy_voxels.poll()


def test_each_way_to_select(owner, call):
    world = session.world_of(owner())
    call("select_box", corner=(3, 4, 3), opposite=(1, 2, 50))
    assert selections.selection_of(owner()) == box((1, 2, 3), (3, 4, 50))
    call("select_surface")
    assert selections.selection_of(owner()) == box((1, 2, 4), (3, 4, 4))
    call("select_by_material", material="2")
    assert selections.selection_of(owner()) == by_material(world, 2)
    call("select_connected", start_voxel=(5, 5, 5), by="FACE", face="POS_Z")
    assert selections.selection_of(owner()) == box((4, 0, 5), (7, 31, 5))
    call("select_connected", start_voxel=(5, 5, 5), by="FACE", face="NEG_X", mode="ADD")
    assert selections.selection_of(owner()) == box((4, 0, 5), (7, 31, 5))
    call("select_connected", start_voxel=(5, 5, 0), by="MATERIAL")
    assert selections.selection_of(owner()) == by_material(world, 1)
    call("select_all")
    assert selections.selection_of(owner()) == solid(world)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("SET", box((2, 0, 0), (5, 3, 3))),
        ("ADD", box((0, 0, 0), (5, 3, 3))),
        ("SUBTRACT", box((0, 0, 0), (1, 3, 3))),
        ("INTERSECT", box((2, 0, 0), (3, 3, 3))),
    ],
)
def test_modes(owner, call, mode, expected):
    call("select_box", corner=(0, 0, 0), opposite=(3, 3, 3))
    call("select_box", corner=(2, 0, 0), opposite=(5, 3, 3), mode=mode)
    assert selections.selection_of(owner()) == expected


@pytest.mark.parametrize(("mode", "selects"), [("SET", True), ("ADD", True), ("SUBTRACT", False), ("INTERSECT", False)])
def test_modes_where_nothing_is_selected(owner, call, mode, selects):
    call("select_box", corner=(2, 0, 0), opposite=(5, 3, 3), mode=mode)
    assert (selections.selection_of(owner()) is not None) is selects


def test_all_none_invert(owner, call):
    world = session.world_of(owner())
    call("select_all", action="INVERT")
    assert selections.selection_of(owner()) == solid(world)
    call("select_box", corner=(0, 0, 0), opposite=(31, 31, 4))
    call("select_all", action="INVERT")
    assert selections.selection_of(owner()) == solid(world) - box((0, 0, 0), (31, 31, 4))
    call("select_all", action="DESELECT")
    assert selections.selection_of(owner()) is None
    call("select_all")
    call("select_all", action="INVERT")
    assert selections.selection_of(owner()) is None


def test_grow_and_shrink(owner, call):
    call("select_box", corner=(0, 0, 0), opposite=(9, 9, 9))
    call("grow_selection", n_voxels=3)
    assert selections.selection_of(owner()) == box((0, 0, 0), (9, 9, 9)).grown(3)
    call("shrink_selection", n_voxels=5)
    assert selections.selection_of(owner()) == box((0, 0, 0), (9, 9, 9)).grown(3).shrunk(5)


def test_undo_and_redo_bring_selections_back(blender, owner, call):
    states = []
    for name, properties in (
        ("select_box", {"corner": (0, 0, 0), "opposite": (9, 9, 9)}),
        ("move_voxels", {"offset": (3, 40, 0)}),
        ("grow_selection", {}),
        ("delete_voxels", {}),
        ("select_all", {"action": "DESELECT"}),
    ):
        states.append(state_of(owner()))
        call(name, **properties)
    last = state_of(owner())
    for before in reversed(states):
        blender.ops.ed.undo()
        assert state_of(owner()) == before
    for after in [*states[1:], last]:
        blender.ops.ed.redo()
        assert state_of(owner()) == after
    for _ in range(3):
        blender.ops.ed.undo()
    call("select_box", corner=(1, 1, 1), opposite=(2, 2, 2))
    assert selections.selection_of(owner()) == box((1, 1, 1), (2, 2, 2))


def test_a_copy_of_the_object_has_the_selection_until_another_is_made(blender, owner, call):
    call("select_box", corner=(0, 0, 0), opposite=(9, 9, 9))
    copy = owner().copy()
    blender.context.collection.objects.link(copy)
    blender.context.view_layer.objects.active = copy
    call("move_voxels", offset=(0, 0, 50))
    assert selections.selection_of(owner()) == box((0, 0, 0), (9, 9, 9))
    assert selections.selection_of(blender.context.active_object) == box((0, 0, 50), (9, 9, 59))
    assert (voxels_of(owner())[64:74, 64:74, 64:74] != 0).any()


def test_a_file_comes_without_selections(blender, owner, call, tmp_path):
    call("select_box", corner=(0, 0, 0), opposite=(9, 9, 9))
    path = str(tmp_path / "stairs.blend")
    blender.ops.wm.save_as_mainfile(filepath=path)
    assert selections.selection_of(owner()) is not None
    blender.ops.wm.open_mainfile(filepath=path)
    assert selections.selection_of(owner()) is None
    blender.context.view_layer.objects.active = owner()
    call("select_box", corner=(0, 0, 0), opposite=(1, 1, 1))
    assert selections.selection_of(owner()) == box((0, 0, 0), (1, 1, 1))


def test_only_so_many_selections_are_kept(blender, owner, monkeypatch):
    monkeypatch.setattr(selections, "MAX_KEPT", 3)
    numbers = []
    for x in range(6):
        selections.select(owner(), box((x, 0, 0), (x, 0, 0)))
        numbers.append(selections.number_of(owner()))
    assert [number in selections._kept for number in numbers] == [False] * 3 + [True] * 3
    monkeypatch.setattr(selections, "MAX_BYTES", 1)
    selections.select(owner(), box((0, 0, 0), (40, 40, 40)))
    assert [*selections._kept] == [selections.number_of(owner())]


def test_delete_fill_replace_hollow(owner, call):
    before = voxels_of(owner())
    inside = np.zeros(before.shape, bool)
    inside[64:74, 64:96, 64:70] = True
    call("replace_material", material="2", by="1")
    stone = np.where(before == 0x0200, 0x0100, before)
    assert np.array_equal(voxels_of(owner()), stone)
    call("select_box", corner=(0, 0, 0), opposite=(9, 31, 5))
    call("replace_material", material="1", by="2")
    assert np.array_equal(voxels_of(owner()), np.where(inside & (stone == 0x0100), 0x0200, stone))
    call("fill_voxels", material="1")
    assert np.array_equal(voxels_of(owner()), np.where(inside, 0x0100, stone))
    call("hollow_voxels", thickness=2)
    deep = np.zeros(before.shape, bool)
    deep[66:72, 66:94, 66:68] = True
    assert np.array_equal(voxels_of(owner()), np.where(deep, 0, np.where(inside, 0x0100, stone)))
    call("delete_voxels")
    assert np.array_equal(voxels_of(owner()), np.where(inside, 0, stone))


def test_cut_and_paste_turned(owner, call):
    before = voxels_of(owner())
    part = before[64:72, 64:96, 64:80].copy()
    call("select_box", corner=(0, 0, 0), opposite=(7, 31, 15))
    call("cut_voxels")
    expected = before.copy()
    expected[64:72, 64:96, 64:80] = 0
    assert np.array_equal(voxels_of(owner()), expected)
    call("paste_voxels", at=(-40, 3, 20), turns=(0, 0, 1), mirrors=(True, False, False))
    turned = np.rot90(np.flip(part, 0))
    target = expected[24 : 24 + 32, 67 : 67 + 8, 84 : 84 + 16]
    np.copyto(target, turned, where=turned != 0)
    assert np.array_equal(voxels_of(owner()), expected)
    selected = selections.selection_of(owner())
    assert selected.count == np.count_nonzero(part)
    assert selected.bounds()[0] == (-40, 3, 20)


def test_pasting_within_the_selection(owner, call):
    before = voxels_of(owner())
    call("select_by_material", material="2")
    call("copy_voxels")
    call("select_box", corner=(0, 0, 0), opposite=(31, 15, 31))
    call("paste_voxels", at=(0, 0, 10), within=True)
    after = voxels_of(owner())
    assert np.array_equal(after[:, 80:], before[:, 80:])
    assert (after[:, :80] != before[:, :80]).any()
    assert selections.selection_of(owner()) == box((0, 0, 0), (31, 15, 31))


def test_move_duplicate_rotate_mirror(owner, call):
    before = voxels_of(owner())
    part = before[64:72, 64:74, 64:70].copy()
    call("select_box", corner=(0, 0, 0), opposite=(7, 9, 5))
    call("duplicate_voxels", offset=(0, 40, 10))
    expected = before.copy()
    expected[64:72, 104:114, 74:80] = part
    assert np.array_equal(voxels_of(owner()), expected)
    assert selections.selection_of(owner()) == box((0, 40, 10), (7, 49, 15))
    call("move_voxels", offset=(-20, 0, 3), turns=(1, 0, 0))
    expected[64:72, 104:114, 74:80] = 0
    expected[44:52, 104:110, 77:87] = np.rot90(part, 1, (1, 2))
    assert np.array_equal(voxels_of(owner()), expected)
    assert selections.selection_of(owner()) == box((-20, 40, 13), (-13, 45, 22))
    call("mirror_voxels", axis="Z")
    expected[44:52, 104:110, 77:87] = np.flip(expected[44:52, 104:110, 77:87], 2).copy()
    assert np.array_equal(voxels_of(owner()), expected)
    call("rotate_voxels", axis="Y", quarters=-1)
    turned = np.rot90(expected[44:52, 104:110, 77:87], -1, (2, 0)).copy()
    expected[44:52, 104:110, 77:87] = 0
    expected[43:53, 104:110, 78:86] = turned
    assert np.array_equal(voxels_of(owner()), expected)
    assert selections.selection_of(owner()) == box((-21, 40, 14), (-12, 45, 21))


def test_between_worlds_and_files(blender, owner, call, tmp_path):
    call("select_by_material", material="2")
    path = tmp_path / "moss.vxw"
    call("export_selection", filepath=str(path))
    exported = world_from_bytes(path.read_bytes()).world
    assert exported.bounds() == ((0, 0, 0), (31, 31, 7))
    assert exported.palette == Palette.of({1: MOSS})
    call("copy_voxels")
    gold = Material("gold", (250, 200, 50), metallic=1.0)
    other = session.new_world_object(
        blender.context, "Other", new_world({(5, 5, 5): gold.voxel(1)}, Palette.of({1: gold}))
    )
    call("paste_voxels", at=(0, 0, 4))
    direct = session.world_of(other).region((0, 0, 0), (32, 32, 32))
    assert np.array_equal(direct, np.where(stairs().region((0, 0, 0), (32, 32, 32)) == 0x0200, MOSS.voxel(2), 0))
    clipboard._clips.clear()
    call("copy_from_file", filepath=str(path))
    call("paste_voxels", at=(0, 0, 4))
    assert np.array_equal(session.world_of(other).region((0, 0, 0), (32, 32, 32)), direct)


@pytest.mark.parametrize(
    ("name", "properties", "sentence"),
    [
        ("select_box", {"opposite": (1 << 20,) * 3}, "do it in parts"),
        ("select_connected", {"start_voxel": (0, 0, 0), "limit": 10}, "raise the limit"),
        ("export_selection", {"filepath": "/none/there.vxw"}, "does not exist"),
        ("copy_from_file", {"filepath": "/none/there.txt"}, "must end in"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(blender, owner, call, name, properties, sentence):
    call("select_box", corner=(0, 0, 0), opposite=(9, 9, 9))
    before = state_of(owner())
    with pytest.raises(RuntimeError, match=sentence):
        getattr(blender.ops.voxelwright, name)(**properties)
    assert state_of(owner()) == before


def test_the_clipboard_keeps_what_was_copied(owner, call):
    clipboard._clips.clear()
    call("select_box", corner=(0, 0, 0), opposite=(9, 9, 9))
    call("copy_voxels")
    call("delete_voxels")
    assert clipboard.clip().voxels.voxel(1, 1, 1) == 0x0100
    assert clipboard.clip().size == (10, 10, 10)


def test_an_empty_selection_is_none(owner):
    selections.select(owner(), box((0, 0, 0), (1, 1, 1)))
    selections.select(owner(), Selection())
    assert selections.selection_of(owner()) is None
    assert selections.number_of(owner()) == 0


def test_tooltips(blender):
    classes = [c for module in (copy_voxels, edit_voxels, move_voxels, select_voxels) for c in module.CLASSES]
    assert len(classes) == 19
    for operator in (getattr(blender.ops.voxelwright, c.bl_idname.partition(".")[2]).get_rna_type() for c in classes):
        assert operator.description
        for p in operator.properties:
            assert p.description or p.identifier in ("rna_type", "filter_glob", "check_existing"), p.identifier
