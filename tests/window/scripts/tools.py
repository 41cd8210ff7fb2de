# SPDX-License-Identifier: GPL-3.0-or-later
"""Every tool of the toolbar in use: its cursor, a gesture, undo, redo, Esc."""

import hashlib

import bpy
import driver
import numpy as np
import scenery

NAME = "World"


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
    for name in ("sculpt",):
        yield from _tool(name)
        yield from driver.move(_on_ground(16.5, 16.5))
        yield from driver.photograph(f"{name} cursor")


def _compiled() -> driver.Steps:
    """The first use of a tool compiles, and says so."""
    hover = scenery.ours("addon.operators.gesture")
    with driver.context():
        bpy.ops.voxelwright.prepare_tools("INVOKE_DEFAULT")
    yield from driver.until(hover.are_tools_ready, "the tools", seconds=300)
    yield from driver.settle()


def _tool(name: str) -> driver.Steps:
    with driver.context():
        bpy.ops.wm.tool_set_by_id(name=f"voxelwright.{name}")
    yield from driver.settle()


def _owner() -> bpy.types.Object:
    return bpy.data.objects[NAME]


def _on_ground(x: float, y: float) -> tuple[int, int]:
    """Where the top of the steps at (x, y) is seen, in the window's pixels."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region = driver.region()
    height = 4 + int(x) // 4 + int(y) // 8
    place = location_3d_to_region_2d(region, driver.viewport().spaces.active.region_3d, (x, y, height))
    return region.x + round(place.x), region.y + round(place.y)


def _hash() -> str:
    world = scenery.ours("addon.session").world_of(_owner())
    digest = hashlib.sha256()
    for coord in world.coords():
        digest.update(repr(coord).encode() + np.ascontiguousarray(world.chunk(coord)).tobytes())
    return digest.hexdigest()
