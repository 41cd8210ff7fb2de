# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the user's as topings: which material has which, and their meshes."""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..voxel.palette import Palette
from .properties import VOXELWRIGHT_PG_toping, of_object

if TYPE_CHECKING:
    from ..voxel.topings.records import Meshes, TopingMesh

_VARIANT = re.compile(r"[ _](\d{1,2})(?:\.\d{3})?$")
"""How an object's name says for which variant it is, as in "Hedge 12" and in "Hedge_12.001"."""


class OwnTopings(NamedTuple):
    """By the index of their material: the meshes, and the materials of the objects that have some. problems are
    sentences about objects that cannot be used."""

    meshes: "dict[int, Meshes]"
    materials: dict[int, bpy.types.Material]
    problems: list[str]


def item_of(owner: bpy.types.Object, name: str) -> VOXELWRIGHT_PG_toping | None:
    """The object's choice for the material of that name."""
    return of_object(owner).topings.get(name)


def choose(owner: bpy.types.Object, name: str) -> VOXELWRIGHT_PG_toping:
    """The same, made where there is none."""
    item = item_of(owner, name)
    if item is None:
        item = of_object(owner).topings.add()
        item.name = name
    return item


def own_topings(owner: bpy.types.Object, palette: Palette, depsgraph: bpy.types.Depsgraph) -> OwnTopings:
    """The meshes of the objects that are chosen for owner's materials, as their modifiers leave them and as large as
    they are beside the world."""
    found = OwnTopings({}, {}, [])
    for index, material in palette.items():
        if material.toping != "object":
            continue
        item = item_of(owner, material.name)
        if item is None or item.object is None:
            found.problems.append(f'Choose an object as the toping of "{material.name}", in the palette.')
            continue
        from ..voxel.topings.placed import own_meshes

        objects = list(item.collection.objects) if item.collection is not None else []
        numbered = {int(m[1]): obj for obj in objects if (m := _VARIANT.search(obj.name)) and int(m[1]) < 16}
        read = {key: _mesh_of(obj, owner, depsgraph) for key, obj in {-1: item.object, **numbered}.items()}
        for key, mesh in read.items():
            if mesh is None:
                name = (numbered[key] if key >= 0 else item.object).name
                found.problems.append(f'"{name}" has no faces and cannot be a toping; choose a mesh with faces.')
        other = read.pop(-1)
        if other is not None:
            found.meshes[index] = own_meshes({v: mesh for v, mesh in read.items() if mesh is not None}, other)
            slots = [slot.material for slot in item.object.material_slots if slot.material is not None]
            if slots:
                found.materials[index] = slots[0]
    return found


def _mesh_of(obj: bpy.types.Object, owner: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> "TopingMesh | None":
    """The evaluated mesh in voxels from the object's origin; None where it has no faces."""
    from ..voxel.topings.records import TOPING_VERTEX, UNORM, TopingMesh

    evaluated = obj.evaluated_get(depsgraph)
    data: Any = evaluated.to_mesh() if obj.type in {"MESH", "CURVE", "SURFACE", "FONT", "META"} else None
    try:
        if data is None or not len(data.polygons):
            return None
        data.calc_loop_triangles()
        n, n_loops = len(data.loop_triangles), len(data.loops)
        loops = _got(data.loop_triangles, "loops", (n, 3), np.int32)
        places = _got(data.vertices, "co", (len(data.vertices), 3), np.float32)
        vertices = np.zeros(n_loops, TOPING_VERTEX)
        linear = np.array((owner.matrix_world.inverted_safe() @ evaluated.matrix_world).to_3x3(), np.float32)
        vertices["position"] = places[_got(data.loops, "vertex_index", (n_loops,), np.int32)] @ linear.T
        # Cofactors turn normals right under any scale, mirrored ones too.
        cofactors = np.stack([np.cross(linear[k - 2], linear[k - 1]) for k in range(3)])
        normals = _got(data.corner_normals, "vector", (n_loops, 3), np.float32) @ cofactors.T
        normals *= 1 if np.linalg.det(linear) >= 0 else -1
        vertices["normal"] = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        height = max(float(vertices["position"][:, 2].max()), 1e-6)
        # Petals are those of built-in flowers, so u stays below a half.
        vertices["uv"][:, 1] = np.clip(vertices["position"][:, 2] / height, 0, 1) * UNORM
    finally:
        if data is not None:
            evaluated.to_mesh_clear()
    if np.linalg.det(linear) < 0:
        loops = loops[:, ::-1]
    used, first, corners = np.unique(vertices.view("V32"), return_index=True, return_inverse=True)
    del used
    return TopingMesh(vertices[first], corners.reshape(-1)[loops].astype(np.uint32))


def _got(collection: Any, name: str, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    values = np.empty(int(np.prod(shape)), dtype)
    collection.foreach_get(name, values)
    return values.reshape(shape)
