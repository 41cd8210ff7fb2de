# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh arrays to Blender's mesh data, and voxels to a Blender mesh, beside what people use today.

The quads are those of a checkered plane of 1000 × 1000 blocks' tops, four vertices each for the peers, as scripts make
them; ours are welded, with edges. All get UVs, materials and a colour attribute.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import bpy
import numpy as np
import volumes

from voxelwright.addon.bake.geometry import fill_mesh
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE, POS_Z, pack_quads
from voxelwright.voxel.mesh.arrays import BlockyMesh
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.topology import weld_blocky

EDGE = 1000
OPAQUE = np.zeros(256, np.bool_)
SLOTS = np.arange(256, dtype=np.int32)


def rows() -> list[dict[str, Any]]:
    """The table's rows."""
    quads = plane_of_quads()
    corners = quads.corners().reshape(-1, 3).astype(np.float32)
    ours, by_lists, by_arrays = times(
        [lambda: baked(quads), lambda: from_pydata(corners), lambda: foreach_set(corners)], 3
    )
    hills = volumes.world("hills")
    remesh = remesh_scene()
    voxels, modifier = times([lambda: baked(finish(mesh_blocky(hills, merge=True))), lambda: remeshed(remesh)], 3)
    return [
        row("1 M quads to a mesh, beside from_pydata", ours, by_lists, 0.06),
        row("1 M quads to a mesh, beside foreach_set", ours, by_arrays, 0.12),
        row("hills 256³ to a mesh, beside Remesh Blocks, depth 8", voxels, modifier, 0.05),
    ]


def row(name: str, ours: float, peer: float, target: float) -> dict[str, Any]:
    return {"name": name, "ours": ours, "peer": peer, "ratio": ours / peer, "target": target, "unit": "s"}


def times(work: list[Callable[[], object]], repeats: int) -> list[float]:
    """Median seconds of each piece of work, done by turns after one turn that is not counted."""
    taken: list[list[float]] = [[] for _ in work]
    for turn in range(repeats + 1):
        for i, run in enumerate(work):
            start = time.perf_counter()
            run()
            if turn:
                taken[i].append(time.perf_counter() - start)
    return [median(t) for t in taken]


def plane_of_quads() -> BlockyMesh:
    """EDGE² tops of blocks, each a quad, in two materials, chunk after chunk."""
    x, y = (n.ravel() for n in np.indices((EDGE, EDGE)))
    chunk = (x // CHUNK_SIZE) * -(-EDGE // CHUNK_SIZE) + y // CHUNK_SIZE
    order = np.argsort(chunk, kind="stable")
    x, y, chunk = x[order], y[order], chunk[order]
    ones, zeros = np.ones_like(x), np.zeros_like(x)
    fields = {
        "x": x % CHUNK_SIZE,
        "y": y % CHUNK_SIZE,
        "z": zeros,
        "width": ones,
        "height": ones,
        "face": zeros + POS_Z,
        "material": 1 + (x + y) % 2,
        "slot": zeros,
    }
    numbers, first = np.unique(chunk, return_index=True)
    coords = np.stack([x[first] // CHUNK_SIZE, y[first] // CHUNK_SIZE, 0 * first], axis=1).astype(np.int32)
    counts = np.zeros((len(numbers), 6), np.uint32)
    counts[:, POS_Z] = np.bincount(chunk)[numbers]
    return BlockyMesh(coords, counts, pack_quads(fields))


def baked(mesh: BlockyMesh) -> None:
    data = bpy.data.meshes.new("ours")
    fill_mesh(data, weld_blocky(mesh, OPAQUE), SLOTS)
    bpy.data.meshes.remove(data)


def from_pydata(corners: np.ndarray) -> None:
    """As most import scripts do it: lists of tuples."""
    n = len(corners) // 4
    data = bpy.data.meshes.new("lists")
    data.from_pydata(corners.tolist(), [], np.arange(4 * n).reshape(n, 4).tolist())
    data.polygons.foreach_set("material_index", [i % 2 for i in range(n)])
    data.uv_layers.new().data.foreach_set("uv", corners[:, :2].ravel().tolist())
    data.color_attributes.new("Color", "BYTE_COLOR", "CORNER").data.foreach_set("color", [1.0] * (16 * n))
    data.validate()
    bpy.data.meshes.remove(data)


def foreach_set(corners: np.ndarray) -> None:
    """As careful scripts do it: numpy arrays, Blender finds the edges and checks the mesh."""
    n = len(corners) // 4
    data = bpy.data.meshes.new("arrays")
    data.vertices.add(4 * n)
    data.vertices.foreach_set("co", corners.ravel())
    data.loops.add(4 * n)
    data.loops.foreach_set("vertex_index", np.arange(4 * n, dtype=np.int32))
    data.polygons.add(n)
    data.polygons.foreach_set("loop_start", np.arange(0, 4 * n, 4, dtype=np.int32))
    data.polygons.foreach_set("material_index", (np.arange(n) % 2).astype(np.int32))
    data.uv_layers.new().data.foreach_set("uv", corners[:, :2].ravel())
    data.color_attributes.new("Color", "BYTE_COLOR", "CORNER").data.foreach_set("color", np.ones(16 * n, np.float32))
    data.update(calc_edges=True)
    data.validate()
    bpy.data.meshes.remove(data)


def remesh_scene() -> Any:
    """The hills' surface as a closed mesh, with the Remesh modifier that makes blocks of it."""
    heights = (volumes.materials("hills")[1:-1, 1:-1, 1:-1] > 0).sum(axis=2)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=255, y_subdivisions=255, size=256)
    surface = bpy.context.object
    points = np.empty(3 * len(surface.data.vertices), np.float32)
    surface.data.vertices.foreach_get("co", points)
    points[2::3] = heights.T.ravel()[: len(points) // 3]
    surface.data.vertices.foreach_set("co", points)
    thick = surface.modifiers.new("solid", "SOLIDIFY")
    thick.thickness = 40
    remesh = surface.modifiers.new("blocks", "REMESH")
    remesh.mode, remesh.octree_depth, remesh.scale, remesh.use_remove_disconnected = "BLOCKS", 8, 0.99, False
    return surface


def remeshed(surface: Any) -> None:
    surface.data.update_tag()
    surface.update_tag()
    bpy.context.view_layer.update()
    surface.evaluated_get(bpy.context.evaluated_depsgraph_get()).data  # noqa: B018 (evaluates it)
