# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's topings as Blender's objects: one mesh, an object each, or points with instances.

What one mode has made goes when another one is chosen. The objects of the mesh and of the points are found again by
pointers of the bake's collection, as in objects.py; shapes, which instances share, by marks on their meshes.
"""

from collections.abc import Mapping

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...voxel.mesh.topology import IndexedMesh
from ...voxel.palette import Palette
from ...voxel.topings.placed import groups, matrices, petals_of
from ...voxel.topings.records import N_ALTERNATES, N_VARIANTS, UNORM
from ..topings import GrownTopings
from . import tags
from .geometry import fill_mesh
from .materials import fill_slots
from .objects import TOPING_OBJECTS, find_collection, find_object, new_object, pointer, remove
from .toping_materials import material_of, slot_keys
from .toping_points import fill_points, points_modifier

_ROOT_LIGHT = 0.5
"""The colour attribute's light at roots, where little reaches; it is 1 at tips."""


def bake_topings(
    name: str,
    world_key: str,
    grown: GrownTopings | None,
    mode: str,
    own_materials: Mapping[int, bpy.types.Material],
    palette: Palette,
    parent: bpy.types.Object | None,
    scene: bpy.types.Scene,
) -> list[bpy.types.Object]:
    """Make or update the objects of a world's topings, beside what bake_world() made just before. mode is one of
    topings.MODES, own_materials are those of the user's objects by their palette index."""
    collection = find_collection(scene, world_key)
    assert collection is not None  # bake_world() has made it
    maker = _Maker(name, world_key, own_materials, palette, parent, collection)
    if grown is None or not len(grown.topings.instances):
        mode = "none"
    maker.remove_other_modes(mode)
    if grown is None or mode == "none":
        return []
    return {"mesh": maker.mesh, "objects": maker.objects, "points": maker.points}[mode](grown)


class _Maker:
    """The objects of one world's topings."""

    def __init__(
        self,
        name: str,
        world_key: str,
        own_materials: Mapping[int, bpy.types.Material],
        palette: Palette,
        parent: bpy.types.Object | None,
        collection: bpy.types.Collection,
    ) -> None:
        self._name, self._world_key, self._own_materials = name, world_key, own_materials
        self._palette, self._parent, self._collection = palette, parent, collection

    def remove_other_modes(self, mode: str) -> None:
        for part, mode_of_part in (("topings", "mesh"), ("toping_points", "points")):
            obj = find_object(self._collection, part)
            if obj is not None and mode != mode_of_part:
                remove(obj)
        for part, mode_of_part in ((TOPING_OBJECTS, "objects"), ("toping_shapes", "points")):
            child = self._collection.get(pointer(part))
            if child is not None:
                bpy.data.batch_remove(list(child.objects))
                if mode != mode_of_part:
                    bpy.data.collections.remove(child)
        if mode not in ("objects", "points"):
            self._remove_shapes(set())

    def mesh(self, grown: GrownTopings) -> list[bpy.types.Object]:
        placed = grown.placed
        assert placed is not None  # it is of this mode
        obj = self._object("topings", "Topings")
        keys = slot_keys(placed.materials, placed.petals)
        self._fill(obj.data, placed.positions, placed.normals, placed.uvs, placed.triangles, keys)
        return [obj]

    def objects(self, grown: GrownTopings) -> list[bpy.types.Object]:
        child = self._child(TOPING_OBJECTS, "Topings")
        shapes, every = self._shapes(grown), matrices(grown.topings, self._palette)
        made = []
        for data, instances in shapes:
            label = data.name.partition(" (")[0]
            for instance in instances.tolist():
                obj = bpy.data.objects.new(label, data)
                _place(obj, every[instance], self._parent)
                child.objects.link(obj)
                made.append(obj)
        return made

    def points(self, grown: GrownTopings) -> list[bpy.types.Object]:
        child = self._child("toping_shapes", "Toping Shapes")
        every = matrices(grown.topings, self._palette)
        chosen = np.full(len(every), -1, np.int32)
        for number, (data, instances) in enumerate(self._shapes(grown)):
            # Instances are chosen by the order of the names.
            obj = bpy.data.objects.new(f"{number:04} {data.name}", data)
            obj.parent = self._parent
            child.objects.link(obj)
            chosen[instances] = number
        _exclude(child)
        obj = self._object("toping_points", "Topings")
        fill_points(obj.data, every[chosen >= 0], chosen[chosen >= 0])
        points_modifier(obj, child, self._name, self._world_key)
        return [obj]

    def _shapes(self, grown: GrownTopings) -> list[tuple[bpy.types.Mesh, NDArray[np.int64]]]:
        """The shared meshes and the instances of each, found again or new."""
        # The objects of the last bake are gone: what still has users is a copy of the user's, or linked.
        tagged = {data.get(tags.INDEX): data for data in self._unused_shapes()}
        shapes, kept = [], set()
        for index, variant, alternate, instances in groups(grown.topings):
            if index not in grown.meshes or not len(grown.meshes[index][variant][alternate].triangles):
                continue
            mesh = grown.meshes[index][variant][alternate]
            entry = self._palette.materials[index]
            assert entry is not None
            key = (index * N_VARIANTS + variant) * N_ALTERNATES + alternate
            data = tagged.get(key)
            if data is None:
                data = bpy.data.meshes.new(f"{entry.name} toping {variant}.{alternate} ({self._name})")
                tags.tag(data, self._world_key, key)
            keys = slot_keys(np.full(len(mesh.triangles), index, np.uint8), petals_of(mesh))
            v = mesh.vertices
            self._fill(data, v["position"], v["normal"], (v["uv"] / UNORM).astype(np.float32), mesh.triangles, keys)
            shapes.append((data, instances))
            kept.add(key)
        self._remove_shapes(kept)
        return shapes

    def _remove_shapes(self, kept: set[int]) -> None:
        bpy.data.batch_remove([data for data in self._unused_shapes() if data.get(tags.INDEX) not in kept])

    def _unused_shapes(self) -> list[bpy.types.Mesh]:
        return [
            data
            for data in bpy.data.meshes
            if data.get(tags.WORLD) == self._world_key and data.users == 0 and data.library is None
        ]

    def _fill(
        self,
        data: bpy.types.ID | None,
        positions: NDArray[np.float32],
        normals: NDArray[np.float32],
        uvs: NDArray[np.float32],
        triangles: NDArray[np.integer],
        keys: NDArray[np.int64],
    ) -> None:
        """Replace a mesh's geometry and slots; keys (t,) say which material each triangle has."""
        assert isinstance(data, bpy.types.Mesh)
        used, slots = np.unique(keys, return_inverse=True)
        how = self._own_materials, self._palette, self._name, self._world_key
        fill_slots(data, used.tolist(), lambda key: material_of(key, *how), self._world_key)
        corners = triangles.reshape(-1).astype(np.int32)
        mesh = IndexedMesh(
            np.ascontiguousarray(positions, np.float32),
            np.arange(0, corners.size, 3, dtype=np.int32),
            corners,
            slots.reshape(-1).astype(np.uint8),
            uvs[corners],
            np.ascontiguousarray(normals, np.float32),
            _ROOT_LIGHT + (1 - _ROOT_LIGHT) * uvs[corners, 1],
        )
        fill_mesh(data, mesh, np.arange(256, dtype=np.int32))

    def _object(self, part: str, label: str) -> bpy.types.Object:
        obj = find_object(self._collection, part)
        if obj is None:
            obj = new_object(f"{self._name} {label}", self._parent)
            self._collection[pointer(part)] = obj
        if not obj.users_collection:
            self._collection.objects.link(obj)
        return obj

    def _child(self, part: str, label: str) -> bpy.types.Collection:
        """The collection of an earlier bake, emptied, or a new one."""
        child = self._collection.get(pointer(part))
        if child is None:
            child = bpy.data.collections.new(f"{self._name} {label}")
            self._collection[pointer(part)] = child
        if child not in self._collection.children_recursive:
            self._collection.children.link(child)
        return child


def _place(obj: bpy.types.Object, matrix: NDArray[np.float32], parent: bpy.types.Object | None) -> None:
    """Give an object its place by location and scale; a slope, for which an object has no property, lies in the inverse
    of its parent's matrix."""
    x, y, z = matrix[:3, 3].tolist()
    obj.parent = parent
    obj.location = (x, y, z)
    obj.scale = (1.0, 1.0, float(matrix[2, 2]))
    along_x, along_y = matrix[2, :2].tolist()
    if along_x or along_y:
        shear = Matrix(((1, 0, 0, 0), (0, 1, 0, 0), (along_x, along_y, 1, 0), (0, 0, 0, 1)))
        obj.matrix_parent_inverse = Matrix.Translation((x, y, z)) @ shear @ Matrix.Translation((-x, -y, -z))


def _exclude(collection: bpy.types.Collection) -> None:
    """Take a collection out of all view layers: what is in it is only to be instanced."""
    for scene in bpy.data.scenes:
        for layer in scene.view_layers:
            found = _layer_collection(layer.layer_collection, collection)
            if found is not None:
                found.exclude = True


def _layer_collection(
    root: bpy.types.LayerCollection, collection: bpy.types.Collection
) -> bpy.types.LayerCollection | None:
    if root.collection == collection:
        return root
    found = (_layer_collection(child, collection) for child in root.children)
    return next((child for child in found if child is not None), None)
