# SPDX-License-Identifier: GPL-3.0-or-later
"""The same picture twice, in many kinds of viewport: with worlds drawn by us, and with meshes of the same faces drawn
by Blender. Both among cubes of Blender's, in plain colours."""

import time
from collections.abc import Callable
from typing import Any

import bpy
import driver
import scenery
from mathutils import Euler, Matrix, Vector

MATRICES = {
    "Steps": Matrix.Identity(4),
    "Turned": Matrix.LocRotScale(Vector((44, 6, 4)), Euler((0.3, -0.2, 0.8)), Vector((0.6, 0.6, 0.6))),
    "Mirrored": Matrix.LocRotScale(Vector((-6, 10, 2)), Euler((0.0, 0.1, -0.3)), Vector((-0.5, 0.7, 0.4))),
}
"""Where worlds stand: as they are, turned and made smaller, and mirrored with another scale along each axis."""


def steps() -> driver.Steps:
    driver.enable_extension()
    bpy.context.preferences.system.viewport_aa = "OFF"
    for name, matrix in MATRICES.items():
        scenery.new_world(name).matrix_world = matrix
        scenery.steps_mesh(f"{name} mesh").matrix_world = matrix
    scenery.cube("Behind", (16, 40, 12), 12)
    scenery.cube("Through", (16, 16, 14), 7)
    scenery.cube("Before", (20, -12, 8), 5)
    bpy.context.scene.voxelwright.view = "MATERIALS"
    space = driver.viewport().spaces.active
    _plain(space)
    scenery.look_at_steps(space, 110)
    with driver.context():
        bpy.ops.object.select_all(action="DESELECT")
    yield from _twice("perspective")
    for name, change in _CHANGES.items():
        yield from _changed(name, change)
    driver.record("failure", scenery.ours("addon.viewport.handler").preview.failure)
    yield from _cycles(space)
    yield from _two_windows()
    driver.record("failure at last", scenery.ours("addon.viewport.handler").preview.failure)


def _plain(space: Any) -> None:
    """Show objects in their materials' viewport colours, and nothing else."""
    shading = space.shading
    shading.type, shading.light, shading.color_type = "SOLID", "FLAT", "MATERIAL"
    shading.show_object_outline = False
    space.show_region_toolbar = space.show_region_header = space.show_region_tool_header = False
    space.show_gizmo = False
    space.overlay.show_overlays = False


def _twice(name: str) -> driver.Steps:
    """Photograph what we draw, and then what Blender draws of the same."""
    for suffix, meshes in (("ours", False), ("meshes", True)):
        _show(meshes=meshes)
        yield from driver.photograph(f"{name}, {suffix}")
    driver.record(f"{name}, region", driver.viewport_rectangle())


def _show(*, meshes: bool) -> None:
    """Show the meshes, or else the worlds."""
    for owner in bpy.data.objects:
        if owner.name.removesuffix(" mesh") in MATRICES:
            if owner.type == "MESH":
                owner.hide_set(not meshes)
            else:
                owner.voxelwright.show_preview = not meshes


def _changed(name: str, change: Callable[[Any], Callable[[], None]]) -> driver.Steps:
    undo = change(driver.viewport().spaces.active)
    yield from driver.settle()
    yield from _twice(name)
    undo()
    yield from driver.settle()


def _orthographic(space: Any) -> Callable[[], None]:
    space.region_3d.view_perspective = "ORTHO"
    return lambda: setattr(space.region_3d, "view_perspective", "PERSP")


def _camera(space: Any) -> Callable[[], None]:
    data = bpy.data.cameras.new("Camera")
    data.lens, data.shift_x, data.clip_end = 35, 0.1, 1000
    camera = bpy.data.objects.new("Camera", data)
    bpy.context.scene.collection.objects.link(camera)
    camera.matrix_world = space.region_3d.view_matrix.inverted()
    bpy.context.scene.camera = camera
    _show_overlays(space, all_of_them=False)
    space.region_3d.view_perspective = "CAMERA"

    def undo() -> None:
        space.region_3d.view_perspective = "PERSP"
        space.overlay.show_overlays = False
        bpy.data.objects.remove(camera)

    return undo


def _show_overlays(space: Any, *, all_of_them: bool) -> None:
    """Show overlays; either all, or those alone that lie behind everything, such as a camera's frame."""
    space.overlay.show_overlays = True
    for part in ("floor", "axis_x", "axis_y", "cursor", "extras", "text", "relationship_lines", "outline_selected"):
        setattr(space.overlay, f"show_{part}", all_of_them)


def _quad_view(_space: Any) -> Callable[[], None]:
    def toggle() -> None:
        with driver.context():
            bpy.ops.screen.region_quadview()

    toggle()
    return toggle


def _full_area(_space: Any) -> Callable[[], None]:
    def toggle() -> None:
        with driver.context():
            bpy.ops.screen.screen_full_area()

    toggle()
    return toggle


def _large_interface(_space: Any) -> Callable[[], None]:
    view = bpy.context.preferences.view
    view.ui_scale = 2.0
    return lambda: setattr(view, "ui_scale", 1.0)


def _local_view(_space: Any) -> Callable[[], None]:
    """All but the turned world and its mesh."""

    def toggle() -> None:
        with driver.context():
            bpy.ops.view3d.localview(frame_selected=False)

    for owner in bpy.data.objects:
        owner.hide_set(False)
        owner.select_set(not owner.name.startswith("Turned"))
    toggle()

    def undo() -> None:
        toggle()
        for owner in bpy.data.objects:
            owner.select_set(False)

    return undo


def _overlays(space: Any) -> Callable[[], None]:
    _show_overlays(space, all_of_them=True)
    return lambda: setattr(space.overlay, "show_overlays", False)


_CHANGES = {
    "orthographic": _orthographic,
    "camera": _camera,
    "quad view": _quad_view,
    "full area": _full_area,
    "large interface": _large_interface,
    "local view": _local_view,
    "overlays": _overlays,
}


def _cycles(space: Any) -> driver.Steps:
    """Cycles must come to its last sample, with our drawing over it, and then rest."""
    bpy.context.scene.render.engine = "CYCLES"
    bpy.context.scene.cycles.preview_samples = 4
    bpy.context.scene.render.preview_pixel_size = "2"
    # Without any overlay Blender gives no depth beside what Cycles renders.
    _show_overlays(space, all_of_them=False)
    _show(meshes=False)
    yield from driver.photograph("before cycles")
    space.shading.type = "RENDERED"
    handler = scenery.ours("addon.viewport.handler")
    draw, counts = handler._draw, {"draws": 0, "updates": 0}

    def counted(context: Any) -> None:
        counts["draws"] += 1
        draw(context)

    def updated(*_: Any) -> None:
        counts["updates"] += 1

    handler._draw = counted
    bpy.app.handlers.depsgraph_update_post.append(updated)
    yield from driver.photograph("cycles, begun")
    end = time.monotonic() + 60
    before = -1
    while before != counts["draws"]:
        assert time.monotonic() < end, "Cycles never comes to rest"
        before = counts["draws"]
        for _ in range(30):
            yield
    driver.record("cycles", counts)
    yield from driver.photograph("cycles")
    space.shading.type = "SOLID"
    handler._draw = draw


def _two_windows() -> driver.Steps:
    with driver.context():
        bpy.ops.wm.window_new()
    yield from driver.settle()
    handler = scenery.ours("addon.viewport.handler")
    draw, regions = handler._draw, set()

    def noted(context: Any) -> None:
        regions.add(context.region.as_pointer())
        draw(context)

    handler._draw = noted
    handler.redraw()
    for _ in range(20):
        yield
    yield from driver.photograph("two windows")
    driver.record("viewports", len(regions))
    driver.record("windows", len(bpy.context.window_manager.windows))
