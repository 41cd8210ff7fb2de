# SPDX-License-Identifier: GPL-3.0-or-later
"""Principled materials from palette entries, and what a user may do to them between two bakes."""

import numpy as np
import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Palette, srgb_to_linear

bpy = pytest.importorskip("bpy")

from voxelwright.addon.bake.objects import bake_world  # noqa: E402 (it needs bpy)


def shader_of(material):
    return next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")


@pytest.fixture
def bake(scene, bakes):
    """A function that bakes a mix under a world's name and key; a dictionary of its materials by palette name."""

    def run(mix="kinds", key="key", name="World", **options):
        blocky, smooth = bakes.meshes_of(bakes.world_of(mix, **options))
        objects = bake_world(name, key, blocky, smooth, bakes.palette, None, scene)
        used = {slot.material for obj in objects for slot in obj.material_slots}
        return {material.name.removesuffix(f" ({name})"): material for material in used}

    return run


def test_one_material_for_each_entry_in_use(bake):
    assert set(bake("kinds")) == {"earth", "gold", "glass", "water", "lamp", "ember"}
    assert {m.name for m in bpy.data.materials} == {f"{n} (World)" for n in bake("kinds")}


def test_sockets_are_linear_and_solid_mode_shows_the_same_color(bake, bakes):
    for name, material in bake("kinds").items():
        entry = bakes.palette.materials[bakes.palette.index_of(name)]
        linear = srgb_to_linear(np.array(entry.color) / 255)
        inputs = shader_of(material).inputs
        np.testing.assert_allclose(inputs["Base Color"].default_value[:], (*linear, 1), atol=1e-6)
        np.testing.assert_allclose(material.diffuse_color[:], (*linear, entry.opacity), atol=1e-6)
        np.testing.assert_allclose(inputs["Emission Color"].default_value[:], (*linear, 1), atol=1e-6)
        values = [inputs[key].default_value for key in ("Roughness", "Metallic", "IOR", "Alpha", "Emission Strength")]
        expected = [entry.roughness, entry.metallic, entry.ior, entry.opacity, entry.emission]
        np.testing.assert_allclose(values, expected, atol=1e-6)
        np.testing.assert_allclose([material.roughness, material.metallic], expected[:2], atol=1e-6)


def test_a_middle_grey_byte_becomes_the_linear_value_of_the_standard(bake, bakes):
    """A number from IEC 61966-2-1, so that the test does not lean on our own function: sRGB 180 is 0.456411."""
    clay = bake("smooth")["clay"]
    assert shader_of(clay).inputs["Base Color"].default_value[0] == pytest.approx(0.456411, abs=1e-5)


def test_changes_and_names_of_materials_stay(bake):
    gold = bake("kinds")["gold"]
    gold.name = "my gold"
    shader_of(gold).inputs["Roughness"].default_value = 0.77
    assert bake("kinds", seed=2)["my gold"] == gold
    assert shader_of(gold).inputs["Roughness"].default_value == pytest.approx(0.77)
    assert "gold (World)" not in bpy.data.materials


def test_another_material_put_into_a_slot_stays(bake, scene):
    bake("kinds")
    obj = next(o for o in scene.objects if o.type == "MESH")
    mine = bpy.data.materials.new("mine")
    obj.material_slots["gold (World)"].material = mine
    assert set(bake("treasure")) == {"mine", "glass"}
    assert [slot.material.name for slot in obj.material_slots] == ["mine", "glass (World)"]


def test_slots_in_another_order_get_no_wrong_materials(bake, scene, bakes):
    bake("kinds")
    obj = next(o for o in scene.objects if o.type == "MESH")
    order = [slot.material for slot in obj.material_slots][::-1]
    for slot, material in zip(obj.material_slots, order, strict=True):
        slot.material = material
    bake("kinds")
    names = [slot.material.name for slot in obj.material_slots]
    assert names == [f"{n} (World)" for n in ("earth", "gold", "glass", "water", "lamp", "ember")]


def test_worlds_have_materials_of_their_own(bake):
    a, b = bake(key="a", name="A"), bake(key="b", name="B")
    assert not {*a.values()} & {*b.values()}


def test_blocks_and_smooth_surfaces_share_materials(scene, bakes):
    """A material that is placed both ways, as an import may do."""
    world = bakes.world_of("mixed")
    blocky, smooth = bakes.meshes_of(world)
    smooth.quad_materials[:] = 1
    blocks, surface = bake_world("World", "key", blocky, smooth, bakes.palette, None, scene)
    assert [slot.material.name for slot in surface.material_slots] == ["earth (World)"]
    assert surface.material_slots[0].material == blocks.material_slots[0].material


def test_an_entry_that_the_palette_lacks_is_an_error_before_anything_changes(scene, bakes):
    blocky, smooth = bakes.meshes_of(bakes.world_of("kinds"))
    palette = Palette.of({i: m for i, m in bakes.palette.items() if m.name != "lamp"})
    with pytest.raises(VoxelwrightError, match="material 7"):
        bake_world("World", "key", blocky, smooth, palette, None, scene)
    assert not bpy.data.objects and not bpy.data.materials and not bpy.data.collections
