# SPDX-License-Identifier: GPL-3.0-or-later
"""Clicks, keys, the panel and the statistics, as a person uses them; and what happens when drawing fails."""

from typing import Any

import bpy
import driver
import scenery

MODAL = "VOXELWRIGHT_OT_new_world"


def steps() -> driver.Steps:
    driver.enable_extension()
    space = driver.viewport().spaces.active
    for name in ("Cube", "Light", "Camera"):
        bpy.data.objects.remove(bpy.data.objects[name])
    yield from _new_world(space)
    yield from _clicks(space)
    yield from _frames(space)
    yield from _dropped()
    yield from _panel(space)
    yield from _failures()


def _region_data() -> Any:
    return driver.viewport().spaces.active.region_3d


def _seen_whole(name: str) -> bool:
    """Whether all corners of a world's box are seen in the viewport, and as large as they can be."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    framing = scenery.ours("addon.framing")
    region = driver.region()
    places = [
        location_3d_to_region_2d(region, _region_data(), corner)
        for corner in framing.corners_of(bpy.data.objects[name])
    ]
    if None in places:
        return False
    shares = [(2 * p.x / region.width - 1, 2 * p.y / region.height - 1) for p in places]
    largest = max(max(abs(x), abs(y)) for x, y in shares)
    return 0.8 < largest < 1.0


def _running() -> bool:
    return MODAL in [operator.bl_idname for operator in driver.window().modal_operators]


def _new_world(space: Any) -> driver.Steps:
    """A new world is shown whole, and what is beyond the clip end is said and mended."""
    space.clip_end = 100
    with driver.context():
        bpy.ops.voxelwright.new_world("INVOKE_DEFAULT", True, size=(96, 96, 96), seed=3)
    yield from driver.until(lambda: not _running(), "the new world", seconds=240)
    yield from driver.settle()
    (name,) = (owner.name for owner in bpy.data.objects)
    driver.record("new world is framed", _seen_whole(name))
    space.show_region_ui = True
    yield from driver.settle()
    driver.region("UI").active_panel_category = "Voxelwright"
    yield from driver.photograph("clip end")
    driver.record("sidebar", driver.rectangle("UI"))
    with driver.context():
        driver.record("extended", list(bpy.ops.voxelwright.extend_clip_end()))
    driver.record("clip end", space.clip_end)
    yield from driver.photograph("clip end extended")
    space.show_region_ui = False
    space.clip_end = 1000
    bpy.data.objects.remove(bpy.data.objects[name])


def _selected() -> list[str]:
    return sorted(owner.name for owner in bpy.context.view_layer.objects if owner.select_get())


def _click(name: str, place: tuple[float, float], **modifiers: bool) -> driver.Steps:
    """Click, and record what is selected then."""
    yield from driver.move(driver.position(*place))
    yield from driver.press("LEFTMOUSE", **modifiers)
    yield from driver.settle()
    driver.record(name, _selected())


def _clicks(space: Any) -> driver.Steps:
    """Two worlds side by side, with a cube before one and a cube hidden in the other."""
    scenery.new_world("Left")
    scenery.new_world("Right").location = (40, 0, 0)
    scenery.cube("Before", (8, -6, 8), 6)
    scenery.cube("Hidden", (56, 12, 4), 6)
    with driver.context():
        bpy.ops.object.select_all(action="DESELECT")
        bpy.ops.ed.undo_push(message="before clicks")
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = (0.924, 0.383, 0, 0)
    space.region_3d.view_location = (36, 16, 5)
    space.region_3d.view_distance = 95
    yield from driver.photograph("before clicks")
    yield from _click("click on the left world", (0.35, 0.45))
    yield from driver.photograph("left world selected")
    yield from _click("click over the hidden cube", (0.66, 0.45))
    yield from _click("shift click on the left world", (0.35, 0.45), shift=True)
    yield from _click("shift click on it again", (0.35, 0.45), shift=True)
    yield from _click("click on the cube before", _place_of((8, -9, 8)))
    yield from _click("click on nothing", (0.5, 0.95))
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    driver.record("undone", _selected())


def _place_of(point: tuple[float, float, float]) -> tuple[float, float]:
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region = driver.region()
    place = location_3d_to_region_2d(region, _region_data(), point)
    return place.x / region.width, place.y / region.height


def _frames(space: Any) -> driver.Steps:
    """View Selected and View All know worlds."""
    for owner in bpy.data.objects:
        owner.select_set(owner.name == "Right")
    for name, perspective in (("perspective", "PERSP"), ("orthographic", "ORTHO")):
        space.region_3d.view_perspective = perspective
        space.region_3d.view_location = (500, 0, 0)
        yield from driver.settle()
        yield from driver.press("NUMPAD_PERIOD")
        yield from driver.settle()
        driver.record(f"framed, {name}", _seen_whole("Right"))
        yield from driver.photograph(f"framed, {name}")
    space.region_3d.view_perspective = "PERSP"
    for owner in bpy.data.objects:
        owner.select_set(owner.name == "Hidden")
    yield from driver.press("NUMPAD_PERIOD")
    yield from driver.settle()
    driver.record(
        "cube framed by Blender", (space.region_3d.view_location - bpy.data.objects["Hidden"].location).length
    )
    yield from driver.press("HOME")
    yield from driver.settle()
    yield from driver.photograph("everything")


def _dropped() -> driver.Steps:
    """Objects fall onto the ground."""
    for owner in bpy.data.objects:
        owner.select_set(False)
    cube = scenery.cube("Dropped", (16.5, 16.5, 60), 2)
    cube.select_set(True)
    bpy.context.view_layer.objects.active = cube
    yield from driver.settle()
    with driver.context():
        driver.record("dropped", list(bpy.ops.voxelwright.drop_objects()))
    driver.record("dropped to", list(cube.matrix_world.translation))
    yield from driver.photograph("dropped")


def _panel(space: Any) -> driver.Steps:
    """The sidebar's panels, and statistics in the viewport."""
    for owner in bpy.data.objects:
        owner.select_set(owner.name == "Left")
    bpy.context.view_layer.objects.active = bpy.data.objects["Left"]
    bpy.context.scene.voxelwright.show_stats = True
    yield from driver.photograph("statistics")
    space.overlay.show_stats = True
    space.show_region_ui = True
    yield from driver.settle()
    yield from driver.photograph("panel")
    space.overlay.show_stats = False
    for view in ("FACES", "CHUNKS", "NORMALS", "QUADS"):
        bpy.context.scene.voxelwright.view = view
        yield from driver.photograph(f"view {view.lower()}")
    bpy.context.scene.voxelwright.view = "LIT"
    stored = scenery.ours("addon.preferences").stored()
    for quality in ("LOW", "MEDIUM", "HIGH", "ULTRA"):
        stored.preset = quality
        yield from driver.settle()
        yield from driver.until(_is_refined, "the refined picture", seconds=60)
        yield from driver.photograph(f"quality {quality.lower()}")
        names = ("preset", "resolution", "blending", "light", "half_occlusion", "detail", "samples")
        driver.record(f"quality {quality.lower()}", [getattr(stored, name) for name in names])
    stored.samples = 3
    driver.record("own quality", stored.preset)
    stored.preset = "HIGH"
    stored.light = "MAPS"
    yield from driver.photograph("quality maps")
    stored.light = "RAYS"


def _is_refined() -> bool:
    """Whether the viewport's picture is all that the quality asks for."""
    preview = scenery.ours("addon.viewport.handler").preview
    samples = scenery.ours("addon.preferences").choices().quality.samples
    return preview._way.n_samples(driver.region().as_pointer()) >= samples


def _failures() -> driver.Steps:
    """A direct way that fails gives way to the other; where that fails too it is said once, until a retry."""
    preview = scenery.ours("addon.viewport.handler").preview
    direct, carried = scenery.ours("addon.viewport.direct"), scenery.ours("addon.viewport.carried")
    draw_directly, draw_apart = direct.DirectWay.draw, carried.CarriedWay.draw

    def fail(*_: Any) -> None:
        raise RuntimeError("the card is gone")

    direct.DirectWay.draw = fail
    yield from driver.photograph("without direct")
    driver.record("without direct", [preview.way, preview.reason, preview.failure])
    carried.CarriedWay.draw = fail
    yield from driver.photograph("without both")
    driver.record("without both", [preview.failure])
    direct.DirectWay.draw, carried.CarriedWay.draw = draw_directly, draw_apart
    with driver.context():
        bpy.ops.voxelwright.retry_preview()
    yield from driver.photograph("retried")
    driver.record("retried", [preview.way, preview.failure])
    stored = scenery.ours("addon.preferences").stored()
    for way in ("CARRIED", "DIRECT", "AUTO"):
        stored.way = way
        yield from driver.settle()
        driver.record(way, [preview.way, preview.reason])
    driver.record("viewport", driver.rectangle())
