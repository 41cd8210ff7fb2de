# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's materials of topings: one of a palette entry's topings, and one of its flowers' petals."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...voxel.layout import N_MATERIALS
from ...voxel.palette import Material, Palette
from . import tags
from .geometry import COLOR_ATTRIBUTE
from .materials import set_up


def slot_keys(materials: NDArray[np.uint8], petals: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(t,) int64: the keys of triangles' materials, as fill_slots() and tags know them; other than palette indices."""
    return materials.astype(np.int64) + N_MATERIALS * (1 + petals.astype(np.int64))


def material_of(
    key: int, own: Mapping[int, bpy.types.Material], palette: Palette, world: str, world_key: str
) -> bpy.types.Material:
    """The material of a key: the user's object's, as an earlier bake has made it, or new."""
    part, index = divmod(key, N_MATERIALS)
    if index in own:
        return own[index]
    found = tags.find(bpy.data.materials, world_key, key)
    if found is not None:
        return found
    entry = palette.materials[index]
    assert entry is not None  # something grows on it
    has_petals = part == 2
    material = bpy.data.materials.new(f"{entry.name} {'petals' if has_petals else 'toping'} ({world})")
    tags.tag(material, world_key, key)
    color = palette.linear_toping_colors[index, int(has_petals)]
    is_ground = entry.toping_tinted and not has_petals
    set_up(material, replace(entry, opacity=1.0) if is_ground else Material(entry.name, entry.toping_color), color)
    _darken_by_attribute(material)
    return material


def _darken_by_attribute(material: bpy.types.Material) -> None:
    """Multiply the colour attribute into the base colour: roots are darker than tips."""
    tree: Any = material.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    attribute, mix = tree.nodes.new("ShaderNodeVertexColor"), tree.nodes.new("ShaderNodeMix")
    attribute.layer_name = COLOR_ATTRIBUTE
    mix.data_type, mix.blend_type = "RGBA", "MULTIPLY"
    mix.inputs["Factor"].default_value = 1.0
    # A mix has sockets of every type; those of colours come third.
    first, second = (socket for socket in mix.inputs if socket.type == "RGBA")
    result = next(socket for socket in mix.outputs if socket.type == "RGBA")
    first.default_value = shader.inputs["Base Color"].default_value
    tree.links.new(attribute.outputs["Color"], second)
    tree.links.new(result, shader.inputs["Base Color"])
    x, y = shader.location
    mix.location, attribute.location = (x - 200, y), (x - 400, y - 150)
