# SPDX-License-Identifier: GPL-3.0-or-later
"""Every tool of the toolbar in use: its cursor, a gesture, undo, redo, Esc."""

import hashlib
from typing import Any

import bpy
import driver
import numpy as np
import scenery

NAME = "World"
Place = tuple[float, float]


def steps() -> driver.Steps:
    driver.enable_extension()
    for name in ("Cube", "Light", "Camera"):
        bpy.data.objects.remove(bpy.data.objects[name])
    space = driver.viewport().spaces.active
    space.show_region_ui = False
    scenery.new_world(NAME)
    scenery.look_at_steps(space, 60.0)
    with driver.context():
        bpy.ops.ed.undo_push(message="begin")
    yield from _compiled()
    left, bottom, width, height = driver.rectangle()
    driver.record("viewport", [left, bottom, width, height])
    # Without Blender's texts and gizmos at its borders.
    driver.record("world", [left + width // 6, bottom + height // 8, 2 * width // 3, 5 * height // 8])
    _settings().sculpt.radius = 5
    _settings().build.radius = 3
    _settings().paint.radius = 6
    bpy.data.objects[NAME].voxelwright.material = 2
    yield from _gesture("sculpt", (8, 8), (24, 10), (24, 20))
    yield from _gesture("build", (10, 20), (20, 26))
    bpy.data.objects[NAME].voxelwright.material = 1
    yield from _gesture("paint", (6, 24), (26, 24))
    yield from _gesture("box", (4, 4), (12, 10), wheel=5)
    _settings().build.radius = 0.5
    yield from _gesture("line", (28, 4), (18, 14))
    yield from _gesture("fill", (29, 2))
    yield from _gesture("extrude", (30, 28), (30, 21))
    yield from _select()
    yield from _gesture("stamp", (20, 20), (4, 28))
    yield from _pick()
    yield from _brush_keys()
    yield from _symmetry()


def _compiled() -> driver.Steps:
    """The first use of a tool compiles, and says so."""
    gesture = scenery.ours("addon.operators.gesture")
    yield from _tool("sculpt")
    yield from driver.move(_on_ground((16, 16)))
    yield from driver.press("LEFTMOUSE")
    yield from driver.until(gesture.are_tools_ready, "the tools", seconds=300)
    yield from driver.settle()
    driver.record("compiled", gesture.are_tools_ready())


def _tool(name: str) -> driver.Steps:
    with driver.context():
        bpy.ops.wm.tool_set_by_id(name=f"voxelwright.{name}")
    yield


def _gesture(name: str, *places: Place, wheel: int = 0) -> driver.Steps:
    """Use a tool, once with Esc, then to the end; undo and redo."""
    yield from _tool(name)
    before = _hash()
    yield from driver.move(_on_ground(places[0]))
    yield from driver.photograph(f"{name} cursor")
    path = [_on_ground(place) for place in places]
    if len(path) > 1:
        yield from _held(path, wheel)
        during = _hash()
        yield from driver.press("ESC")
        yield from driver.simulate("LEFTMOUSE", "RELEASE")
        driver.record(f"{name}, Esc", [during != before, _hash() == before])
    revision = _owner().voxelwright.revision
    yield from _held(path, wheel)
    yield from driver.simulate("LEFTMOUSE", "RELEASE")
    after = _hash()
    yield from driver.photograph(name)
    found = [after != before, _owner().voxelwright.revision - revision]
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    found.append(_hash() == before)
    yield from driver.press("Z", ctrl=True, shift=True)
    yield from driver.settle()
    found.append(_hash() == after)
    driver.record(name, found)


def _held(path: list[tuple[int, int]], wheel: int = 0) -> driver.Steps:
    """Press at the first place, and move to the others."""
    yield from driver.move(path[0])
    yield from driver.simulate("LEFTMOUSE", "PRESS")
    for place in path[1:]:
        yield from driver.move(place)
    for _ in range(wheel):
        yield from driver.press("WHEELUPMOUSE")


def _select() -> driver.Steps:
    """A box with the wheel, then what is connected, each with undo."""
    count = _selected
    yield from _tool("select")
    yield from _held([_on_ground((16, 4)), _on_ground((24, 8))], wheel=3)
    yield from driver.photograph("select box")
    yield from driver.simulate("LEFTMOUSE", "RELEASE")
    yield from driver.photograph("selected box")
    driver.record("selected box", count())
    _settings().select.by = "FACE"
    yield from driver.move(_on_ground((31, 2)))
    yield from driver.simulate("LEFTMOUSE", "PRESS", shift=True)
    yield from driver.simulate("LEFTMOUSE", "RELEASE", shift=True)
    yield from driver.photograph("selected face too")
    driver.record("selected face too", count())
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    driver.record("selection undone", count())
    with driver.context():
        driver.record("copied", list(bpy.ops.voxelwright.copy_voxels("EXEC_DEFAULT", True)))
        bpy.ops.voxelwright.select_all("EXEC_DEFAULT", True, action="DESELECT")


def _pick() -> driver.Steps:
    yield from _tool("pick")
    _owner().voxelwright.material = 1
    yield from driver.move(_on_ground((14, 1)))
    yield from driver.photograph("pick cursor")
    yield from driver.press("LEFTMOUSE")
    yield from driver.settle()
    driver.record("picked", _owner().voxelwright.material)


def _brush_keys() -> driver.Steps:
    """F and Shift F, Ctrl and Shift."""
    yield from _tool("build")
    _settings().build.radius = 2
    x, y = _on_ground((16, 26))
    yield from driver.move((x, y))
    yield from driver.press("F")
    yield from driver.move((x + 90, y))
    yield from driver.photograph("radius")
    yield from driver.press("LEFTMOUSE")
    driver.record("radius", _settings().build.radius)
    yield from driver.move((x, y))
    yield from driver.press("F", shift=True)
    yield from driver.move((x - 150, y))
    yield from driver.press("ESC")
    driver.record("strength", _settings().build.strength)
    before = _solid()
    yield from driver.drag((x, y), (x + 4, y), ctrl=True)
    yield from driver.settle()
    driver.record("removed", before - _solid())


def _symmetry() -> driver.Steps:
    settings = _owner().voxelwright.symmetry
    settings.mirrors, settings.center = (True, False, False), (16, 16, 0)
    _settings().build.radius = 3
    _settings().build.action = "ADD"
    yield from driver.move(_on_ground((28, 6)))
    yield from driver.photograph("symmetry cursor")
    before = _voxels() > 0
    yield from driver.press("LEFTMOUSE")
    yield from driver.photograph("symmetry")
    added = (_voxels() > 0) & ~before
    free = ~before & ~before[::-1]
    driver.record("symmetric", [int(added.sum()), bool((added & free == added[::-1] & free).all())])
    settings = _owner().voxelwright.symmetry
    settings.mirrors, settings.radial = (False, False, False), 6
    yield from driver.photograph("radial cursor")


def _settings() -> Any:
    """The scene's, to be asked for anew each time: undo replaces all data."""
    return bpy.context.scene.voxelwright_tools


def _owner() -> bpy.types.Object:
    return bpy.data.objects[NAME]


def _on_ground(place: Place) -> tuple[int, int]:
    """Where the top of the first steps is seen, in the window's pixels."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region = driver.region()
    x, y = place
    height = 4 + int(x) // 4 + int(y) // 8
    seen = location_3d_to_region_2d(region, driver.viewport().spaces.active.region_3d, (x + 0.5, y + 0.5, height))
    return region.x + round(seen.x), region.y + round(seen.y)


def _world() -> "object":
    return scenery.ours("addon.session").world_of(_owner())


def _voxels() -> np.ndarray:
    """The materials of the chunk of the steps, and of the one above."""
    return _world().region((0, 0, 0), (32, 32, 64)) >> 8


def _solid() -> int:
    return int((_voxels() > 0).sum())


def _selected() -> int:
    selection = scenery.ours("addon.selections").selection_of(_owner())
    return selection.count if selection is not None else 0


def _hash() -> str:
    world = _world()
    digest = hashlib.sha256()
    for coord in world.coords():
        digest.update(repr(coord).encode() + np.ascontiguousarray(world.chunk(coord)).tobytes())
    return digest.hexdigest()
