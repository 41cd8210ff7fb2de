# SPDX-License-Identifier: GPL-3.0-or-later
"""A world in the viewport where our own OpenGL context has no compute shaders."""

import os

import driver
import scenery


def steps() -> driver.Steps:
    # Mesa reads these when a context is made: Blender's own, of Vulkan, does not care.
    os.environ["MESA_GL_VERSION_OVERRIDE"] = "4.1"
    os.environ["MESA_GLSL_VERSION_OVERRIDE"] = "410"
    driver.enable_extension()
    scenery.new_world("Steps", glass=True)
    scenery.look_at_steps(driver.viewport().spaces.active)
    preview = scenery.ours("addon.viewport.handler").preview
    yield from driver.until(lambda: preview.failure or preview.way, "a picture", seconds=120)
    for _ in range(4):
        yield from driver.settle()
    yield from driver.photograph("basic")
    driver.record("drawn", [preview.way, preview.failure, preview.notices])
    driver.record("window", driver.rectangle())
