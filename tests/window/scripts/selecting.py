# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels are selected, copied, and placed with the mouse; undone, redone, and given up. So are decals."""

from typing import Any

import bpy
import driver
import scenery

PASTE = "VOXELWRIGHT_OT_paste_voxels"


def steps() -> driver.Steps:
    driver.enable_extension()
    for name in ("Cube", "Light", "Camera"):
        bpy.data.objects.remove(bpy.data.objects[name])
    scenery.new_world("Steps")
    space = driver.viewport().spaces.active
    scenery.look_at_steps(space)
    with driver.context():
        bpy.ops.voxelwright.prepare_picking()
        bpy.ops.ed.undo_push(message="steps")
    driver.record("picture", driver.rectangle())
    yield from driver.photograph("nothing selected")
    yield from _selects(space)
    yield from _pastes()
    yield from _moves()
    yield from _turned(space)
    yield from _decals(space)
    driver.record("failed", scenery.ours("addon.viewport.selection_overlay")._failed)


def _owner() -> Any:
    return bpy.data.objects["Steps"]


def _state() -> list[Any]:
    """The world's hash, and what is selected of it."""
    selection = scenery.ours("addon.selections").selection_of(_owner())
    world = scenery.ours("addon.session").world_of(_owner())
    return [
        hash(scenery.ours("voxel.storage").world_to_bytes(world)),
        selection and [selection.count, selection.bounds()],
    ]


def _do(name: str, *arguments: Any, **properties: Any) -> None:
    with driver.context():
        getattr(bpy.ops.voxelwright, name)(*arguments, True, **properties)


def _undone(name: str) -> driver.Steps:
    """Record a state, the one that Ctrl Z brings, and the one after Shift Ctrl Z."""
    states = [_state()]
    for modifiers in ({"ctrl": True}, {"ctrl": True, "shift": True}):
        yield from driver.press("Z", **modifiers)
        yield from driver.settle()
        states.append(_state())
    driver.record(name, states)


def _selects(space: Any) -> driver.Steps:
    yield from driver.move(driver.position())
    driver.record("at first", _state())
    _do("select_box", "EXEC_DEFAULT", corner=(8, 0, 0), opposite=(21, 20, 31))
    _do("select_by_material", "EXEC_DEFAULT", material="2", mode="INTERSECT")
    yield from driver.photograph("selected")
    yield from _undone("selecting")
    space.overlay.show_overlays = False
    yield from driver.photograph("without overlays")
    space.overlay.show_overlays = True


def _placing() -> bool:
    return PASTE in [operator.bl_idname for operator in driver.window().modal_operators]


def _pastes() -> driver.Steps:
    _do("copy_voxels", "EXEC_DEFAULT")
    driver.record("before pasting", _state())
    _do("paste_voxels", "INVOKE_DEFAULT")
    yield from driver.move(driver.position(0.5, 0.4))
    yield from driver.photograph("placing")
    for key in ("R", "M", "WHEELUPMOUSE", "WHEELUPMOUSE", "X", "R"):
        yield from driver.simulate(key, "PRESS")
    yield from driver.photograph("placing, turned")
    driver.record("while placing", [_placing(), _state()])
    yield from driver.press("LEFTMOUSE")
    yield from driver.photograph("placed")
    yield from _undone("pasting")
    _do("paste_voxels", "INVOKE_DEFAULT")
    yield from driver.move(driver.position(0.3, 0.5))
    yield from driver.press("ESC")
    yield from driver.settle()
    driver.record("given up", [_placing(), _state()])


def _moves() -> driver.Steps:
    driver.record("before moving", _state())
    _do("move_voxels", "INVOKE_DEFAULT")
    yield from driver.move(driver.position(0.35, 0.35))
    yield from driver.move(driver.position(0.36, 0.35))
    yield from driver.press("RET")
    yield from driver.photograph("moved")
    yield from _undone("moving")


def _decal_names() -> list[str]:
    return [owner.name for owner in scenery.ours("addon.decals").decals_in(bpy.context.scene)]


def _decals(space: Any) -> driver.Steps:
    """One follows the mouse until it is placed, another is given up; the first is taken back, made larger, and left out
    of the view at last."""
    _do("select_all", "EXEC_DEFAULT", action="DESELECT")
    _owner().rotation_euler, _owner().scale = (0, 0, 0), (1, 1, 1)
    scenery.look_at_steps(space)
    yield from driver.photograph("without decals")
    _do("add_decal", "INVOKE_DEFAULT", picture="line", length=12)
    yield from driver.move(driver.position(0.45, 0.5))
    yield from driver.move(driver.position(0.5, 0.5))
    yield from driver.settle()
    driver.record("decal under the mouse", _decal_names())
    yield from driver.press("LEFTMOUSE")
    yield from driver.photograph("decal")
    _do("add_decal", "INVOKE_DEFAULT", picture="moss")
    yield from driver.move(driver.position(0.3, 0.6))
    yield from driver.press("ESC")
    driver.record("decals after giving up", _decal_names())
    decal = bpy.data.objects[_decal_names()[0]]
    driver.record("decal turned to", [round(value, 3) for value in decal.matrix_world.to_3x3().normalized().col[2]])
    yield from _dragged(decal)
    with driver.context():
        bpy.ops.wm.call_panel("INVOKE_DEFAULT", name="VOXELWRIGHT_PT_decals")
    yield from driver.photograph("decal panel")
    yield from driver.press("ESC")
    bpy.data.objects[_decal_names()[0]].hide_set(True)
    yield from driver.photograph("decal hidden")
    driver.record("drawing", scenery.ours("addon.viewport.handler").preview.failure)


def _dragged(decal: Any) -> driver.Steps:
    """Drag the arrow on the box's Y side away from its middle, and take that and the decal back."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region, view = driver.region(), driver.viewport().spaces.active.region_3d
    middle = decal.matrix_world.translation
    arrow = middle + decal.matrix_world.col[1].to_3d()
    from_, to = (location_3d_to_region_2d(region, view, place) for place in (arrow, middle + 1.5 * (arrow - middle)))
    half_extents = [decal.scale[1]]
    yield from driver.move((region.x + round(from_.x) - 8, region.y + round(from_.y)))
    yield from driver.settle()
    path = [(region.x + round(p.x), region.y + round(p.y)) for p in (from_, from_.lerp(to, 0.5), to)]
    yield from driver.drag(*path)
    yield from driver.settle()
    half_extents.append(bpy.data.objects[_decal_names()[0]].scale[1])
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    half_extents.append(bpy.data.objects[_decal_names()[0]].scale[1])
    driver.record("half-extent before, after and undone", half_extents)
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    driver.record("decals undone", _decal_names())
    yield from driver.press("Z", ctrl=True, shift=True)
    yield from driver.settle()


def _turned(space: Any) -> driver.Steps:
    """A world that is turned, scaled and mirrored, in an orthographic view."""
    _owner().rotation_euler = (0.3, 0.2, 0.8)
    _owner().scale = (-0.7, 1, 1.2)
    space.region_3d.view_perspective = "ORTHO"
    yield from driver.photograph("turned")
