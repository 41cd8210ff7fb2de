# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in Blender.

1 M quads with UVs, materials and a colour attribute, beside the two usual ways; and the 256³ hills from voxels to a
mesh, beside the Remesh modifier (Blocks, depth 8) over their surface.
"""

import time
from collections.abc import Callable
from typing import Any

import bpy
import numba
import numpy as np
import volumes

from voxelwright.addon.bake.geometry import fill_mesh
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.topology import IndexedMesh, weld_blocky

EDGE = 1000
"""Quads along each edge of a sheet of 1 M."""

ROUNDS = 3
SLOTS = np.zeros(256, np.int32)


def rows() -> list[dict[str, Any]]:
    numba.set_num_threads(1)
    sheet = _sheet()
    ours, lists, loops = _by_turns(
        lambda data: fill_mesh(data, sheet, SLOTS),
        lambda data: _from_lists(data, sheet),
        lambda data: _usual(data, sheet),
    )
    world = volumes.world("hills")
    surface = weld_blocky(finish(mesh_blocky(world, merge=False, coords=volumes.CHUNKS)), world.palette.transparent)
    blocks, remeshed = _by_turns(lambda data: _hills(data, world), lambda data: _remesh(data, surface))
    return [
        _row("1 M quads, beside from_pydata", ours, lists, 0.06),
        _row("1 M quads, beside foreach_set", ours, loops, 0.12),
        _row("hills, beside Remesh", blocks, remeshed, 0.05),
    ]


def _sheet() -> IndexedMesh:
    """A square of quads over 1001² vertices, not flat, of ten materials."""
    x, y = np.meshgrid(np.arange(EDGE + 1), np.arange(EDGE + 1), indexing="ij")
    positions = np.stack([x, y, (x * 7 + y * 3) % 5], axis=-1).reshape(-1, 3).astype(np.float32)
    low = (np.arange(EDGE)[:, None] * (EDGE + 1) + np.arange(EDGE)).reshape(-1).astype(np.int32)
    corners = np.stack([low, low + EDGE + 1, low + EDGE + 2, low + 1], axis=1)
    uvs = positions[corners][:, :, :2].copy()
    materials = (np.arange(len(low)) % 10).astype(np.uint8)
    return IndexedMesh(positions, corners, materials, uvs, None)


def _from_lists(data: bpy.types.Mesh, mesh: IndexedMesh) -> None:
    data.from_pydata(mesh.positions.tolist(), [], mesh.corners.tolist())
    data.polygons.foreach_set("material_index", SLOTS[mesh.materials].tolist())
    data.uv_layers.new().data.foreach_set("uv", mesh.uvs.ravel().tolist())
    colors = data.color_attributes.new("Color", "BYTE_COLOR", "CORNER")
    colors.data.foreach_set("color", [1.0] * (4 * mesh.corners.size))
    data.update()


def _usual(data: bpy.types.Mesh, mesh: IndexedMesh) -> None:
    """foreach_set on vertices, loops and polygons, and Blender's own edges."""
    n = len(mesh.corners)
    data.vertices.add(len(mesh.positions))
    data.vertices.foreach_set("co", mesh.positions.ravel())
    data.loops.add(4 * n)
    data.loops.foreach_set("vertex_index", mesh.corners.ravel())
    data.polygons.add(n)
    data.polygons.foreach_set("loop_start", np.arange(0, 4 * n, 4, dtype=np.int32))
    data.polygons.foreach_set("material_index", SLOTS[mesh.materials])
    data.uv_layers.new().data.foreach_set("uv", mesh.uvs.ravel())
    colors = data.color_attributes.new("Color", "BYTE_COLOR", "CORNER")
    colors.data.foreach_set("color", np.ones(16 * n, np.float32))
    data.update(calc_edges=True)
    data.validate()


def _hills(data: bpy.types.Mesh, world: Any) -> None:
    blocks = finish(mesh_blocky(world, merge=True, coords=volumes.CHUNKS))
    fill_mesh(data, weld_blocky(blocks, world.palette.transparent), SLOTS)


def _remesh(data: bpy.types.Mesh, surface: IndexedMesh) -> float:
    """Seconds of the modifier alone; filling its input does not count."""
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
    bpy.data.objects.remove(thing)
    return taken


def _by_turns(*works: Callable[[bpy.types.Mesh], float | None]) -> list[float]:
    """The best of some rounds of each, in seconds, after one that is not counted. A work may say how long it took."""
    best = [float("inf")] * len(works)
    for k in range(1 + ROUNDS):
        for i, work in enumerate(works):
            data = bpy.data.meshes.new("mesh")
            start = time.perf_counter()
            taken = work(data) or time.perf_counter() - start
            bpy.data.meshes.remove(data)
            if k > 0:
                best[i] = min(best[i], taken)
    return best


def _row(name: str, ours: float, peer: float, target: float) -> dict[str, Any]:
    return {"name": name, "ours": ours, "peer": peer, "ratio": ours / peer, "target": target, "unit": "s"}
