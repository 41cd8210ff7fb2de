# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's meshes as triangles in a world's voxels, and their colours as palettes."""

from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import N_MATERIALS
from ..voxel.palette import Material, Palette, linear_to_srgb

if TYPE_CHECKING:
    from ..voxel.world import World

SOURCES = {
    "MATERIALS": ("Its Materials", "The colours and the surfaces of the mesh's materials"),
    "COLORS": ("Color Attribute", "The mesh's active color attribute, the mean of each face"),
    "ACTIVE": ("Active Material", "The material that is chosen in the palette"),
}
"""Where voxels have their materials from: label and description by name."""

_DEFAULT = Material("material", (204, 204, 204), texture="plain")


class Triangles(NamedTuple):
    """corners (n, 3, 3) float64 in voxels, counter-clockwise seen from outside; materials (n,) int64 of palette."""

    corners: NDArray[np.float64]
    materials: NDArray[np.int64]
    palette: Palette


def triangles_of(
    data: bpy.types.Mesh, to_voxels: Matrix, source: str, world: "World", active: int, max_colors: int = 255
) -> Triangles:
    """A mesh's triangles in voxels, with materials by one of SOURCES; active is the world's active material, and
    max_colors how many a colour attribute makes at most."""
    data.calc_loop_triangles()
    n = len(data.loop_triangles)
    loops = _got(data.loop_triangles, "loops", 3 * n, np.int32)
    vertices = _got(data.loops, "vertex_index", len(data.loops), np.int32)[loops]
    points = _got(data.vertices, "co", 3 * len(data.vertices), np.float32).reshape(-1, 3).astype(np.float64)
    matrix = np.array(to_voxels, np.float64)
    corners = (points @ matrix[:3, :3].T + matrix[:3, 3])[vertices].reshape(n, 3, 3)
    if np.linalg.det(matrix[:3, :3]) < 0:
        corners = corners[:, ::-1]
    if source == "ACTIVE":
        return Triangles(corners, np.full(n, active, np.int64), world.palette)
    if source == "COLORS":
        from ..voxel.edit.colors import palette_of_colors

        palette, materials = palette_of_colors(_colors(data, loops, vertices), max_colors)
        return Triangles(corners, materials, palette)
    slots = _got(data.loop_triangles, "material_index", n, np.int32).astype(np.int64)
    materials_of_slots = [_material(slot) for slot in data.materials] or [_DEFAULT]
    if len(materials_of_slots) >= N_MATERIALS:
        raise VoxelwrightError(f"The mesh has {len(materials_of_slots)} materials; a palette has {N_MATERIALS - 1}.")
    palette = Palette.of({slot + 1: material for slot, material in enumerate(materials_of_slots)})
    return Triangles(corners, np.clip(slots, 0, len(materials_of_slots) - 1) + 1, palette)


def _colors(data: bpy.types.Mesh, loops: NDArray[np.int32], vertices: NDArray[np.int32]) -> NDArray[np.uint8]:
    """(n, 3) uint8 sRGB: the mean of each triangle's corners in the active color attribute."""
    attribute: Any = data.color_attributes.active_color
    if attribute is None:
        raise VoxelwrightError(f'"{data.name}" has no color attribute; add one, or take the colours of its materials.')
    colors = _got(attribute.data, "color_srgb", 4 * len(attribute.data), np.float32).reshape(-1, 4)
    at = vertices if attribute.domain == "POINT" else loops
    means = colors[at, :3].reshape(-1, 3, 3).mean(axis=1)
    return np.rint(255 * np.clip(means, 0, 1)).astype(np.uint8)


def _material(material: bpy.types.Material | None) -> Material:
    """A material of Blender's as an entry of a palette, by its Principled shader where it has one."""
    if material is None:
        return _DEFAULT
    name = "".join(letter if letter.isprintable() else "?" for letter in material.name)[:60]
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    shader = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader is None:
        color: Any = material.diffuse_color
        return Material(name, _bytes(color), opacity=min(max(color[3], 0.0), 1.0), texture="plain")
    inputs: Any = shader.inputs
    base, glow = inputs["Base Color"].default_value, inputs["Emission Color"].default_value
    strength = _within(inputs["Emission Strength"], 0, 1000)
    shines = strength > 0 and max(glow[:3]) > 0
    return Material(
        name,
        _bytes(glow if shines else base),
        _within(inputs["Roughness"], 0, 1),
        _within(inputs["Metallic"], 0, 1),
        strength if shines else 0.0,
        _within(inputs["Alpha"], 0, 1),
        _within(inputs["IOR"], 1, 4),
        texture="plain",
    )


def _bytes(linear: Any) -> tuple[int, int, int]:
    srgb = 255 * linear_to_srgb(np.clip(np.array(linear[:3], np.float64), 0, 1))
    red, green, blue = np.rint(srgb).astype(np.int64).tolist()
    return (red, green, blue)


def _within(socket: Any, low: float, high: float) -> float:
    return float(min(max(round(socket.default_value, 6), low), high))


def _got(collection: Any, name: str, size: int, dtype: Any) -> NDArray[Any]:
    values = np.empty(size, dtype)
    collection.foreach_get(name, values)
    return values
