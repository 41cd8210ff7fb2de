# SPDX-License-Identifier: GPL-3.0-or-later
"""Palette entries as Blender's materials, and which slots of a mesh hold them."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...voxel.errors import VoxelwrightError
from ...voxel.layout import N_MATERIALS
from ...voxel.palette import Material, Palette
from . import tags

SLOTS = "voxelwright_slots"
"""On a mesh: the key, such as a palette index, of each material slot that the last bake made."""


def check_palette(materials: NDArray[np.uint8], palette: Palette) -> None:
    """Raise VoxelwrightError where palette lacks an entry for one of the indices in materials (n,)."""
    for index in np.unique(materials).tolist():
        if palette.materials[index] is None:
            raise VoxelwrightError(f"The world has voxels of material {index}; add that entry to its palette.")


def assign_slots(
    data: bpy.types.Mesh, used: NDArray[np.uint8], palette: Palette, world: str, world_key: str
) -> NDArray[np.int32]:
    """Give data a material slot for each palette index in used (n,); return (256,) int32, the slot of each index.

    What the user has changed stays: settings of materials, and other materials put into slots.
    """
    fill_slots(data, used.tolist(), lambda index: _material(index, palette, world, world_key), world_key)
    slots = np.zeros(N_MATERIALS, np.int32)
    slots[used] = np.arange(len(used))
    return slots


def fill_slots(
    data: bpy.types.Mesh, keys: list[int], material_of: Callable[[int], bpy.types.Material], world_key: str
) -> None:
    """Give data a material slot for each of keys: what the user has put there since the last time, or material_of()
    it."""
    own = _own_materials(data, world_key)
    materials = [own.get(key) or material_of(key) for key in keys]
    if list(data.materials) != materials:
        data.materials.clear()
        for material in materials:
            data.materials.append(material)
    data[SLOTS] = keys


def _own_materials(data: bpy.types.Mesh, world_key: str) -> dict[int, bpy.types.Material]:
    """By key, the materials that the user has put into slots in place of the baked ones."""
    indices = data.get(SLOTS, ())
    pairs = zip(indices, data.materials, strict=False)
    return {index: material for index, material in pairs if material and material.get(tags.WORLD) != world_key}


def _material(index: int, palette: Palette, world: str, world_key: str) -> bpy.types.Material:
    """The material of a palette entry, as an earlier bake has made it or new."""
    found = tags.find(bpy.data.materials, world_key, index)
    if found is not None:
        return found
    entry = palette.materials[index]
    assert entry is not None  # check_palette() has said so
    material = bpy.data.materials.new(f"{entry.name} ({world})")
    tags.tag(material, world_key, index)
    set_up(material, entry, palette.linear_colors[index])
    return material


def set_up(material: bpy.types.Material, entry: Material, linear_color: NDArray[np.float32]) -> None:
    """Make it look like a palette entry, but for its colour (3,)."""
    if material.node_tree is None:
        material.use_nodes = True  # Blender 4.5; from 5.0 on there always are nodes
    color = (*linear_color.tolist(), 1.0)
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    values = {
        "Base Color": color,
        "Roughness": entry.roughness,
        "Metallic": entry.metallic,
        "IOR": entry.ior,
        "Alpha": entry.opacity,
        "Emission Color": color,
        "Emission Strength": entry.emission,
    }
    for name, value in values.items():
        socket: Any = shader.inputs[name]  # which class it has depends on its type of value
        socket.default_value = value
    # What the viewport shows in Solid mode.
    shown: Any = material.diffuse_color
    shown[:] = (*color[:3], entry.opacity)
    material.roughness = entry.roughness
    material.metallic = entry.metallic
