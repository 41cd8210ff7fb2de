# SPDX-License-Identifier: GPL-3.0-or-later
"""A world in the viewport, among Blender's own objects, in several shading modes and views, in the light of several
suns, and while it moves."""

import math
import time
from typing import Any

import bpy
import driver
import scenery


def steps() -> driver.Steps:
    driver.enable_extension()
    preview = scenery.ours("addon.viewport.handler").preview
    steps = scenery.new_world("Steps", glass=True)
    scenery.cube("Behind", (16, 40, 12), 12)
    scenery.cube("Through", (16, 16, 20), 5)
    space = driver.viewport().spaces.active
    space.show_region_toolbar = space.show_region_header = False
    with driver.context():
        bpy.ops.object.select_all(action="DESELECT")
    scenery.look_at_steps(space)
    start = time.perf_counter()
    yield from driver.photograph("solid")
    driver.record("seconds", time.perf_counter() - start)
    driver.record("window", driver.rectangle())
    driver.record("way", preview.way)
    driver.record("failure", preview.failure)
    space.shading.show_xray = True
    yield from driver.photograph("x-ray")
    space.shading.show_xray = False
    for shading in ("WIREFRAME", "MATERIAL", "RENDERED"):
        space.shading.type = shading
        yield from driver.photograph(shading.lower())
    space.shading.type = "SOLID"
    steps.voxelwright.show_preview = False
    yield from driver.photograph("off")
    steps.voxelwright.show_preview = True
    number = list(driver.window().screen.areas).index(driver.viewport())
    driver.window().screen.voxelwright.shown[number] = False
    yield from driver.photograph("off in this viewport")
    driver.window().screen.voxelwright.shown[number] = True
    yield from _light()
    yield from _moves(space, preview)
    driver.record("failure at last", preview.failure)


def _light() -> driver.Steps:
    """The settings, a sun of Blender's that is turned, and the settings again once it is deleted."""
    settings = bpy.context.scene.voxelwright.light
    yield from driver.photograph("sun of the settings")
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    bpy.context.scene.collection.objects.link(sun)
    settings.sun = sun
    for name, rotation in (("low sun", (0, math.radians(-78), 0)), ("sun moved", (0, math.radians(78), 0))):
        sun.rotation_euler = rotation
        yield from driver.photograph(name)
    yield from _changes(settings, sun)
    settings.use_shadows = settings.use_occlusion = False
    yield from driver.photograph("without shadows")
    settings.use_shadows = settings.use_occlusion = True
    bpy.context.view_layer.objects.active = sun
    sun.select_set(True)
    with driver.context():
        bpy.ops.object.delete()
    yield from driver.photograph("sun deleted")


def _changes(settings: Any, sun: bpy.types.Object) -> driver.Steps:
    """What changes the light has the viewport drawn again, by itself."""
    handler = scenery.ours("addon.viewport.handler")
    draw, drawn = handler._draw, []

    def noted(context: Any) -> None:
        drawn.append(context.region.as_pointer())
        draw(context)

    handler._draw = noted
    for name, owner, prop, value in (
        ("nothing changes", settings, None, None),
        ("the sun is turned", sun, "rotation_euler", (0.1, 1.3, 0.0)),
        ("the sun is larger", sun.data, "angle", 0.1),
        ("shadows are weaker", settings, "shadow_strength", 0.5),
    ):
        drawn.clear()
        if prop is not None:
            setattr(owner, prop, value)
        for _ in range(3):
            yield
        driver.record(name, len(drawn) > 0)
    handler._draw = draw
    settings.shadow_strength = 1.0


def _moves(space: Any, preview: Any) -> driver.Steps:
    """The view comes nearer while no frame is fast enough, and comes to rest."""
    pacing = scenery.ours("addon.viewport.pacing")
    stored = scenery.ours("addon.preferences").stored()
    stored.samples, stored.automatic = 2, True
    longest, rest = pacing.LONGEST_FRAME, pacing.REST_SECONDS
    pacing.LONGEST_FRAME, pacing.REST_SECONDS = 0.0, 3600.0
    sizes = []
    for _ in range(10):
        space.region_3d.view_distance -= 1.0
        driver.viewport().tag_redraw()
        yield
        yield
        sizes.append(_picture(preview).size)
    driver.record("sizes while it moves", sizes)
    pacing.LONGEST_FRAME, pacing.REST_SECONDS = longest, rest
    driver.viewport().tag_redraw()
    yield from driver.until(lambda: _picture(preview).n_samples == 2, "the refined picture")
    driver.record("size at rest", _picture(preview).size)
    stored.samples, stored.automatic = 1, False


def _picture(preview: Any) -> Any:
    """The viewport's picture, as it was drawn."""
    found = preview._way._pictures[driver.region().as_pointer()]
    return found.picture if preview.way == "carried" else found
