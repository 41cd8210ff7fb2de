# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals baked with their world: patches on its surface with their own materials, updated by the next bake."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from voxelwright.addon import decals
from voxelwright.addon.bake.export import export_objects
from voxelwright.addon.bake.objects import baked_objects
from voxelwright.addon.properties import of_object
from voxelwright.addon.session import world_id
from voxelwright.voxel.mesh.decal_patches import OFFSET

EXPECTED_TINT = (1.0, 0.5, 0.25)


@pytest.fixture
def ground(blender):
    """The empty of a floor of 32 × 32 voxels, 4 high, turned and larger, with a step."""
    bpy.ops.voxelwright.new_world("EXEC_DEFAULT", preset="rolling_hills", size=(8, 8, 8), seed=1)
    owner = bpy.context.active_object
    bpy.ops.voxelwright.draw_box(action="REMOVE", start=(0, 0, -64), end=(31, 31, 96))
    bpy.ops.voxelwright.draw_box(action="ADD", material="3", start=(0, 0, 0), end=(31, 31, 3))
    bpy.ops.voxelwright.draw_box(action="ADD", material="3", start=(20, 0, 4), end=(31, 31, 5))
    owner.matrix_world = Matrix.LocRotScale((5, 6, 7), Matrix.Rotation(0.5, 3, "Z"), (2, 2, 2))
    bpy.context.view_layer.update()
    return owner


def add(ground, at, normal=(0, 0, 1), **settings):
    """A decal where a place of the world's voxel space is, 8 voxels wide and high."""
    matrix = ground.matrix_world
    place, direction = (
        matrix @ Matrix.Translation(at).translation,
        matrix.to_3x3() @ Matrix.Translation(normal).translation,
    )
    bpy.ops.voxelwright.add_decal(picture="moss", location=place, normal=direction, length=16)
    owner = bpy.context.active_object
    for key, value in settings.items():
        setattr(of_object(owner).decal, key, value)
    bpy.context.view_layer.update()
    return owner


def bake(ground, **options):
    bpy.context.view_layer.objects.active = ground
    bpy.ops.voxelwright.bake_world("EXEC_DEFAULT", True, topings="none", **options)
    found = baked_objects(bpy.context.scene, world_id(ground))
    return next((obj for obj in found if obj.name.endswith("Decals")), None), found


def area_of(obj):
    """In voxels."""
    return sum(polygon.area for polygon in obj.data.polygons)


def test_a_world_without_extent_has_no_patches(ground):
    add(ground, (8, 8, 4))
    ground.scale.z = 0
    bpy.context.view_layer.update()
    obj, found = bake(ground)
    assert obj is None and len(found) == 1


def test_patches_lie_on_the_ground_under_their_boxes(ground):
    add(ground, (8, 8, 4))
    obj, found = bake(ground)
    assert obj.parent == ground and obj.matrix_basis == Matrix() and len(found) == 2
    assert not obj.data.validate(verbose=True)
    # The box is turned by 0.5 about the world's Z axis, which the decal's own X axis is not.
    assert area_of(obj) == pytest.approx(64, rel=1e-4)
    heights = np.array([v.co.z for v in obj.data.vertices])
    np.testing.assert_allclose(heights, 4 + OFFSET, atol=1e-5)
    assert all(polygon.normal.z > 0.999 for polygon in obj.data.polygons)
    uvs = np.empty(len(obj.data.loops) * 2, np.float32)
    obj.data.uv_layers[0].uv.foreach_get("vector", uvs)
    assert uvs.min() == pytest.approx(0, abs=1e-5) and uvs.max() == pytest.approx(1, abs=1e-5)
    # An image's corner is where the box's is.
    local = np.array([decals.box_of(bpy.data.objects["Moss Decal"])])[0]
    corner = (
        np.linalg.inv(local)
        @ np.array(ground.matrix_world)
        @ (*obj.data.vertices[obj.data.loops[0].vertex_index].co, 1)
    )
    np.testing.assert_allclose(corner[:2] / 2 + 0.5, uvs[:2], atol=1e-4)


def test_steps_have_patches_only_within_the_angle(ground):
    owner = add(ground, (20, 16, 4))
    without, _ = bake(ground)
    tops = area_of(without)
    of_object(owner).decal.max_angle = np.radians(120)
    with_sides, _ = bake(ground)
    assert with_sides == without
    assert area_of(with_sides) > tops + 3
    assert {round(p.normal.z, 3) for p in with_sides.data.polygons} == {0.0, 1.0}


def test_materials_have_the_images_the_tint_and_the_mix(ground):
    add(ground, (8, 8, 4), tint=EXPECTED_TINT, color_mix=0.5)
    add(ground, (24, 24, 6))
    obj, _ = bake(ground)
    tinted, plain = (next(m for m in obj.data.materials if _has(m, "MATH") is is_tinted) for is_tinted in (True, False))
    assert _has(tinted, "MIX") and not _has(plain, "MIX")
    images = {n.image.name for n in plain.node_tree.nodes if n.type == "TEX_IMAGE"}
    assert images == {"Moss", "Moss Normals"}
    assert (
        [p.material_index for p in obj.data.polygons].count(0)
        > 0
        < [p.material_index for p in obj.data.polygons].count(1)
    )


def _has(material, kind):
    return any(node.type == kind for node in material.node_tree.nodes)


def test_baking_again_updates_and_keeps_what_users_did(ground):
    owner = add(ground, (8, 8, 4))
    obj, _ = bake(ground)
    obj.name = "my decals Decals"
    own = bpy.data.materials.new("own")
    obj.data.materials[0] = own
    owner.location.x += 4
    before = [tuple(v.co) for v in obj.data.vertices]
    again, _ = bake(ground)
    assert again == obj and list(again.data.materials) == [own]
    assert [tuple(v.co) for v in again.data.vertices] != before
    of_object(owner).decal.is_decal = False
    gone, found = bake(ground)
    assert gone is None and len(found) == 1
    of_object(owner).decal.is_decal = True
    assert bake(ground, with_decals=False)[0] is None


def test_the_validator_finds_nothing_and_the_file_has_the_textures(ground, bakes, validate_gltf, tmp_path):
    add(ground, (8, 8, 4), tint=EXPECTED_TINT, color_mix=0.5, normal_mix=0.75)
    _, found = bake(ground)
    path = tmp_path / "decals.glb"
    export_objects(found, path)
    issues = validate_gltf(path)["issues"]
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"]
    gltf, _ = bakes.read_glb(path)
    material = next(m for m in gltf["materials"] if m["name"].startswith("Moss"))
    surface = material["pbrMetallicRoughness"]
    assert material["alphaMode"] == "BLEND" and "baseColorTexture" in surface
    assert surface["baseColorFactor"] == pytest.approx((*EXPECTED_TINT, 0.5), abs=1e-4)
    assert material["normalTexture"]["scale"] == pytest.approx(0.75)
