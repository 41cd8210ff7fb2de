# SPDX-License-Identifier: GPL-3.0-or-later
"""The palette's operators as scripts and the redo panel call them."""

from dataclasses import replace

import numpy as np
import pytest

from voxelwright.addon import idnames, palettes, session, swatches
from voxelwright.voxel.palette import TEXTURES, Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import World, new_world

STONE = Material("stone", (128, 126, 124))
SNOW = Material("snow", (250, 250, 250), smooth=True)
GLASS = Material("glass", (180, 200, 220), opacity=0.3)

OPERATORS = (
    idnames.OT_SET_MATERIAL, idnames.OT_SEARCH_MATERIAL, idnames.OT_ADD_MATERIAL, idnames.OT_EDIT_MATERIAL,
    idnames.OT_MOVE_MATERIAL, idnames.OT_MERGE_MATERIAL, idnames.OT_PURGE_MATERIALS, idnames.OT_REPLACE_MATERIAL,
)  # fmt: skip


@pytest.fixture
def owner(blender):
    """A world of stone, snow and glass, the last of which no voxel has, at 1, 2 and 4; after an undo step."""
    blender.ops.ed.undo_push(message="start")
    palette = Palette.of({1: STONE, 2: SNOW, 4: GLASS})
    world = new_world({(0, 0, 0): 0x0100, (1, 0, 0): 0x0210, (2, 0, 0): 0x0100}, palette)
    made = session.new_world_object(blender.context, "world", world)
    blender.ops.ed.undo_push(message="made")
    return made


def called(blender, idname, **arguments):
    return getattr(blender.ops.voxelwright, idname.partition(".")[2])("EXEC_DEFAULT", True, **arguments)


def world(blender):
    return session.world_of(blender.context.active_object)


def names(blender):
    return [(index, material.name) for index, material in world(blender).palette.items()]


@pytest.mark.parametrize(
    ("idname", "arguments", "expected", "active"),
    [
        (idnames.OT_ADD_MATERIAL, {}, [(1, "stone"), (2, "snow"), (3, "snow.001"), (4, "glass")], 3),
        (idnames.OT_ADD_MATERIAL, {"name": "moss"}, [(1, "stone"), (2, "snow"), (3, "moss"), (4, "glass")], 3),
        (idnames.OT_EDIT_MATERIAL, {"name": "ice"}, [(1, "stone"), (2, "ice"), (4, "glass")], 2),
        (idnames.OT_MOVE_MATERIAL, {"steps": -1}, [(1, "snow"), (2, "stone"), (4, "glass")], 1),
        (idnames.OT_MERGE_MATERIAL, {"into": "1"}, [(1, "stone"), (4, "glass")], 1),
        (idnames.OT_PURGE_MATERIALS, {}, [(1, "stone"), (2, "snow")], 2),
        (idnames.OT_REPLACE_MATERIAL, {"material": "1", "by": "0"}, [(1, "stone"), (2, "snow"), (4, "glass")], 2),
    ],
)
def test_each_is_one_step_of_undo(blender, owner, idname, arguments, expected, active):
    called(blender, idnames.OT_SET_MATERIAL, index=2)
    before, steps = world_to_bytes(world(blender)), blender.context.active_object.voxelwright.revision
    assert called(blender, idname, **arguments) == {"FINISHED"}
    assert names(blender) == expected
    assert palettes.active_material(blender.context.active_object) == active
    assert blender.context.active_object.voxelwright.revision == steps + 1
    after = world_to_bytes(world(blender))
    assert after != before
    blender.ops.ed.undo()
    assert world_to_bytes(world(blender)) == before
    assert palettes.active_material(blender.context.active_object) == 2
    blender.ops.ed.redo()
    assert world_to_bytes(world(blender)) == after
    assert palettes.active_material(blender.context.active_object) == active


def test_only_what_is_given_is_changed(blender, owner):
    called(blender, idnames.OT_EDIT_MATERIAL, roughness=0.3, color=(1.0, 0.5, 0.0), emission=2.5, texture="rock")
    expected = replace(STONE, roughness=0.3, color=(255, 128, 0), emission=2.5, texture="rock")
    assert world(blender).palette.materials[1] == expected
    assert world(blender).chunk((0, 0, 0)) == 0x0140


def test_replacing_leaves_the_palette(blender, owner):
    called(blender, idnames.OT_REPLACE_MATERIAL, material="1", by="4")
    assert [world(blender).chunk((x, 0, 0)) for x in range(3)] == [0x0420, 0x0210, 0x0420]
    assert len(world(blender).palette.items()) == 3


def test_a_material_that_is_not_there_is_refused(blender, owner):
    with pytest.raises(RuntimeError, match="no material 3"):
        called(blender, idnames.OT_SET_MATERIAL, index=3)
    with pytest.raises(RuntimeError, match="cannot be merged into itself"):
        called(blender, idnames.OT_MERGE_MATERIAL, into="1")


def test_there_is_always_an_active_material(blender, owner):
    group = owner.voxelwright
    assert palettes.active_material(owner) == 1
    for chosen, expected in ((2, 2), (3, 2), (4, 4), (255, 4)):
        group.material = chosen
        assert palettes.active_material(owner) == expected
        assert palettes.index_of(palettes.ACTIVE, owner) == expected
    called(blender, idnames.OT_MERGE_MATERIAL, into="2")
    called(blender, idnames.OT_SET_MATERIAL, index=1)
    called(blender, idnames.OT_MERGE_MATERIAL, into="2")
    group.material = 1
    assert palettes.active_material(owner) == 2
    empty = session.new_world_object(blender.context, "empty", World())
    assert palettes.active_material(empty) == 1
    called(blender, idnames.OT_ADD_MATERIAL)
    assert names(blender) == [(1, "material")]


def test_materials_as_items(blender, owner):
    plain = [("1", "stone", 1), ("2", "snow", 2), ("4", "glass", 4)]
    for items, expected in (
        (palettes.only_material_items, plain),
        (palettes.material_items, [("0", "Active", 0), *plain]),
    ):
        found = items(None, blender.context)
        assert [(item[0], item[1], item[4]) for item in found] == expected
    blender.ops.wm.read_homefile(use_empty=True)
    assert [item[0] for item in palettes.only_material_items(None, blender.context)] == ["0"]


def test_operators_need_a_world_and_have_tooltips(blender):
    for idname in OPERATORS:
        operator = getattr(blender.ops.voxelwright, idname.partition(".")[2])
        assert not operator.poll()
        kind = operator.get_rna_type()
        assert kind.description
        assert all(p.description for p in kind.properties if p.identifier != "rna_type")


@pytest.mark.parametrize("texture", TEXTURES)
def test_swatches_have_the_materials_color(texture):
    picture = swatches.swatch(replace(STONE, texture=texture))
    assert picture.shape == (64, 64, 4)
    assert (picture[:, :, 3] == 1).all()
    middle = picture[4:-4, 4:-4, :3]
    assert np.abs(middle.mean(axis=(0, 1)) * 255 - STONE.color).max() < 8
    assert (middle.std(axis=(0, 1)).max() > 0.01) == (texture != "plain")
    assert picture[0, :, :3].mean() < 0.7 * middle.mean(), "a dark rim"


def test_smooth_swatches_are_round_and_transparent_ones_are_seen():
    disc = swatches.swatch(SNOW)
    assert disc[0, 0].tolist() == [0, 0, 0, 0]
    assert disc[32, 32, 3] == 1
    assert disc[:, :, 3].mean() == pytest.approx(np.pi / 4, abs=0.03)
    glass = swatches.swatch(replace(GLASS, texture="plain"))
    assert glass[32, 32].tolist() == pytest.approx([0.35 * c / 255 for c in (180, 200, 220)] + [0.35], abs=0.003)
    assert swatches.icon_of(STONE) == 0, "without a window there are no icons"
