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
from voxelwright.voxel.mesh.topology import IndexedMesh, weld_blocky

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
    surface = weld_blocky(finish(mesh_blocky(hills, merge=False, coords=volumes.CHUNKS)), OPAQUE)
    voxels, modifier = times(
        [lambda: baked(finish(mesh_blocky(hills, merge=True, coords=volumes.CHUNKS))), lambda: remeshed(surface)], 3
    )
    return [
        row("1 M quads to a mesh, beside from_pydata", ours, by_lists, 0.06),
        row("1 M quads to a mesh, beside foreach_set", ours, by_arrays, 0.12),
        row("hills 256³ to a mesh, beside Remesh Blocks, depth 8", voxels, modifier, 0.05),
    ]


def row(name: str, ours: float, peer: float, target: float) -> dict[str, Any]:
    return {"name": name, "ours": ours, "peer": peer, "ratio": ours / peer, "target": target, "unit": "s"}


def times(work: list[Callable[[], float | None]], repeats: int) -> list[float]:
    """Median seconds of each piece of work, done by turns after one turn that is not counted. A piece may say itself
    how long it took."""
    taken: list[list[float]] = [[] for _ in work]
    for turn in range(repeats + 1):
        for i, run in enumerate(work):
            start = time.perf_counter()
            seconds = run() or time.perf_counter() - start
            if turn:
                taken[i].append(seconds)
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


def remeshed(surface: IndexedMesh) -> float:
    """Seconds of the Remesh modifier over the hills' surface; filling its input does not count."""
    data = bpy.data.meshes.new("surface")
    fill_mesh(data, surface, SLOTS)
    thing = bpy.data.objects.new("surface", data)
    bpy.context.scene.collection.objects.link(thing)
    modifier = thing.modifiers.new("Remesh", "REMESH")
    modifier.mode, modifier.octree_depth, modifier.use_remove_disconnected = "BLOCKS", 8, False
    start = time.perf_counter()
    made = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    taken = time.perf_counter() - start
    if len(made.polygons) == 0:
        raise ValueError("the modifier made nothing")
    bpy.data.meshes.remove(data)
    return taken
