# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals as Blender's objects: added, ordered, gathered for viewports, their images and what can be wrong with them."""

import math
import time
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from voxelwright.addon import decal_boxes, decal_gizmo, decal_images, decal_pixels, decals
from voxelwright.addon.properties import of_object, of_scene
from voxelwright.gpu_backend.decal_samples import SAMPLES
from voxelwright.voxel.palette import srgb_to_linear


def viewport(**space):
    """A context with a 3D viewport, of which Blender has none in the background."""
    shown = SimpleNamespace(local_view=None, show_object_viewport_empty=True, as_pointer=lambda: 1, **space)
    return SimpleNamespace(scene=bpy.context.scene, view_layer=bpy.context.view_layer, space_data=shown)


@pytest.fixture
def seen(monkeypatch):
    """A function that gives what a viewport shows, with hidden objects left out."""
    monkeypatch.setattr(decals, "_is_visible", lambda owner, shown: owner.visible_get(view_layer=shown.view_layer))
    decals._forget_all()

    def gathered():
        bpy.context.view_layer.update()
        return decals.shown_decals(viewport())

    return gathered


def add(name="a", matrix=None, image=None, **settings):
    owner = bpy.data.objects.new(name, None)
    owner.empty_display_type, owner.empty_display_size = "CUBE", 1.0
    bpy.context.scene.collection.objects.link(owner)
    owner.matrix_world = matrix or Matrix()
    decal = of_object(owner).decal
    decal.is_decal, decal.image = True, image or picture()
    for key, value in settings.items():
        setattr(decal, key, value)
    return owner


def picture(name="picture", color=(1, 0.5, 0, 1), *, is_float=False, size=(4, 4)):
    image = bpy.data.images.get(name) or bpy.data.images.new(name, *size, alpha=True, float_buffer=is_float)
    image.pixels[:] = color * (size[0] * size[1])
    return image


# --- Adding ----------------------------------------------------------------------------------------------------------


def test_a_decal_is_added_at_the_cursor_and_taken_back_by_one_undo(small_world):
    n = len(bpy.data.objects)
    bpy.context.scene.cursor.location = (20, 16, 500)
    assert bpy.ops.voxelwright.add_decal("EXEC_DEFAULT", True, picture="moss") == {"FINISHED"}
    owner = bpy.context.active_object
    assert decals.is_decal(owner) and bpy.context.selected_objects == [owner]
    assert (owner.empty_display_type, owner.empty_display_size) == ("CUBE", 1.0)
    # On the ground below, which has a face there, turned to its normal.
    top = small_world.matrix_world.inverted() @ owner.location
    assert 0 < top.z < 100
    box = decals.box_of(owner)
    assert np.linalg.norm(box[:3, :3], axis=0) == pytest.approx((5, 5, 2))
    bpy.ops.ed.undo()
    assert len(bpy.data.objects) == n


def test_without_a_world_it_is_put_where_the_cursor_is(blender):
    cursor = bpy.context.scene.cursor
    cursor.location, cursor.rotation_euler = (1, 2, 3), (math.pi / 2, 0, 0)
    bpy.ops.voxelwright.add_decal(picture="line")
    owner = bpy.context.active_object
    assert tuple(owner.location) == (1, 2, 3)
    z = owner.matrix_world.to_3x3().normalized().col[2]
    assert tuple(z) == pytest.approx((0, -1, 0), abs=1e-6)
    assert tuple(owner.scale) == pytest.approx((1, 12, 4.8))


@pytest.mark.parametrize("normal", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -2, 0), (0.3, -0.4, 0.6), (1e-4, 0, 5)])
def test_boxes_stand_on_normals_with_x_level_and_y_upwards(normal):
    box = decal_boxes.placed((1, 2, 3), normal, (1, 2, 3))
    axes = box[:3, :3] / (1, 2, 3)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1)
    np.testing.assert_allclose(axes[:, 2], np.array(normal) / np.linalg.norm(normal), atol=1e-9)
    if abs(axes[2, 2]) < 0.99:
        assert axes[2, 0] == pytest.approx(0) and axes[2, 1] > 0


def test_scripts_say_where_and_which_image(blender):
    picture("wide", size=(8, 2))
    bpy.ops.voxelwright.add_decal(image="wide", location=(5, 6, 7), normal=(1, 0, 0), length=4)
    owner = bpy.context.active_object
    assert of_object(owner).decal.image.name == "wide"
    assert tuple(owner.scale) == pytest.approx((2, 0.5, 0.8))
    with pytest.raises(RuntimeError, match='no image "other"; open it first'):
        bpy.ops.voxelwright.add_decal(image="other")
    with pytest.raises(RuntimeError, match="normal must not be zero"):
        bpy.ops.voxelwright.add_decal(location=(0, 0, 0), normal=(0, 0, 0))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_packed_images_made_once(blender, name):
    for _ in range(2):
        bpy.ops.voxelwright.add_decal(picture=name)
    settings = of_object(bpy.context.active_object).decal
    images = [image for image in (settings.image, settings.normal_map) if image is not None]
    assert len([i for i in bpy.data.images if i.get(decal_images.SAMPLE)]) == len(images)
    assert all(image.packed_file is not None for image in images)
    assert 0.02 < np.array(settings.image.pixels).reshape(-1, 4)[:, 3].mean() < 0.8


def test_every_sample_is_offered():
    assert {name for name, *_ in decal_images.ITEMS} == {*SAMPLES, decal_images.NONE}


def test_new_decals_lie_on_top(small_world):
    for _ in range(3):
        bpy.ops.voxelwright.add_decal(picture="arrow")
    assert [of_object(owner).decal.order for owner in decals.decals_in(bpy.context.scene)] == [0, 1, 2]


# --- What viewports show ---------------------------------------------------------------------------------------------


def test_settings_and_the_display_size_are_taken_over(blender, seen):
    owner = add(matrix=Matrix.LocRotScale((1, 2, 3), Euler((0.1, 0.2, 0.3)), (1, -2, 3)), tint=(0.5, 1, 0))
    owner.empty_display_size = 2.0
    settings = of_object(owner).decal
    settings.layers, settings.max_angle, settings.distance_length = {"SMOOTH"}, math.radians(60), 5.0
    (item,) = seen().decals.items
    np.testing.assert_allclose(item.from_box, np.array(owner.matrix_world) @ np.diag((2, 2, 2, 1)), atol=1e-6)
    assert (item.layers, item.tint) == (2, (0.5, 1, 0))
    assert item.max_angle == pytest.approx(math.radians(60))
    assert (item.image.texels[100, 100] == (255, 128, 0, 255)).all()


def test_parents_keyframes_and_drivers_move_decals(blender, seen):
    parent = bpy.data.objects.new("parent", None)
    bpy.context.scene.collection.objects.link(parent)
    owner = add()
    owner.parent = parent
    before = seen()
    assert seen() is before
    parent.location.x = 5
    assert seen().decals.from_box[0, 0, 3] == 5
    for frame, x in ((1, 0), (11, 10)):
        owner.location.x = x
        owner.keyframe_insert("location", index=0, frame=frame)
        of_object(owner).decal.color_mix = frame / 22
        owner.keyframe_insert("voxelwright.decal.color_mix", frame=frame)
    bpy.context.scene.frame_set(11)
    shown = seen().decals
    assert shown.from_box[0, 0, 3] == pytest.approx(15)
    assert shown.items[0].color_mix == pytest.approx(0.5)


def test_what_is_hidden_deleted_or_in_edited_settings_is_seen_to(blender, seen):
    a, b = add("a"), add("b")
    assert len(seen().decals) == 2
    a.hide_set(True)
    assert [item.name for item in seen().decals.items] == ["b"]
    of_object(b).decal.tint = (0, 0, 1)
    assert seen().decals.items[0].tint == (0, 0, 1)
    bpy.data.objects.remove(b)
    assert len(seen().decals) == 0
    a.hide_set(False)
    assert len(seen().decals) == 1
    of_object(a).decal.is_decal = False
    assert len(seen().decals) == 0


def test_decals_are_laid_on_by_order_and_the_list_moves_them(blender, seen):
    for name, order in (("c", 1), ("a", 1), ("b", 0)):
        add(name, order=order)
    assert [item.name for item in seen().decals.items] == ["b", "a", "c"]
    bpy.context.view_layer.objects.active = bpy.data.objects["b"]
    assert bpy.ops.voxelwright.move_decal(steps=1) == {"FINISHED"}
    assert [item.name for item in seen().decals.items] == ["a", "b", "c"]
    bpy.ops.voxelwright.move_decal(steps=99)
    assert [item.name for item in seen().decals.items] == ["a", "c", "b"]
    assert bpy.ops.voxelwright.move_decal(steps=1) == {"CANCELLED"}


def test_a_click_in_the_list_selects(blender):
    a, b = add("a"), add("b")
    settings = of_scene(bpy.context.scene)
    settings.decal_index = bpy.context.scene.objects.find("a")
    assert bpy.context.selected_objects == [a] and bpy.context.active_object == a
    bpy.context.view_layer.objects.active = b
    assert bpy.context.scene.objects[settings.decal_index] == b
    left_out = bpy.data.collections.new("left out")
    bpy.context.scene.collection.children.link(left_out)
    left_out.objects.link(a)
    bpy.context.scene.collection.objects.unlink(a)
    bpy.context.view_layer.layer_collection.children["left out"].exclude = True
    b.select_set(True)
    settings.decal_index = bpy.context.scene.objects.find("a")
    assert bpy.context.selected_objects == [b] and bpy.context.active_object == b


def test_worlds_get_decals_in_their_voxels_and_the_same_ones_until_something_changes(blender, seen):
    add(matrix=Matrix.Translation((10, 0, 0)), distance_begin=8.0, distance_length=4.0)
    matrix = np.diag((2.0, 2, 2, 1))
    first = seen().in_world(matrix)
    assert first is seen().in_world(matrix.copy())
    np.testing.assert_allclose(first.from_box[0], [(0.5, 0, 0, 5), (0, 0.5, 0, 0), (0, 0, 0.5, 0), (0, 0, 0, 1)])
    assert first.records["fades"][0].tolist() == [0, 0, 4, 2]
    of_object(bpy.data.objects["a"]).decal.is_decal = False
    assert seen().in_world(matrix) is None


def test_bad_decals_are_a_sentence_and_the_others_are_shown(blender, seen):
    missing = bpy.data.images.new("gone", 1, 1)
    missing.source, missing.filepath = "FILE", "/nowhere/gone.png"
    add("flat a", Matrix.Diagonal((1, 0, 1, 1)))
    add("flat b", Matrix.Diagonal((0, 0, 0, 1)))
    add("lost", image=missing)
    add("fine")
    found = seen()
    assert [item.name for item in found.decals.items] == ["fine"]
    assert found.problems == (
        'The decals "flat a" and "flat b" have no extent; give their empties another scale than 0.',
        'The image "gone" cannot be read; find its file again or choose another one. Without it: "lost".',
    )


def test_ten_thousand_decals_are_gathered_soon_and_kept(blender, seen):
    first = add()
    for index in range(1, 10_000):
        copy = first.copy()
        copy.location = index % 100, index // 100, 0
        bpy.context.scene.collection.objects.link(copy)
    bpy.context.view_layer.update()
    begun = time.perf_counter()
    assert len(seen().decals) == 10_000
    assert time.perf_counter() - begun < 3
    begun = time.perf_counter()
    seen()
    assert time.perf_counter() - begun < 0.1


# --- Images ----------------------------------------------------------------------------------------------------------


def texel(image, *, is_normal_map=False):
    texels = decal_pixels.decal_image(image, decal_pixels.version_of(image), is_normal_map=is_normal_map).texels
    return texels[50, 50].astype(float) / 255


def test_color_spaces_and_alpha_are_respected(blender):
    half = (0.5, 0.5, 0.5, 1)
    assert texel(picture("srgb", half)) == pytest.approx((0.5, 0.5, 0.5, 1), abs=3e-3)
    data = bpy.data.images.new("data", 4, 4, is_data=True)
    picture("data", half)
    assert srgb_to_linear(texel(data)[:3]) == pytest.approx([0.5] * 3, abs=5e-3)
    assert texel(data, is_normal_map=True)[:3] == pytest.approx([0.5] * 3, abs=3e-3)
    floats = picture("floats", (0.25, 0.25, 0.25, 0.5), is_float=True)
    assert srgb_to_linear(texel(floats)[:3]) == pytest.approx([0.5] * 3, abs=5e-3)
    assert texel(floats)[3] == pytest.approx(0.5, abs=3e-3)
    opaque = picture("opaque", (0.5, 0.5, 0.5, 0.1))
    opaque.alpha_mode = "NONE"
    assert texel(opaque)[3] == 1


def test_the_first_row_is_below(blender):
    image = picture("rows", size=(2, 2))
    image.pixels[:] = (1, 0, 0, 1) * 2 + (0, 0, 1, 1) * 2
    texels = decal_pixels.decal_image(image, 0, is_normal_map=False).texels
    assert texels[0, 0].tolist() == [255, 0, 0, 255] and texels[-1, 0].tolist() == [0, 0, 255, 255]


def test_painted_images_are_read_again(blender, seen, monkeypatch):
    monkeypatch.setattr(decal_pixels, "_PATIENCE", 0.0)
    image = picture("canvas", (1, 0, 0, 1))
    add(image=image)
    first = seen()
    assert seen() is first
    image.pixels[0] = 0.0
    again = seen()
    assert again is not first
    assert (again.decals.items[0].image.texels != first.decals.items[0].image.texels).any()
    bpy.data.images.remove(image)
    assert len(seen().decals) == 0


def test_an_image_that_is_too_large_is_a_sentence(blender, seen, monkeypatch):
    monkeypatch.setattr(decal_pixels, "MAX_PIXELS", 15)
    add()
    assert seen().problems == ('The image "picture" has more than 4096 × 4096 pixels; scale it down. Without it: "a".',)


# --- The gizmo -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [(1, 2, 3), (-1, 2, 3)])
def test_arrows_set_half_extents(blender, scale):
    owner = add(matrix=Matrix.LocRotScale((1, 2, 3), Euler((0.4, 0, 1)), scale))
    owner.empty_display_size = 0.5
    bpy.context.view_layer.update()
    assert [decal_gizmo.half_extent(owner, axis) for axis in range(3)] == pytest.approx([0.5, 1, 1.5])
    decal_gizmo.set_half_extent(owner, 0, 4.0)
    decal_gizmo.set_half_extent(owner, 2, -1.0)
    bpy.context.view_layer.update()
    assert [decal_gizmo.half_extent(owner, axis) for axis in range(3)] == pytest.approx([4, 1, 1e-3])
    assert math.copysign(1, owner.scale[0]) == math.copysign(1, scale[0])
