# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's meshes as Blender's objects, made once and updated from then on."""

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from ...voxel.mesh.topology import IndexedMesh, WeldedMeshes
from ...voxel.palette import Palette
from . import tags
from .geometry import fill_mesh
from .materials import assign_slots, check_palette

PARTS = {"blocks": "Blocks", "smooth": "Smooth"}
"""The parts of a bake, by their field in WeldedMeshes, and how their objects are named."""

DECALS = "decals"
"""One more part, which bake/decals.py makes."""

TOPING_PARTS = ("topings", "toping_points")
"""The parts that topings.py makes."""

TOPING_OBJECTS = "toping_objects"
"""The collection that topings.py makes where each one is an object."""


def bake_world(
    name: str,
    world_key: str,
    meshes: WeldedMeshes,
    palette: Palette,
    parent: bpy.types.Object | None,
    scene: bpy.types.Scene,
) -> list[bpy.types.Object]:
    """Make or update the objects of a world: one of its blocks and one of its smooth surfaces, where it has any.

    They lie in a collection of their own in the scene, in voxel space, as children of parent. The collection carries
    world_key and refers to the objects, so that the next bake finds them under whatever name, and takes no copy that
    the user made for one of them: it replaces the geometry and removes an object whose mesh has become empty, but
    keeps names, places, modifiers and what was done to the materials. Raises VoxelwrightError, with nothing changed,
    where that cannot be done.
    """
    collection = find_collection(scene, world_key)
    found = {part: find_object(collection, part) for part in (*PARTS, DECALS, *TOPING_PARTS)}
    for part in PARTS:
        mesh = getattr(meshes, part)
        if mesh is not None:
            check_palette(mesh.materials, palette)
    collection = _linked_collection(collection, f"{name} Baked", world_key, scene)
    baked = []
    for part, label in PARTS.items():
        mesh, obj = getattr(meshes, part), found[part]
        if mesh is None:
            if obj is not None:
                remove(obj)
            continue
        if obj is None:
            obj = new_object(f"{name} {label}", parent)
            collection[pointer(part)] = obj
        if not obj.users_collection:
            collection.objects.link(obj)
        _update(obj, mesh, palette, name, world_key)
        baked.append(obj)
    return baked


def baked_objects(scene: bpy.types.Scene, world_key: str) -> list[bpy.types.Object]:
    """What the last bake of a world made and is still in the scene."""
    collection = find_collection(scene, world_key)
    found = [find_object(collection, part) for part in (*PARTS, DECALS, *TOPING_PARTS)]
    topings = collection.get(pointer(TOPING_OBJECTS)) if collection is not None else None
    found += topings.objects if topings is not None else ()
    return [obj for obj in found if obj is not None and obj.name in scene.objects]


def find_collection(scene: bpy.types.Scene, world_key: str) -> bpy.types.Collection | None:
    """The collection of an earlier bake, rather this scene's than another's."""
    return tags.find([*scene.collection.children_recursive, *bpy.data.collections], world_key)


def pointer(part: str) -> str:
    """The custom property of the collection that refers to a part's object."""
    return f"voxelwright_{part}"


def find_object(collection: bpy.types.Collection | None, part: str) -> bpy.types.Object | None:
    """The object of an earlier bake."""
    obj = collection.get(pointer(part)) if collection is not None else None
    if obj is not None and (obj.mode != "OBJECT" or obj.data.is_editmode):
        raise VoxelwrightError(f'"{obj.name}" is being edited; go back to Object Mode before baking again.')
    return obj


def _linked_collection(
    collection: bpy.types.Collection | None, name: str, world_key: str, scene: bpy.types.Scene
) -> bpy.types.Collection:
    if collection is None:
        collection = bpy.data.collections.new(name)
        tags.tag(collection, world_key)
    if collection not in scene.collection.children_recursive:
        scene.collection.children.link(collection)
    return collection


def new_object(name: str, parent: bpy.types.Object | None) -> bpy.types.Object:
    obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    # Its place is the parent's: a new object's own transform and inverse of the parent's are the identity.
    obj.parent = parent
    return obj


def _update(obj: bpy.types.Object, mesh: IndexedMesh, palette: Palette, world: str, world_key: str) -> None:
    data = obj.data
    assert isinstance(data, bpy.types.Mesh)
    if data.shape_keys is not None:
        obj.shape_key_clear()  # they would put the old positions in place of the new
    slots = assign_slots(data, np.unique(mesh.materials), palette, world, world_key)
    fill_mesh(data, mesh, slots)


def remove(obj: bpy.types.Object) -> None:
    data = obj.data
    bpy.data.objects.remove(obj)
    if isinstance(data, bpy.types.Mesh) and data.users == 0:
        bpy.data.meshes.remove(data)
