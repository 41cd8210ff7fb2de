# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts show: a small world, the same as an ordinary mesh, and objects of Blender's own."""

from importlib import import_module
from types import ModuleType
from typing import Any

import bpy
import driver
import numpy as np

COLORS = {1: (200, 60, 50), 2: (70, 170, 60)}
"""sRGB bytes of the world's opaque materials."""

_FACES = (
    ((1, 0, 0), ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1))),
    ((-1, 0, 0), ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0))),
    ((0, 1, 0), ((0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0))),
    ((0, -1, 0), ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1))),
    ((0, 0, 1), ((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))),
    ((0, 0, -1), ((0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0))),
)
"""Direction, and corners counter-clockwise seen from outside."""


def ours(name: str) -> ModuleType:
    """A module of the extension's, by its name below it."""
    return import_module(f"{driver.EXTENSION}.{name}")


def steps_world(*, glass: bool) -> Any:
    """Steps of red and green, 32 × 32 voxels, with a pane of glass or without."""
    palette_module, world = ours("voxel.palette"), ours("voxel.world")
    materials = {
        1: palette_module.Material("red", COLORS[1]),
        2: palette_module.Material("green", COLORS[2]),
        3: palette_module.Material("glass", (80, 120, 220), opacity=0.4),
    }
    palette = palette_module.Palette.of(materials)
    codes = np.array([palette.voxel(number) if number else 0 for number in range(4)], np.uint16)
    numbers = _steps()
    if glass:
        numbers[24:30, 2:3, 12:24] = 3
    return world.new_world({(0, 0, 0): world.as_chunk(codes[numbers])}, palette)


def _steps() -> Any:
    x, y, z = np.indices((32, 32, 32))
    height = 4 + x // 4 + y // 8
    return np.where(z < height, np.where(z == height - 1, 2, 1), 0)


def new_world(name: str, *, glass: bool = False) -> bpy.types.Object:
    """An empty that carries the steps."""
    with driver.context():
        return ours("addon.session").new_world_object(bpy.context, name, steps_world(glass=glass))


def steps_mesh(name: str) -> bpy.types.Object:
    """The steps as Blender itself has them: a mesh of all outer faces, in materials of the same viewport colours."""
    numbers = np.pad(_steps(), 1)
    corners, faces, slots = [], [], []
    for direction, offsets in _FACES:
        behind = np.roll(numbers, [-step for step in direction], (0, 1, 2))
        for cell in np.argwhere((numbers > 0) & (behind == 0)):
            faces.append(range(len(corners), len(corners) + 4))
            corners += [tuple(cell - 1 + np.array(offset)) for offset in offsets]
            slots.append(int(numbers[tuple(cell)]) - 1)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    for color in COLORS.values():
        material = bpy.data.materials.new(name)
        material.diffuse_color = (*(linear_from_srgb(byte / 255) for byte in color), 1.0)
        mesh.materials.append(material)
    mesh.polygons.foreach_set("material_index", slots)
    return _linked(name, mesh)


def cube(name: str, place: tuple[float, float, float], size: float) -> bpy.types.Object:
    """A cube of Blender's."""
    s = size / 2
    corners = [(x, y, z) for x in (-s, s) for y in (-s, s) for z in (-s, s)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    made = _linked(name, mesh)
    made.location = place
    return made


def linear_from_srgb(value: float) -> float:
    """What Blender's colours are, from 0 … 1."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def look_at_steps(space: Any, distance: float = 75.0) -> None:
    """Show the steps from the front, above and a little from the left."""
    space.clip_end = 1000
    region_data = space.region_3d
    region_data.view_perspective = "PERSP"
    region_data.view_location = (16, 16, 8)
    region_data.view_distance = distance
    region_data.view_rotation = (0.83, 0.45, 0.15, 0.27)


def _linked(name: str, mesh: bpy.types.Mesh) -> bpy.types.Object:
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    return made
