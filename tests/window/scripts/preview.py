# SPDX-License-Identifier: GPL-3.0-or-later
"""A world in the viewport, among Blender's own objects, in several shading modes and views."""

import time

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
    driver.record("failure at last", preview.failure)
