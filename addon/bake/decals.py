# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals of a bake: one object with the patches of all, which has a material for each kind of decal."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...voxel.mesh.decal_patches import Patches
from ...voxel.mesh.topology import IndexedMesh
from ..properties import of_object
from . import tags
from .geometry import fill_mesh
from .objects import DECALS, find_collection, find_object, new_object, pointer, remove

SLOTS = "voxelwright_decal_slots"
"""On a mesh: which kind of decal each material slot was made for, as JSON."""

_ROUGHNESS = 0.9


class Look(NamedTuple):
    """What a material shows: images by their names, a tint in linear light, and how much of each is seen."""

    image: str
    normal_map: str
    tint: tuple[float, float, float]
    color_mix: float
    normal_mix: float

    @property
    def key(self) -> str:
        return json.dumps(self)


def look_of(decal: bpy.types.Object) -> Look:
    """What a decal shows."""
    settings = of_object(decal).decal
    image, normal_map = (found.name if found is not None else "" for found in (settings.image, settings.normal_map))
    red, green, blue = (round(value, 4) for value in settings.tint)
    return Look(image, normal_map, (red, green, blue), round(settings.color_mix, 4), round(settings.normal_mix, 4))


def bake_decals(
    name: str,
    world_key: str,
    patches: Patches | None,
    looks: Sequence[Look],
    parent: bpy.types.Object | None,
    scene: bpy.types.Scene,
) -> bpy.types.Object | None:
    """Make or update the object with a world's decals, after bake_world() of the same world; looks has one for each box
    of the patches. The object goes where there are no patches. As there, what the user has changed stays. Raises
    VoxelwrightError where the object is being edited."""
    collection = find_collection(scene, world_key)
    obj = find_object(collection, DECALS)
    if patches is None or collection is None:
        if obj is not None:
            remove(obj)
        return None
    if obj is None:
        obj = new_object(f"{name} Decals", parent)
        collection[pointer(DECALS)] = obj
    if not obj.users_collection:
        collection.objects.link(obj)
    data = obj.data
    assert isinstance(data, bpy.types.Mesh)
    if data.shape_keys is not None:
        obj.shape_key_clear()
    used = {looks[box]: None for box in np.unique(patches.boxes).tolist()}
    _assign_slots(data, list(used), name, world_key)
    place = {look: slot for slot, look in enumerate(used)}
    slots = np.array([place.get(look, 0) for look in looks], np.int32)[patches.boxes]
    mesh = IndexedMesh(
        patches.positions, patches.starts, patches.corners, np.zeros(len(slots), np.uint8), patches.uvs, patches.normals
    )
    fill_mesh(data, mesh, np.zeros(256, np.int32))
    data.polygons.foreach_set("material_index", slots)
    return obj


def _assign_slots(data: bpy.types.Mesh, looks: Sequence[Look], world: str, world_key: str) -> None:
    """Give data a slot for each look, with the user's own material where one was put there."""
    before = zip(json.loads(data.get(SLOTS, "[]")), data.materials, strict=False)
    own = {key: material for key, material in before if material and material.get(tags.WORLD) != world_key}
    materials = [own.get(look.key) or _material(look, world, world_key) for look in looks]
    if list(data.materials) != materials:
        data.materials.clear()
        for material in materials:
            data.materials.append(material)
    data[SLOTS] = json.dumps([look.key for look in looks])


def _material(look: Look, world: str, world_key: str) -> bpy.types.Material:
    """The material of a look, as an earlier bake has made it or new."""
    found = tags.find(bpy.data.materials, world_key, look.key)
    if found is not None:
        return found
    material = bpy.data.materials.new(f"{look.image or look.normal_map} ({world})")
    tags.tag(material, world_key, look.key)
    if material.node_tree is None:
        material.use_nodes = True  # Blender 4.5; from 5.0 on there always are nodes
    _set_up(material.node_tree, look)
    return material


def _set_up(tree: Any, look: Look) -> None:
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = _ROUGHNESS
    if look.image:
        image = _image_node(tree, look.image, (-700, 300))
        color, alpha = image.outputs["Color"], image.outputs["Alpha"]
        if look.tint != (1.0, 1.0, 1.0):
            color = _tinted(tree, color, look.tint)
        if look.color_mix != 1.0:
            alpha = _multiplied(tree, alpha, look.color_mix)
        tree.links.new(color, shader.inputs["Base Color"])
        tree.links.new(alpha, shader.inputs["Alpha"])
    else:
        shader.inputs["Alpha"].default_value = look.color_mix
    if look.normal_map:
        image = _image_node(tree, look.normal_map, (-700, -200))
        bumps = tree.nodes.new("ShaderNodeNormalMap")
        bumps.location = -350, -200
        bumps.inputs["Strength"].default_value = look.normal_mix
        tree.links.new(image.outputs["Color"], bumps.inputs["Color"])
        tree.links.new(bumps.outputs["Normal"], shader.inputs["Normal"])


def _image_node(tree: Any, name: str, location: tuple[float, float]) -> Any:
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image, node.location, node.extension = bpy.data.images[name], location, "EXTEND"
    return node


def _tinted(tree: Any, color: Any, tint: tuple[float, float, float]) -> Any:
    """The color times the tint, by the nodes that exporters understand."""
    node = tree.nodes.new("ShaderNodeMix")
    node.location, node.data_type, node.blend_type = (-350, 300), "RGBA", "MULTIPLY"
    factor, first, second = (next(s for s in node.inputs if s.identifier == i) for i in _MIX_INPUTS)
    factor.default_value, second.default_value = 1.0, (*tint, 1.0)
    tree.links.new(color, first)
    return next(socket for socket in node.outputs if socket.identifier == "Result_Color")


_MIX_INPUTS = ("Factor_Float", "A_Color", "B_Color")


def _multiplied(tree: Any, alpha: Any, by: float) -> Any:
    node = tree.nodes.new("ShaderNodeMath")
    node.location, node.operation = (-350, 100), "MULTIPLY"
    node.inputs[1].default_value = by
    tree.links.new(alpha, node.inputs[0])
    return node.outputs[0]
