# SPDX-License-Identifier: GPL-3.0-or-later
"""Topings as objects: every way holds the same triangles, is found again, and passes the validator."""

from dataclasses import replace

import numpy as np
import pytest

from voxelwright.addon import session, toping_objects, topings
from voxelwright.addon.topings import grow
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import FLAG_SMOOTH
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.topings.kinds import KINDS
from voxelwright.voxel.topings.placed import matrices
from voxelwright.voxel.world import chunks_of_cells, new_world

bpy = pytest.importorskip("bpy")

from voxelwright.addon.bake import export  # noqa: E402 (they need bpy)
from voxelwright.addon.bake import topings as bake_module  # noqa: E402
from voxelwright.addon.bake.objects import bake_world, baked_objects  # noqa: E402

PALETTE = Palette.of(
    {
        **{i + 1: Material(f"{name} ground", (40 * i, 90, 60), toping=name) for i, name in enumerate(sorted(KINDS))},
        8: Material("hill", (200, 190, 170), smooth=True, toping="grass", toping_height=1.5),
        9: Material("lawn", (90, 140, 60), toping="object"),
    }
)
MODES = ("mesh", "objects", "points")


def world_of(**changes):
    """A row of every kind across a chunk's border, and a smooth slope behind it."""
    cells = [[x, y, 0] for x in range(26, 38) for y in range(2)]
    voxels = [1 + x % 6 << 8 for x, _, _ in cells]
    for x in range(6):
        for y in range(4):
            cells += [[20 + 2 * x + k, 4 + y, z] for k in (0, 1) for z in range(x + 1)]
            voxels += [0x0800 | FLAG_SMOOTH] * (2 * (x + 1))
    chunks = chunks_of_cells(np.array(cells), np.array(voxels, np.uint16), 100)
    return new_world(chunks, changes.get("palette", PALETTE), Settings(changes.get("smoothing", 1.0)))


@pytest.fixture
def bake(scene, bakes):
    """A function that bakes a world with its topings in a mode, and gives the objects of these."""

    def run(mode, world=None, own=None, parent=None, name="World"):
        world = world if world is not None else world_of()
        blocky, smooth = bakes.meshes_of(world)
        own_meshes, own_materials = (own.meshes, own.materials) if own is not None else ({}, {})
        bake_world(name, "key", bakes.weld(blocky, smooth, world.palette), world.palette, parent, scene)
        grown = finish(grow(world, smooth, mode, own_meshes))
        return bake_module.bake_topings(name, "key", grown, mode, own_materials, world.palette, parent, scene)

    return run


@pytest.fixture
def parent(scene):
    """An empty with a place of its own, as a world has one."""
    empty = bpy.data.objects.new("World", None)
    scene.collection.objects.link(empty)
    empty.location, empty.scale = (3, -2, 1), (0.5, 0.5, 0.5)
    return empty


def triangles_of(objects):
    """All corners (t, 3, 3) of the objects' instances in the world, sorted."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    names, found = {obj.name for obj in objects}, []
    for instance in depsgraph.object_instances:
        source = instance.parent if instance.is_instance else instance.object
        if source.name not in names or instance.object.type != "MESH":
            continue
        data = instance.object.data
        data.calc_loop_triangles()
        points = np.array([instance.matrix_world @ v.co for v in data.vertices]).reshape(-1, 3)
        if len(data.loop_triangles):
            found.append(points[np.array([t.vertices for t in data.loop_triangles])])
    corners = np.round(np.concatenate(found), 3) + 0.0
    return sorted(map(tuple, corners.reshape(-1, 9).tolist()))


def close(a, b):
    """Whether two lists of triangles hold the same, whatever the rounding did to their order."""
    a, b = np.array(a), np.array(b)
    places = [np.sort(triangles.reshape(-1, 3, 3).sum(axis=1) @ (1.0, 7.3, 31.7)) for triangles in (a, b)]
    return a.shape == b.shape and np.abs(places[0] - places[1]).max() < 0.1


def test_every_way_holds_the_same_triangles(bake, scene, parent):
    listed = {mode: triangles_of(bake(mode, parent=parent)) for mode in MODES}
    assert len(listed["mesh"]) > 1000
    assert close(listed["mesh"], listed["objects"])
    assert close(listed["mesh"], listed["points"])


def test_one_way_takes_the_place_of_another(bake, scene):
    n = len(finish(grow(world_of(), finish(mesh_smooth(world_of())), "mesh", {})).topings.instances)
    for mode, others in (("points", 1), ("mesh", 1), ("objects", n), ("none", 0)):
        made = bake(mode)
        kinds = {"World Blocks", "World Smooth", *(obj.name for obj in made)}
        assert {obj.name for obj in baked_objects(scene, "key")} == kinds
        hidden = [o for o in bpy.data.objects if o.name not in kinds]
        assert bool(hidden) == (mode == "points")
        assert len(made) <= others
    assert {data.name for data in bpy.data.meshes} == {"World Blocks", "World Smooth"}
    assert [c.name for c in bpy.data.collections] == ["World Baked"]


@pytest.mark.parametrize("mode", MODES)
def test_baking_again_keeps_objects_and_materials(bake, mode):
    first = bake(mode)
    materials = {material.name for material in bpy.data.materials}
    first[0].name = "mine"
    shapes = {data.name for data in bpy.data.meshes}
    mine = bpy.data.materials.new("my petals")
    for data in bpy.data.meshes:
        for k, material in enumerate(data.materials):
            if material.name == "flowers ground petals (World)":
                data.materials[k] = mine
    again = bake(mode)
    assert {data.name for data in bpy.data.meshes} == shapes
    assert {material.name for material in bpy.data.materials} == materials | {"my petals"}
    assert mine.users > 0
    if mode != "objects":
        assert again[0].name == "mine"


def test_a_flat_top_is_not_sheared_and_a_slope_is(bake):
    world = world_of()
    smooth = finish(mesh_smooth(world))
    topings = finish(grow(world, smooth, "points", {})).topings
    every = matrices(topings, PALETTE)
    on_hill = topings.types == 8
    assert (every[~on_hill][:, 2, :2] == 0).all()
    assert every[on_hill][:, 2, 0].max() > 0.2
    assert (every[on_hill][:, 2, 2] >= 1.5 * 0.75).all()
    assert (every[topings.types == 6][:, 2, 2] == 1).all()  # stone does not vary


def test_materials_are_the_grounds_or_the_topings_own(bake):
    own = replace(PALETTE.materials[1], toping_tinted=False, toping_color=(255, 0, 0))
    bake("mesh", world_of(palette=Palette.of({**dict(PALETTE.items()), 1: own})))
    colors = {m.name: tuple(np.round(m.diffuse_color[:3], 4)) for m in bpy.data.materials}
    assert colors["flowers ground toping (World)"] == (1, 0, 0)
    linear = tuple(np.round(PALETTE.linear_colors[2].astype(float), 4))
    assert colors["grass ground toping (World)"] == colors["grass ground (World)"] == linear


@pytest.mark.parametrize("mode", MODES)
def test_the_validator_finds_nothing(bake, bakes, scene, validate_gltf, tmp_path, mode):
    made = bake(mode)
    path = tmp_path / "world.glb"
    export.export_objects(baked_objects(scene, "key"), path)
    report = validate_gltf(path)
    issues = report["issues"]
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"]
    objects = baked_objects(scene, "key")
    # The validator counts a mesh once, however many nodes share it.
    shared = {obj.data.name: obj for obj in objects}.values() if mode == "objects" else objects
    assert report["info"]["totalTriangleCount"] == len(triangles_of(shared)) > 1000
    gltf, _ = bakes.read_glb(path)
    grass = next(m for m in gltf["materials"] if m["name"] == "grass ground toping (World)")
    np.testing.assert_allclose(
        grass["pbrMetallicRoughness"]["baseColorFactor"], (*PALETTE.linear_colors[2], 1), atol=1e-6
    )
    assert grass["doubleSided"]
    # Exporting leaves instances instances.
    if mode == "points":
        modifier = made[0].modifiers["Topings"]
        assert not modifier.node_group.nodes["Realize"].inputs["Selection"].default_value


def test_a_world_without_topings_gets_none(bake, bakes):
    world = new_world({(0, 0, 0): 0x0100}, Palette.of({1: Material("stone", (1, 2, 3))}))
    assert bake("points", world) == []
    assert not any("oping" in obj.name for obj in bpy.data.objects)


def test_too_many_for_an_object_each_is_a_sentence(bake, monkeypatch):
    monkeypatch.setattr(topings, "MAX_TOPING_OBJECTS", 5)
    with pytest.raises(VoxelwrightError, match=r"more than the 5 that can be an object each; bake them as points\."):
        bake("objects")


def test_a_copy_with_a_mesh_of_its_own_is_the_users(bake, scene):
    first = bake("objects")[0]
    copy = first.copy()
    copy.data = first.data.copy()
    copy.data.vertices[0].co.z = 50
    scene.collection.objects.link(copy)
    made = bake("objects")
    assert copy.data.vertices[0].co.z == 50
    assert copy.data not in {obj.data for obj in made}


def test_nodes_changed_beyond_use_are_made_anew(bake):
    (made,) = bake("points")
    n = len(triangles_of([made]))
    made.modifiers["Topings"].node_group.nodes["Toping Shapes"].name = "mine"
    assert len(triangles_of(bake("points"))) == n


def test_too_many_triangles_for_a_file_are_a_sentence(bake, scene, monkeypatch, tmp_path):
    made = bake("points")
    n = len(triangles_of(made))
    monkeypatch.setattr(export, "MAX_TOPING_TRIANGLES", n - 1)
    with pytest.raises(VoxelwrightError, match=f"would have {n:,} triangles in the file, more than"):
        export.export_objects(made, tmp_path / "world.glb")


# --- Objects of the user's --------------------------------------------------------------------------------------


@pytest.fixture
def owner(blender):
    """An object with a world, half a meter a voxel, of six tops of lawn in a row, and of one of grass."""
    cells, voxels = np.array([[x, 0, 0] for x in range(7)]), np.array([0x0900] * 6 + [0x0200], np.uint16)
    world = new_world(chunks_of_cells(cells, voxels, 9), PALETTE)
    made = session.new_world_object(blender.context, "World", world)
    made.scale = (0.5, 0.5, 0.5)
    return made


def mesh_object(name, points, faces):
    data = bpy.data.meshes.new(name)
    data.from_pydata(points, [], faces)
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def pin(name, height):
    """A triangle that points along +X."""
    return mesh_object(name, [(0, 0, 0), (0.25, 0, 0), (0, 0, height)], [(0, 1, 2)])


def own_of(owner):
    bpy.context.view_layer.update()
    return toping_objects.own_topings(owner, PALETTE, bpy.context.evaluated_depsgraph_get())


def test_an_object_grows_as_large_as_it_is_beside_the_world(owner):
    obj = pin("Pin", 1.0)
    obj.scale = (1, 1, -2)
    obj.data.materials.append(bpy.data.materials.new("Brass"))
    toping_objects.choose(owner, "lawn").object = obj
    own = own_of(owner)
    assert own.problems == []
    assert own.materials[9].name == "Brass"
    for alternate in range(4):
        mesh = own.meshes[9][15][alternate]
        position = mesh.vertices["position"]
        assert position[:, 2].min() == pytest.approx(-4)  # 1 m, doubled, downwards, in voxels of half a metre
        corners = position[mesh.triangles[0]]
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        assert normal @ mesh.vertices["normal"][0] > 0
        angle = np.arctan2(position[:, 1].sum(), position[:, 0].sum()) / (np.pi / 2)
        assert angle % 4 == pytest.approx(alternate)


def test_objects_by_their_neighbours(owner):
    collection = bpy.data.collections.new("Pins")
    collection.objects.link(pin("End 1", 0.5))
    collection.objects.link(pin("End_3.001", 0.75))
    collection.objects.link(pin("Pin 16", 9.0))
    item = toping_objects.choose(owner, "lawn")
    item.object, item.collection = pin("Pin", 1.0), collection
    heights = [meshes[0].vertices["position"][:, 2].max() for meshes in own_of(owner).meshes[9]]
    assert heights[1] == pytest.approx(1)
    assert heights[3] == pytest.approx(1.5)
    assert set(heights[:1] + heights[2:3] + heights[4:]) == {2.0}


@pytest.mark.parametrize("case", ["none chosen", "no faces", "lost"])
def test_what_cannot_grow_is_a_sentence_and_the_rest_is_baked(blender, owner, case):
    if case == "no faces":
        toping_objects.choose(owner, "lawn").object = mesh_object("Points", [(0, 0, 0)], [])
    elif case == "lost":
        toping_objects.choose(owner, "lawn").object = pin("Pin", 1.0)
        bpy.data.objects.remove(bpy.data.objects["Pin"])
    own = own_of(owner)
    (problem,) = own.problems
    assert problem.endswith(".")
    assert ("has no faces" if case == "no faces" else 'Choose an object as the toping of "lawn"') in problem
    assert own.meshes == {}
    assert blender.ops.voxelwright.bake_world("EXEC_DEFAULT", True, topings="mesh") == {"FINISHED"}
    materials = [material.name for material in blender.data.objects["World Topings"].data.materials]
    assert materials == ["grass ground toping (World)"]


def test_the_operator_bakes_users_objects_and_warns(blender, owner):
    toping_objects.choose(owner, "lawn").object = pin("Pin", 1.0)
    for mode in MODES:
        assert blender.ops.voxelwright.bake_world("EXEC_DEFAULT", True, topings=mode) == {"FINISHED"}
        name = {"mesh": "World Topings", "points": "World Topings", "objects": "lawn toping 1.0"}[mode]
        assert any(obj.name.startswith(name.partition(".")[0]) for obj in blender.data.objects)
    blender.ops.voxelwright.bake_world("EXEC_DEFAULT", True, topings="none")
    assert not any("oping" in obj.name for obj in blender.data.objects)


def test_the_choice_follows_the_materials_name(blender, owner):
    owner.voxelwright.material = 9
    obj = pin("Pin", 1.0)
    toping_objects.choose(owner, "lawn").object = obj
    blender.ops.voxelwright.edit_material("EXEC_DEFAULT", True, name="turf")
    assert toping_objects.item_of(owner, "lawn") is None
    assert toping_objects.item_of(owner, "turf").object == obj
    owner.voxelwright.topings.clear()  # as in a file that another program wrote
    blender.ops.voxelwright.edit_material("EXEC_DEFAULT", True, toping="object")
    assert toping_objects.item_of(owner, "turf").object is None
    owner.voxelwright.material = 1
    blender.ops.voxelwright.edit_material("EXEC_DEFAULT", True, toping="object")
    assert toping_objects.item_of(owner, "flowers ground").object is None
