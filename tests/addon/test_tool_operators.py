# SPDX-License-Identifier: GPL-3.0-or-later
"""What tools do, as scripts and the redo panel do it: without a window or a mouse."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from voxelwright.addon import brushes, clipboard, picking, presets, selections, session, stamps, tool_properties
from voxelwright.addon.tools import toolbar
from voxelwright.voxel.edit import actions, connected, patterns, sculpt, selection, shapes
from voxelwright.voxel.edit.clipboard import copy
from voxelwright.voxel.edit.dabs import Stroke, dab
from voxelwright.voxel.edit.symmetry import Symmetry
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SHAPE, POS_Z
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, as_chunk, content, edit_of_chunks, new_world

PALETTE = Palette.of({1: Material("stone", (128, 126, 124)), 2: Material("moss", (70, 110, 40))})
LOW, HIGH = (-32, -32, -32), (64, 64, 64)


def hill() -> World:
    """Stone of a gentle slope, with moss on it."""
    x, y, z = np.indices(CHUNK_SHAPE)
    height = 6 + x // 3 + y // 9
    voxels = np.where(z < height, 0x0100, np.where(z == height, 0x0200, 0)).astype(np.uint16)
    return new_world({(0, 0, 0): as_chunk(voxels)}, PALETTE)


@pytest.fixture
def owner(blender):
    """A function that gives the object with the hill anew, for undo replaces it."""
    blender.ops.ed.undo_push(message="start")
    name = session.new_world_object(blender.context, "Hill", hill()).name
    blender.ops.ed.undo_push(message="hill")
    return lambda: blender.data.objects[name]


@pytest.fixture
def call(blender):
    """call(name, **properties): an operator with an undo step."""

    def called(name, **properties):
        return getattr(blender.ops.voxelwright, name)("EXEC_DEFAULT", True, **properties)

    return called


def voxels_of(owner):
    return session.world_of(owner).region(LOW, HIGH)


def expected(edit_of) -> np.ndarray:
    """The voxels of the hill after edit_of(world)."""
    world = World()
    world.apply(content(hill()))
    world.apply(edit_of(world))
    return world.region(LOW, HIGH)


POINTS = [(x + 0.5, 10.5, 12.5) for x in range(4, 28, 3)]
SAMPLES = json.dumps(POINTS)


def stroke_of(action, shape, spacing, **options):
    def edit_of(world):
        stroke = Stroke(world, action, shape, spacing=spacing, **options)
        for point in POINTS:
            stroke.to(point)
        return stroke.edit()

    return edit_of


@pytest.mark.parametrize(
    ("properties", "edit_of"),
    [
        ({"action": "ADD", "material": "2"}, stroke_of(actions.add(patterns.only(2)), shapes.sphere(4.5), 2.25)),
        ({"action": "REMOVE", "shape": "CUBE"}, stroke_of(actions.remove(), shapes.cube(4.5), 2.25)),
        (
            {"action": "RAISE", "falloff": "SMOOTH", "strength": 0.75, "spacing": 0.5},
            stroke_of(sculpt.raise_(0.75), shapes.cylinder(4.5, 9, POS_Z, "smooth"), 2.25),
        ),
        ({"action": "SMOOTH"}, stroke_of(sculpt.smooth(), shapes.sphere(4.5), 2.25)),
        (
            {"action": "ADD", "material": "1", "pattern": "MIX", "second": "2", "share": 0.25, "seed": 5},
            stroke_of(actions.add(patterns.mix({1: 0.75, 2: 0.25}, 5), seed=5), shapes.sphere(4.5), 2.25),
        ),
        (
            {"action": "ADD", "material": "1", "mirrors": (True, False, False), "center": (16, 16, 0)},
            stroke_of(
                actions.add(patterns.only(1)),
                shapes.sphere(4.5),
                2.25,
                symmetry=Symmetry((True, False, False), 1, (16.0, 16.0, 0.0)),
            ),
        ),
    ],
    ids=lambda value: value["action"].lower() if isinstance(value, dict) else "",
)
def test_a_stroke_is_the_same_as_by_functions(blender, owner, call, properties, edit_of) -> None:
    before = voxels_of(owner())
    settings = {"radius": 4.5, "falloff": "CONSTANT", "spacing": 0.5, **properties}
    assert call("stroke", samples=SAMPLES, **settings) == {"FINISHED"}
    after = voxels_of(owner())
    assert np.array_equal(after, expected(edit_of))
    assert not np.array_equal(after, before)
    blender.ops.ed.undo()
    assert np.array_equal(voxels_of(owner()), before)
    blender.ops.ed.redo()
    assert np.array_equal(voxels_of(owner()), after)


def test_a_stroke_keeps_to_the_selection(owner, call) -> None:
    part = selection.box((0, 0, 0), (12, 31, 31))
    selections.select(owner(), part)
    call("stroke", samples=SAMPLES, action="REMOVE", radius=4.5, falloff="CONSTANT", spacing=0.5)

    def edit_of(world):
        stroke = Stroke(world, actions.remove(), shapes.sphere(4.5), within=part, spacing=2.25)
        for point in POINTS:
            stroke.to(point)
        return stroke.edit()

    assert np.array_equal(voxels_of(owner()), expected(edit_of))


@pytest.mark.parametrize(
    "samples",
    ["", "[]", "[[1, 2]]", "[[1, 2, 3, 6]]", "[[1, 2, NaN]]", "[[1, 2, 1e999]]", "{}", "[[1, 2, true]]", "[" * 9999],
)
def test_points_that_are_none_change_nothing(owner, call, samples) -> None:
    before = voxels_of(owner())
    with pytest.raises(RuntimeError, match=r"Points must be given as JSON|At least one point is needed"):
        call("stroke", action="ADD", samples=samples)
    assert np.array_equal(voxels_of(owner()), before)


def test_a_jump_is_not_drawn_through_the_air(owner, call) -> None:
    far = json.dumps([[4.5, 4.5, 20.5], [28.5, 28.5, 28.5, POS_Z, 1.0, True]])
    call("stroke", samples=far, action="ADD", material="1", radius=0.5, falloff="CONSTANT")
    added = np.argwhere(voxels_of(owner()) != hill().region(LOW, HIGH)) + LOW
    assert added.tolist() == [[4, 4, 20], [28, 28, 28]]


def test_boxes_and_lines(owner, call) -> None:
    call("draw_box", action="ADD", material="2", start=(2, 3, 20), end=(9, 5, 24))
    box = shapes.box_between((2, 3, 20), (9, 5, 24))
    assert np.array_equal(voxels_of(owner()), expected(lambda w: dab(w, actions.add(patterns.only(2)), box)))
    call("draw_line", action="REMOVE", shape="CUBE", radius=1.5, start=(2, 3, 20), end=(25, 20, 3))

    def both(world):
        world.apply(dab(world, actions.add(patterns.only(2)), box))
        line = shapes.line_between(shapes.cube(1.5), (2, 3, 20), (25, 20, 3))
        return dab(world, actions.remove(), line)

    assert np.array_equal(voxels_of(owner()), expected(both))


def test_fill_and_extrude(owner, call) -> None:
    call("fill_connected", start=(5, 5, 7), face=POS_Z, by="FACE", material="1")
    filled = expected(lambda w: connected.fill_connected(w, (5, 5, 7), patterns.only(1), "face", POS_Z))
    assert np.array_equal(voxels_of(owner()), filled)
    assert not np.array_equal(filled, hill().region(LOW, HIGH))
    with pytest.raises(RuntimeError, match="connected"):
        call("fill_connected", start=(5, 5, 0), by="MATERIAL", material="2", limit=10)
    assert np.array_equal(voxels_of(owner()), filled)
    call("extrude_face", start=(5, 5, 7), face=POS_Z, n_voxels=3)
    assert session.world_of(owner()).voxel(5, 5, 10) == 0x0100
    assert session.world_of(owner()).voxel(5, 5, 11) == 0


def test_stamps_from_the_clipboard_stand_on_faces(owner, call) -> None:
    clip = copy(hill(), selection.box((0, 0, 6), (4, 2, 7)))
    clipboard.put(clip)
    puts = json.dumps([[20, 20, 20], [10, 20, 20, POS_Z, 1]])
    assert call("stamp", puts=puts) == {"FINISHED"}
    world = session.world_of(owner())
    across, turned = world.region((18, 19, 20), (23, 22, 22)), world.region((9, 18, 20), (12, 23, 22))
    own = clip.voxels.region((0, 0, 6), (5, 3, 8))
    assert np.array_equal(across, own)
    assert np.array_equal(turned, np.rot90(own))


def test_stamping_a_file_that_is_not_there_says_so(owner, call) -> None:
    with pytest.raises(RuntimeError, match=r"nothing\.vox cannot be read"):
        call("stamp", source="FILE", filepath="/nowhere/nothing.vox", puts="[[0, 0, 0]]")


def test_brush_presets_set_their_tools(blender, call) -> None:
    for name in presets.brush_names():
        assert call("apply_brush", preset=name) == {"FINISHED"}
        brush = presets.brush(name)
        settings = tool_properties.of_tool(blender.context.scene, brush.tool)
        assert settings.action == brush.action.upper()
        assert settings.radius == pytest.approx(brush.radius)
        assert settings.falloff == brush.falloff.upper()


def test_symmetry_is_centred_on_the_world(owner, call) -> None:
    call("center_symmetry")
    bounds = session.world_of(owner()).bounds()
    assert tuple(owner().voxelwright.symmetry.center) == tuple((a + b + 1) / 2 for a, b in zip(*bounds, strict=True))


def test_what_is_shown_over_a_world_is_no_part_of_it(owner) -> None:
    """Not of its edits, nor of what is saved, and undo takes it away."""
    before = voxels_of(owner())
    world = session.world_of(owner())
    session.show(owner(), dab(world, actions.add(patterns.only(2)), shapes.sphere(5).at((16, 16, 20))))
    assert not np.array_equal(voxels_of(owner()), before)
    assert np.array_equal(session.own_world_of(owner()).region(LOW, HIGH), before)
    session.uncover(owner())
    assert np.array_equal(voxels_of(owner()), before)


def test_a_palette_shown_over_a_world_goes_too(owner) -> None:
    world = session.world_of(owner())
    other = new_world({(0, 0, 1): 0x0300}, Palette.of({3: Material("new", (1, 2, 3))}))
    from voxelwright.voxel.edit.paste import paste

    session.show(owner(), paste(world, other, (0, 0, 0)))
    assert session.world_of(owner()).palette != PALETTE
    assert session.own_world_of(owner()).palette == PALETTE
    session.uncover(owner())
    assert session.world_of(owner()).palette == PALETTE


def test_a_frozen_ray_meets_what_was_there_before(owner) -> None:
    down = picking.Ray(np.array((16.5, 16.5, 60.0)), np.array((0.0, 0.0, -1.0)))
    before = picking.hit_of(owner(), down).voxel
    picking.freeze(owner(), True)
    world = session.world_of(owner())
    session.show(owner(), dab(world, actions.add(patterns.only(2)), shapes.sphere(5).at((16, 16, 30))))
    assert picking.hit_of(owner(), down).voxel == before
    picking.freeze(owner(), False)
    assert picking.hit_of(owner(), down).voxel[2] == 35
    session.uncover(owner())
    assert picking.hit_of(owner(), down).voxel == before


def test_where_brushes_are_put(blender, owner) -> None:
    settings = tool_properties.of_tool(blender.context.scene, "build")
    settings.snap, settings.lock = 1, "NONE"
    down = picking.Ray(np.array((16.5, 16.5, 60.0)), np.array((0.0, 0.0, -1.0)))
    top = 6 + 16 // 3 + 16 // 9
    assert brushes.aim(owner(), down, settings, "REMOVE") == brushes.Aim((16.5, 16.5, top + 0.5), POS_Z)
    outside = brushes.aim(owner(), down, settings, "ADD")
    assert outside == brushes.Aim((16.5, 16.5, top + 1.5), POS_Z)
    settings.snap = 8
    assert brushes.aim(owner(), down, settings, "REMOVE").point == (20.0, 20.0, 12.0)
    settings.snap, settings.lock = 1, "HEIGHT"
    slanted = picking.Ray(np.array((0.5, 16.5, 60.0)), np.array((0.25, 0.0, -1.0)))
    locked = brushes.aim(owner(), slanted, settings, "ADD", outside)
    assert locked.point == pytest.approx((0.5 + (60 - outside.point[2]) / 4, 16.5, outside.point[2]))


def test_building_begins_on_the_ground_of_an_empty_world(blender) -> None:
    name = session.new_world_object(blender.context, "Empty", World(PALETTE)).name
    owner = blender.data.objects[name]
    down = picking.Ray(np.array((3.25, -4.5, 10.0)), np.array((0.0, 0.0, -1.0)))
    assert brushes.aim_at_voxel(owner, down, outside=True) == brushes.Aim((3.25, -4.5, 0.5), POS_Z)
    assert brushes.aim_at_voxel(owner, down, outside=False) is None


def test_every_tool_has_an_icon_a_cursor_and_keys() -> None:
    assert len(toolbar.TOOLS) == 10
    for tool in toolbar.TOOLS:
        with open(f"{tool.bl_icon}.dat", "rb") as file:
            data = file.read()
        assert data.startswith(b"VCO\x00")
        assert (len(data) - 8) % 18 == 0
        assert callable(tool.cursor)
        assert any(idname != "wm.call_menu_pie" for idname, *_ in tool.bl_keymap)
        assert tool.bl_description


def test_the_tools_settings_stay_over_undo(blender, owner, call) -> None:
    settings = tool_properties.of_tools(blender.context.scene)
    settings.build.radius, settings.sculpt.action, settings.stamp.filepath = 20.0, "FLATTEN", "/a.vox"
    call("stroke", samples=SAMPLES, action="ADD", radius=2)
    settings = tool_properties.of_tools(blender.context.scene)
    settings.build.radius = 30.0
    blender.ops.ed.undo()
    settings = tool_properties.of_tools(blender.context.scene)
    assert (settings.build.radius, settings.sculpt.action, settings.stamp.filepath) == (30.0, "FLATTEN", "/a.vox")


def test_a_second_material_that_a_world_lacks_is_the_active_one(blender, owner) -> None:
    settings = tool_properties.of_tool(blender.context.scene, "build")
    settings.second = "2"
    call_edit = session.own_world_of(owner())
    session.commit(owner(), edit_of_chunks(call_edit, {}, Palette.of({1: PALETTE.materials[1]})))
    assert settings.second == ""

    class Operator:
        pass

    operator = Operator()
    tool_properties.copy_settings(settings, operator, tool_properties.BRUSH_KEYS)
    assert operator.second == "0"


def test_an_object_without_extent_says_so(owner) -> None:
    owner().matrix_world = np.diag((0.0, 1.0, 1.0, 1.0)).tolist()
    ray = picking.Ray(np.zeros(3), np.array((0.0, 0.0, -1.0)))
    with pytest.raises(VoxelwrightError, match="scale of 0"):
        picking.in_voxels(owner(), ray)


def test_the_horizon_is_too_far_to_build_on(owner) -> None:
    flat = picking.Ray(np.array((16.0, 16.0, 50.0)), np.array((1.0, 0.0, -1e-3)))
    assert brushes.aim_at_voxel(owner(), flat, outside=True) is None
    near = picking.Ray(np.array((40.0, 16.0, 50.0)), np.array((1.0, 0.0, -1.0)))
    assert brushes.aim_at_voxel(owner(), near, outside=True) == brushes.Aim((90.0, 16.0, 0.5), POS_Z)


def test_linked_worlds_and_overrides_are_not_changed(blender, owner, tmp_path) -> None:
    library = str(tmp_path / "library.blend")
    blender.ops.wm.save_as_mainfile(filepath=library)
    blender.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with blender.data.libraries.load(library, link=True) as (_, into):
        into.objects = ["Hill"]
    linked = into.objects[0]
    blender.context.scene.collection.objects.link(linked)
    override = linked.override_create(remap_local_usages=True)
    for found in (linked, override):
        world = session.own_world_of(found)
        edit = dab(world, actions.add(patterns.only(1)), shapes.sphere(3).at((16, 16, 30)))
        with pytest.raises(VoxelwrightError, match="is linked from another file"):
            session.commit(found, edit)


def test_deleting_needs_a_selection_and_never_takes_the_object(blender, owner, call) -> None:
    assert blender.ops.voxelwright.delete_voxels.poll()
    with pytest.raises(RuntimeError, match="Select the voxels to be deleted first"):
        call("delete_voxels")
    assert session.world_of(owner()).bounds() is not None


def test_a_file_that_cannot_be_stamped_is_read_once(owner, call, tmp_path, monkeypatch) -> None:
    path = tmp_path / "broken.vox"
    path.write_bytes(b"VOX nothing")
    settings = SimpleNamespace(source="FILE", filepath=str(path))
    asked = []
    read = stamps._read
    monkeypatch.setattr(stamps, "_read", lambda path: (asked.append(path), read(path))[1])
    for _ in range(3):
        with pytest.raises(VoxelwrightError):
            stamps.clip_of(settings)
    assert len(asked) == 1
    picture = path.rename(tmp_path / "picture.png")
    with pytest.raises(RuntimeError, match=r"\.vox"):
        call("stamp", source="FILE", filepath=str(picture), puts="[[0, 0, 0]]")
