# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators do throughout worlds, and with Blender's meshes and text, as scripts and the redo panel call them."""

import math

import numpy as np
import pytest

from voxelwright.addon import clipboard, idnames, meshes, presets, selections, session
from voxelwright.voxel.edit import actions, patterns, sculpt
from voxelwright.voxel.edit.clipboard import copy
from voxelwright.voxel.edit.dabs import throughout
from voxelwright.voxel.edit.scatter import clip_of
from voxelwright.voxel.edit.selection import between_heights, box, everywhere, solid
from voxelwright.voxel.edit.slope import paint_slope
from voxelwright.voxel.edit.weathering import weather
from voxelwright.voxel.generate.preset import Erosion
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import new_world

STONE, MOSS = Material("stone", (128, 126, 124)), Material("moss", (70, 110, 40))
OPERATORS = (
    idnames.OT_SMOOTH_WORLD, idnames.OT_ROUGHEN_WORLD, idnames.OT_ERODE_WORLD, idnames.OT_PAINT_GROUND,
    idnames.OT_SCATTER, idnames.OT_VOXELISE_MESH, idnames.OT_ADD_TEXT,
)  # fmt: skip


def hills():
    """64 × 64 voxels of ground with hills and a wall."""
    x, y = np.meshgrid(np.arange(64), np.arange(64), indexing="ij")
    heights = 12 + 6 * np.sin(x / 6) * np.cos(y / 9) + 8 * (x > 40)
    voxels = np.where(np.arange(32) < heights[:, :, None], 0x0100, 0).astype(np.uint16)
    chunks = {(i, j, 0): np.ascontiguousarray(voxels[32 * i :][:32, 32 * j :][:, :32]) for i, j in np.ndindex(2, 2)}
    return new_world(chunks, Palette.of({1: STONE, 2: MOSS}))


@pytest.fixture
def owner(blender):
    """The empty of a world with hills, after an undo step."""
    blender.ops.ed.undo_push(message="start")
    made = session.new_world_object(blender.context, "world", hills())
    made.voxelwright.material = 2
    blender.ops.ed.undo_push(message="made")
    return made


def called(blender, idname, **arguments):
    return getattr(blender.ops.voxelwright, idname.partition(".")[2])("EXEC_DEFAULT", True, **arguments)


def world(blender, name="world"):
    return session.world_of(blender.data.objects[name])


def smoothed(ground):
    return throughout(ground, sculpt.smooth(0.8), everywhere(ground), 2)


def roughened(ground):
    return throughout(ground, sculpt.roughen(2.0, 10.0, seed=4), everywhere(ground))


def eroded(ground):
    return finish(weather(ground, solid(ground), [Erosion("thermal", 1.0, 0.5, 0.5)], 3))


def painted(ground):
    steep = paint_slope(patterns.only(2), math.tan(math.radians(30)), 4.0)
    return throughout(ground, steep, between_heights(everywhere(ground), 10, 20))


@pytest.mark.parametrize(
    ("idname", "arguments", "edit_of"),
    [
        (idnames.OT_SMOOTH_WORLD, {"times": 2, "strength": 0.8}, smoothed),
        (idnames.OT_ROUGHEN_WORLD, {"strength": 2.0, "wavelength": 10.0, "seed": 4}, roughened),
        (idnames.OT_ERODE_WORLD, {"talus": 0.5, "seed": 3}, eroded),
        (idnames.OT_PAINT_GROUND, {"least_slope": math.radians(30), "lowest": 10, "highest": 20}, painted),
    ],
)
def test_operators_do_what_the_functions_do_as_one_step(blender, owner, idname, arguments, edit_of):
    before, revision = world_to_bytes(world(blender)), owner.voxelwright.revision
    expected = hills()
    edit = edit_of(expected)
    expected.apply(edit)
    assert called(blender, idname, **arguments) == {"FINISHED"}
    assert world_to_bytes(world(blender)) == world_to_bytes(expected) != before
    assert blender.data.objects["world"].voxelwright.revision == revision + 1
    blender.ops.ed.undo()
    assert world_to_bytes(world(blender)) == before


@pytest.mark.parametrize(
    ("idname", "arguments"),
    [
        (idnames.OT_ROUGHEN_WORLD, {"strength": 8.0}),
        (idnames.OT_ERODE_WORLD, {"talus": 0.0}),
        (idnames.OT_PAINT_GROUND, {"least_slope": 0.0}),
        (idnames.OT_SCATTER, {"spacing": 4, "chance": 1.0}),
        (idnames.OT_REPLACE_MATERIAL, {"material": "1", "by": "2"}),
        (idnames.OT_ADD_TEXT, {"text": "HHHHHHHH"}),
    ],
)
def test_only_what_is_selected_is_changed(blender, owner, idname, arguments):
    low, high = (-32, -32, -32), (96, 96, 96)
    part = box((10, 12, -32), (49, 30, 40))
    selections.select(owner, part)
    blender.context.scene.cursor.location = (32, 20, 8)
    blender.ops.ed.undo_push(message="selected")
    called(blender, idname, **arguments)
    changed = world(blender).region(low, high) != hills().region(low, high)
    assert changed.any()
    changed[10 + 32 : 50 + 32, 12 + 32 : 31 + 32, : 41 + 32] = False
    if idname != idnames.OT_SCATTER:  # what stands in the selection may reach out of it
        assert not changed.any()


def test_stamps_are_scattered_with_their_materials(blender, owner):
    called(blender, idnames.OT_SCATTER, what="pine", spacing=16, seed=1)
    names = {material.name for _, material in world(blender).palette.items()}
    assert names > {"stone", "moss"}
    assert world(blender).bounds()[1][2] > 32


def test_the_clipboard_is_scattered_on_one_material(blender, owner):
    clipboard._clips.clear()
    with pytest.raises(RuntimeError, match="nothing to scatter; copy a selection"):
        called(blender, idnames.OT_SCATTER, what="CLIPBOARD")
    post = new_world({(0, 0, 0): 0x0200}, Palette.of({2: MOSS}))
    clipboard.put(copy(post, box((0, 0, 0), (0, 0, 3))))
    ground = world(blender)
    ground.apply(throughout(ground, actions.paint(patterns.only(2)), box((0, 0, 0), (9, 63, 31))))
    called(blender, idnames.OT_SCATTER, what="CLIPBOARD", spacing=1, chance=1.0, is_on_material=True, material="2")
    tops = world(blender).region((0, 0, 0), (64, 64, 64))
    grown = np.count_nonzero(tops, axis=2) - np.count_nonzero(hills().region((0, 0, 0), (64, 64, 64)), axis=2)
    assert np.all(grown[:10] == 4)
    assert np.all(grown[10:] == 0)
    clipboard._clips.clear()


def test_every_stamp_is_a_clip():
    for name in presets.stamp_names():
        stamp = presets.stamp(name)
        clip = clip_of(stamp, presets.palette("default"))
        assert clip.size == stamp.shape
        assert clip.voxels.material_counts()[1:].sum() == np.count_nonzero(stamp.voxels(presets.palette("default")))


# --- Meshes -----------------------------------------------------------------------------------------------------


def add_mesh(blender, name, corners, faces, colors=None):
    data = blender.data.meshes.new(name)
    data.from_pydata(corners, [], faces)
    if colors is not None:
        attribute = data.color_attributes.new("Col", "BYTE_COLOR", "CORNER")
        attribute.data.foreach_set("color_srgb", np.repeat(colors, [len(f) for f in faces], axis=0).ravel())
    made = blender.data.objects.new(name, data)
    blender.context.collection.objects.link(made)
    return made


CORNERS = [(float(x), float(y), float(z)) for x, y, z in np.ndindex(2, 2, 2)]
FACES = [(4, 6, 7, 5), (0, 1, 3, 2), (2, 3, 7, 6), (0, 4, 5, 1), (1, 5, 7, 3), (0, 2, 6, 4)]


def add_cube(blender, colors=None):
    """A cube of edge 1 from (0, 0, 0)."""
    return add_mesh(blender, "cube", CORNERS, FACES, colors)


def placed(blender, cube, location, scale):
    cube.location, cube.scale = location, scale
    blender.context.view_layer.update()


@pytest.mark.parametrize("operation", ["union", "difference", "intersect"])
def test_a_mesh_is_combined_where_it_is(blender, owner, operation):
    owner.location, owner.scale, owner.rotation_euler = (5, -3, 2), (0.5, 0.5, 0.5), (0, 0, math.pi / 2)
    blender.context.view_layer.update()
    cube = add_cube(blender)
    cube.parent = owner
    cube.matrix_parent_inverse.identity()
    placed(blender, cube, (10, 20, 5), (20, 16, 30))
    before = hills().region((0, 0, 0), (64, 64, 64)) >> 8
    inside = np.zeros((64, 64, 64), bool)
    inside[10:30, 20:36, 5:35] = True
    called(blender, idnames.OT_VOXELISE_MESH, source_name="cube", operation=operation, colors="ACTIVE")
    expected = {
        "union": np.where(inside, 2, before),
        "difference": np.where(inside, 0, before),
        "intersect": np.where(inside, before, 0),
    }[operation]
    assert np.array_equal(world(blender).region((0, 0, 0), (64, 64, 64)) >> 8, expected)
    assert "cube" in blender.data.objects


def test_a_mirrored_mesh_and_its_modifiers(blender, owner):
    cube = add_cube(blender)
    array = cube.modifiers.new("array", "ARRAY")
    array.relative_offset_displace = (2, 0, 0)
    placed(blender, cube, (40, 2, 40), (-10, 4, 4))
    called(blender, idnames.OT_VOXELISE_MESH, source_name="cube", shell=True, colors="ACTIVE")
    found = world(blender).region((0, 0, 32), (64, 16, 64)) != 0
    expected = np.zeros((64, 16, 32), bool)
    expected[30:40, 2:6, 8:12] = expected[10:20, 2:6, 8:12] = True
    expected[31:39, 3:5, 9:11] = expected[11:19, 3:5, 9:11] = False
    assert np.array_equal(found, expected)


def new_material(blender, name):
    material = blender.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True  # Blender 4.5; from 5.0 on there always are nodes
    return material


def test_voxels_have_the_meshs_materials(blender, owner):
    cube = add_cube(blender)
    for name, color, alpha in (("red", (1.0, 0.0, 0.0, 1.0), 1.0), ("glass", (0.2, 0.4, 1.0, 1.0), 0.3)):
        material = new_material(blender, name)
        shader = material.node_tree.nodes["Principled BSDF"]
        shader.inputs["Base Color"].default_value = color
        shader.inputs["Roughness"].default_value = 0.25
        shader.inputs["Alpha"].default_value = alpha
        cube.data.materials.append(material)
    for polygon in cube.data.polygons:
        polygon.material_index = int(polygon.normal.z > 0.5)
    placed(blender, cube, (5, 5, 40), (10, 10, 10))
    called(blender, idnames.OT_VOXELISE_MESH, source_name="cube", colors="MATERIALS")
    palette = {material.name: (i, material) for i, material in world(blender).palette.items()}
    assert list(palette) == ["stone", "moss", "red", "glass"]
    assert palette["red"][1].color == (255, 0, 0)
    assert palette["glass"][1].color == (124, 170, 255)
    assert palette["glass"][1].opacity == pytest.approx(0.3)
    assert palette["red"][1].roughness == 0.25
    assert world(blender).voxel(9, 9, 49) == palette["glass"][1].voxel(palette["glass"][0])
    assert world(blender).voxel(5, 9, 42) == palette["red"][1].voxel(palette["red"][0])


def test_voxels_have_the_meshs_color_attribute(blender, owner):
    colors = np.array([(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1), (1, 1, 0, 1), (0, 1, 1, 1), (1, 0, 1, 1)], np.float32)
    cube = add_cube(blender, colors)
    placed(blender, cube, (5, 5, 40), (11, 11, 11))
    called(blender, idnames.OT_VOXELISE_MESH, source_name="cube", colors="COLORS")
    made = world(blender)
    of = [made.palette.materials[made.voxel(*at) >> 8].color for at in ((15, 10, 45), (5, 10, 45), (10, 15, 45),
          (10, 5, 45), (10, 10, 50), (10, 10, 40))]  # fmt: skip
    assert of == [tuple(int(255 * c) for c in color[:3]) for color in colors]
    n_materials = len(made.palette.items())
    blender.ops.ed.undo_push(message="voxelised")
    called(blender, idnames.OT_VOXELISE_MESH, source_name="cube", colors="COLORS", max_colors=2)
    assert len(world(blender).palette.items()) == n_materials + 2


def test_what_has_no_mesh_is_refused(blender, owner):
    add_mesh(blender, "points", [(0, 0, 0)], [])
    add_cube(blender)
    for name, sentence in (
        ("", "Choose an object with a mesh first"),
        ("world", "Choose an object with a mesh first"),
        ("points", '"points" has no faces'),
        ("cube", '"cube" has no color attribute'),
    ):
        with pytest.raises(RuntimeError, match=sentence):
            called(blender, idnames.OT_VOXELISE_MESH, source_name=name, colors="COLORS")
    blender.data.objects["cube"].scale = (5000, 1, 1)
    blender.context.view_layer.update()
    with pytest.raises(RuntimeError, match="at most 4096 voxels on each axis"):
        called(blender, idnames.OT_VOXELISE_MESH, source_name="cube", colors="ACTIVE")


def test_a_material_without_a_shader_gives_its_color(blender):
    material = new_material(blender, "plain")
    material.node_tree.nodes.clear()
    material.diffuse_color = (1.0, 1.0, 0.0, 0.5)
    assert meshes._material(material) == Material("plain", (255, 255, 0), opacity=0.5, texture="plain")


# --- Text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["STANDING", "LYING"])
def test_text_is_written_at_the_cursor(blender, owner, place):
    blender.context.scene.cursor.location = (30, 20, 100)
    n_objects, n_curves = len(blender.data.objects), len(blender.data.curves)
    called(blender, idnames.OT_ADD_TEXT, text="HI", size=20.0, depth=3, place=place)
    assert (len(blender.data.objects), len(blender.data.curves)) == (n_objects, n_curves)
    letters = solid(world(blender)) & box((0, 0, 90), (63, 63, 160))
    low, high = letters.bounds()
    across, up = (1, 2) if place == "STANDING" else (2, 1)
    assert (low[across], high[across]) == ((20, 22) if place == "STANDING" else (100, 102))
    assert low[up] == (100 if place == "STANDING" else 20)
    assert 12 <= high[up] - low[up] <= 15
    assert abs((low[0] + high[0]) / 2 - 30) <= 1
    assert letters.count == world(blender).material_counts()[2]


def test_text_that_is_not_there(blender, owner):
    with pytest.raises(RuntimeError, match="no letters that can be seen"):
        called(blender, idnames.OT_ADD_TEXT, text=" ")
    with pytest.raises(RuntimeError, match='no font "none"'):
        called(blender, idnames.OT_ADD_TEXT, font="none")


def test_operators_need_a_world_and_have_tooltips(blender):
    for idname in OPERATORS:
        operator = getattr(blender.ops.voxelwright, idname.partition(".")[2])
        assert not operator.poll()
        kind = operator.get_rna_type()
        assert kind.description
        assert all(p.description for p in kind.properties if p.identifier != "rna_type")
