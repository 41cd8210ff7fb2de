# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a bake: where they are, what a second bake keeps, replaces and removes."""

import numpy as np
import pytest
from mathutils import Matrix

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import unpack_quads

bpy = pytest.importorskip("bpy")

from voxelwright.addon.bake.objects import bake_world  # noqa: E402 (it needs bpy)


@pytest.fixture
def bake(scene, bakes):
    """A function that bakes a mix and gives its objects."""

    def run(mix="mixed", key="key", name="World", parent=None, into=None, **options):
        blocky, smooth = bakes.meshes_of(bakes.world_of(mix, **options))
        return bake_world(name, key, blocky, smooth, bakes.palette, parent, into or scene)

    return run


def areas(obj, bakes):
    """Area by the name of the material."""
    n = len(obj.data.polygons)
    sums = np.bincount(
        bakes.get(obj.data.polygons, "material_index", n, np.int32), bakes.get(obj.data.polygons, "area", n)
    )
    return {slot.material.name: area for slot, area in zip(obj.material_slots, sums, strict=True)}


def test_areas_by_material_are_the_meshes(scene, bakes):
    blocky, smooth = bakes.meshes_of(bakes.world_of("mixed"))
    blocks, surface = bake_world("World", "key", blocky, smooth, bakes.palette, None, scene)
    fields = unpack_quads(blocky.quads)
    expected = np.bincount(fields["material"], fields["width"] * fields["height"], minlength=256)
    names = {i: f"{m.name} (World)" for i, m in bakes.palette.items()}
    assert areas(blocks, bakes) == pytest.approx({names[i]: expected[i] for i in np.flatnonzero(expected)}, rel=1e-5)

    quads = smooth.world_positions()[smooth.quads]
    a, b, c = quads[:, 1] - quads[:, 0], quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 0]
    quad_areas = (np.linalg.norm(np.cross(a, b), axis=1) + np.linalg.norm(np.cross(b, c), axis=1)) / 2
    expected = np.bincount(smooth.quad_materials, quad_areas, minlength=256)
    assert areas(surface, bakes) == pytest.approx({names[i]: expected[i] for i in np.flatnonzero(expected)}, rel=1e-5)


def test_a_world_has_a_collection_of_two_objects_in_voxel_space(bake, scene):
    objects = bake()
    assert [obj.name for obj in objects] == ["World Blocks", "World Smooth"]
    collection = scene.collection.children["World Baked"]
    assert list(collection.objects) == objects
    for obj in objects:
        assert obj.parent is None
        assert obj.matrix_world == obj.matrix_basis == Matrix()
        assert not obj.data.validate(verbose=True)


def test_the_parents_transform_counts(bake, scene):
    empty = bpy.data.objects.new("World", None)
    scene.collection.objects.link(empty)
    empty.matrix_basis = Matrix.LocRotScale((1, 2, 3), None, (0.5, 0.5, 0.5))
    objects = bake(parent=empty)
    bpy.context.view_layer.update()
    for obj in objects:
        assert obj.parent == empty
        assert obj.matrix_basis == obj.matrix_parent_inverse == Matrix()
        assert obj.matrix_world == empty.matrix_basis


@pytest.mark.parametrize(("mix", "part"), [("blocky", "World Blocks"), ("smooth", "World Smooth")])
def test_a_part_without_surface_gets_no_object(bake, mix, part):
    assert [obj.name for obj in bake(mix)] == [part]


def test_baking_again_keeps_objects_whatever_their_names(bake, scene):
    before = bake()
    blocks, surface = before
    data = [obj.data for obj in before]
    blocks.modifiers.new("mine", "DECIMATE")
    blocks.name, blocks.data.name = "my blocks", "my mesh"
    scene.collection.children["World Baked"].name = "my collection"
    surface.location = 5, 0, 0
    after = bake(seed=2, name="Renamed")
    assert after == before
    assert [obj.data for obj in after] == data
    assert (blocks.name, blocks.data.name, list(blocks.modifiers.keys())) == ("my blocks", "my mesh", ["mine"])
    assert tuple(surface.location) == (5, 0, 0)
    assert [c.name for c in bpy.data.collections] == ["my collection"]
    assert len(bpy.data.objects) == len(bpy.data.meshes) == 2


def test_baking_again_replaces_the_geometry_and_shape_keys(bake, bakes):
    blocks, _ = bake()
    old = len(blocks.data.polygons)
    blocks.shape_key_add(name="Basis")
    assert bake(seed=2, size=(4, 4, 4))[0] == blocks
    assert len(blocks.data.polygons) < old
    bpy.context.view_layer.update()
    evaluated = blocks.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert max(evaluated.dimensions) <= 4
    assert not blocks.data.validate(verbose=True)


def test_an_object_whose_mesh_is_empty_now_goes(bake):
    blocks, surface = bake("mixed")
    name, mesh_name = surface.name, surface.data.name
    assert bake("blocky") == [blocks]
    assert name not in bpy.data.objects
    assert mesh_name not in bpy.data.meshes


def test_a_deleted_object_comes_back_in_its_collection(bake, scene):
    blocks, _ = bake()
    bpy.data.objects.remove(blocks)
    assert [obj.name for obj in scene.collection.children["World Baked"].objects] == ["World Smooth"]
    objects = bake()
    assert {*scene.collection.children["World Baked"].objects} == {*objects}


def test_an_object_moved_to_another_collection_is_found_there(bake, scene):
    blocks, _ = bake()
    other = bpy.data.collections.new("other")
    scene.collection.children.link(other)
    other.objects.link(blocks)
    scene.collection.children["World Baked"].objects.unlink(blocks)
    assert bake()[0] == blocks
    assert list(blocks.users_collection) == [other]


def test_a_copy_made_by_the_user_is_left_alone(bake, scene):
    blocks, _ = bake()
    copy = blocks.copy()
    copy.data = blocks.data.copy()
    scene.collection.children["World Baked"].objects.link(copy)
    copy.name = "A copy"  # before the original in the alphabet
    n = len(copy.data.polygons)
    assert bake(seed=2)[0] == blocks
    assert len(copy.data.polygons) == n


def test_worlds_are_kept_apart(bake):
    a, b = bake(key="a", name="A"), bake(key="b", name="B")
    assert not {*a} & {*b}
    assert bake(key="a", name="A") == a


def test_nothing_is_baked_over_what_is_being_edited(bake, scene):
    blocks, _ = bake()
    n = len(blocks.data.polygons)
    bpy.context.view_layer.objects.active = blocks
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(VoxelwrightError, match=r"World Blocks.*Object Mode"):
        bake(seed=2)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(blocks.data.polygons) == n


def test_a_second_scene_shows_the_same_collection(bake, scene):
    objects = bake()
    other = bpy.data.scenes.new("other")
    assert bake(into=other) == objects
    assert other.collection.children[0] == scene.collection.children[0]
