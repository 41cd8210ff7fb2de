# SPDX-License-Identifier: GPL-3.0-or-later
"""The palette in the sidebar and as a popup, a material edited, the pie menu, and the redo panel."""

from typing import Any

import bpy
import driver
import numpy as np
import scenery

NAME = "Samples"


def steps() -> driver.Steps:
    driver.enable_extension()
    for name in ("Cube", "Light", "Camera"):
        bpy.data.objects.remove(bpy.data.objects[name])
    _new_world()
    with driver.context():
        bpy.ops.ed.undo_push(message="begin")
    space = driver.viewport().spaces.active
    space.show_region_ui = True
    yield from driver.settle()
    driver.region("UI").active_panel_category = "Voxelwright"
    driver.record("sidebar", driver.rectangle("UI"))
    driver.record("picture", driver.rectangle())
    yield from driver.photograph("sidebar")
    space.show_region_ui = False
    yield from driver.settle()
    yield from _palette()
    yield from _edited()
    yield from _pie()
    yield from _adjusted()


def _new_world() -> None:
    """A step of each of the default palette's materials."""
    palette = scenery.ours("addon.presets").palette("default")
    voxels = np.zeros((32, 32, 32), np.uint16)
    for step, (index, _) in enumerate(palette.items()[:16]):
        voxels[2 * step : 2 * step + 2, :, : 4 + step // 2] = palette.voxel(index)
    world = scenery.ours("voxel.world").new_world({(0, 0, 0): voxels}, palette)
    with driver.context():
        scenery.ours("addon.session").new_world_object(bpy.context, NAME, world)
        bpy.ops.view3d.view_all()


def _n_edits() -> int:
    """How many edits of the world are in effect."""
    return len(scenery.ours("addon.session")._entry_of(_owner()).applied)


def _owner() -> Any:
    return bpy.data.objects[NAME]


def _world() -> Any:
    return scenery.ours("addon.session").world_of(_owner())


def _hash() -> int:
    return hash(scenery.ours("voxel.storage").world_to_bytes(_world()))


def _popup(name: str, invoke: Any) -> driver.Steps:
    """Photograph what opens in the middle of the viewport."""
    yield from driver.move(driver.position(0.4, 0.75))
    with driver.context():
        invoke()
    yield from driver.photograph(name)


def _palette() -> driver.Steps:
    yield from _popup("palette", lambda: bpy.ops.wm.call_panel(name="VOXELWRIGHT_PT_palette", keep_open=True))
    yield from driver.move(driver.position(0.05, 0.05))
    yield from driver.press("ESC")
    with driver.context():
        bpy.ops.voxelwright.set_material("EXEC_DEFAULT", True, index=3)


def _edited() -> driver.Steps:
    """A material is edited in a popup: a change is seen at once, and the whole is one step of undo."""
    before = _hash()
    yield from _popup("editing", lambda: bpy.ops.voxelwright.edit_material("INVOKE_DEFAULT", True))
    x, y = driver.position(0.4, 0.75)
    yield from driver.move((x + 130, y - 267))  # the popup's switch for Smooth
    yield from driver.press("LEFTMOUSE")
    yield from driver.settle()
    driver.record("smooth while editing", _world().palette.materials[3].smooth)
    yield from driver.press("ESC")
    yield from driver.settle()
    edited = _hash()
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    driver.record("edited", [before, edited, _hash()])


def _pie() -> driver.Steps:
    yield from driver.move(driver.position())
    with driver.context():
        bpy.ops.wm.call_menu_pie("INVOKE_DEFAULT", name="VOXELWRIGHT_MT_pie")
    yield from driver.photograph("pie")
    yield from driver.move(driver.position(0.35, 0.5))
    yield from driver.press("LEFTMOUSE")
    yield from driver.settle()
    driver.record("tool", driver.window().workspace.tools.from_space_view3d_mode("OBJECT").idname)
    with driver.context():
        bpy.ops.wm.tool_set_by_id(name="builtin.select_box")


def _adjusted() -> driver.Steps:
    """An operator of the sidebar: it compiles in slices, then it is one step."""
    before, n_edits = _hash(), _n_edits()
    yield from driver.move(driver.position())
    with driver.context():
        bpy.ops.voxelwright.roughen_world("INVOKE_DEFAULT", True, strength=4.0, wavelength=6.0)
    yield from driver.until(lambda: _n_edits() != n_edits, "the operator", seconds=300)
    driver.viewport().spaces.active.show_region_hud = True
    yield from driver.photograph("displaced")
    done, steps_made = _hash(), _n_edits() - n_edits
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    driver.record("displaced", [before, done, _hash(), steps_made])
