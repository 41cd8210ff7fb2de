# SPDX-License-Identifier: GPL-3.0-or-later
"""A world in the viewport, among Blender's own objects, in several shading modes and views."""

import importlib
import time

import bpy
import driver
import numpy as np


def steps() -> driver.Steps:
    driver.enable_extension()
    ours = driver.EXTENSION
    session = importlib.import_module(f"{ours}.addon.session")
    handler = importlib.import_module(f"{ours}.addon.viewport.handler")
    with driver.context():
        session.new_world_object(bpy.context, "Steps", _world(ours))
    _cube("Behind", (16, 40, 12), 12)
    _cube("Through", (16, 16, 20), 5)
    space = driver.viewport().spaces.active
    space.show_region_toolbar = space.show_region_header = False
    with driver.context():
        bpy.ops.object.select_all(action="DESELECT")
        bpy.ops.view3d.view_axis(type="FRONT")
    space.clip_end = 1000
    region_data = space.region_3d
    region_data.view_perspective = "PERSP"
    region_data.view_location = (16, 16, 8)
    region_data.view_distance = 75
    region_data.view_rotation = (0.83, 0.45, 0.15, 0.27)
    start = time.perf_counter()
    yield from driver.photograph("solid")
    driver.record("seconds", time.perf_counter() - start)
    driver.record("window", driver.rectangle())
    driver.record("way", handler.way_in_use())
    driver.record("failure", handler.failure())
    for shading in ("WIREFRAME", "MATERIAL", "RENDERED"):
        space.shading.type = shading
        yield from driver.photograph(shading.lower())
    space.shading.type = "SOLID"
    region_data.view_perspective = "ORTHO"
    yield from driver.photograph("orthographic")
    region_data.view_perspective = "PERSP"
    bpy.data.objects["Steps"].voxelwright.show_preview = False
    yield from driver.photograph("off")
    bpy.data.objects["Steps"].voxelwright.show_preview = True
    bpy.data.objects["Steps"].rotation_euler[2] = 0.6
    bpy.data.objects["Steps"].scale = (0.5, 0.5, 0.5)
    yield from driver.photograph("rotated")
    driver.record("failure at last", handler.failure())


def _cube(name: str, place: tuple[float, float, float], size: float) -> None:
    mesh = bpy.data.meshes.new(name)
    s = size / 2
    corners = [(x, y, z) for x in (-s, s) for y in (-s, s) for z in (-s, s)]
    mesh.from_pydata(corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    made = bpy.data.objects.new(name, mesh)
    made.location = place
    bpy.context.scene.collection.objects.link(made)


def _world(ours: str):
    """Steps of red and green, 32 × 32 voxels, with a pane of glass."""
    world = importlib.import_module(f"{ours}.voxel.world")
    palette_module = importlib.import_module(f"{ours}.voxel.palette")
    palette = palette_module.Palette.of(
        {
            1: palette_module.Material("red", (200, 60, 50)),
            2: palette_module.Material("green", (70, 170, 60)),
            3: palette_module.Material("glass", (80, 120, 220), opacity=0.4),
        }
    )
    x, y, z = np.indices((32, 32, 32))
    height = 4 + x // 4 + y // 8
    voxels = np.where(z < height, np.where(z == height - 1, palette.voxel(2), palette.voxel(1)), 0).astype(np.uint16)
    voxels[24:30, 2:3, 12:24] = palette.voxel(3)
    return world.new_world({(0, 0, 0): world.as_chunk(voxels)}, palette)
