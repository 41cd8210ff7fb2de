# SPDX-License-Identifier: GPL-3.0-or-later
"""A .vox file of a 64³ crop of hills to a Blender mesh, beside AstrorEnales/blender_magicavoxel, greedy.

That is an add-on: VOXELWRIGHT_VOX_PEER names a program that imports a .vox file with it, and prints seconds. Without
it, vtk's time in this run stands for the peer's.
"""

import struct
import time
from typing import Any

import bpy
import numba
import numpy as np
import peers
import volumes

from voxelwright.addon.bake.geometry import fill_mesh
from voxelwright.voxel.formats.vox import read_vox
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.topology import weld_blocky

PEER_SECONDS = 6.2
"""What the peer took where vtk took peers.VTK_MS."""

ROUNDS = 5


def rows() -> list[dict[str, Any]]:
    numba.set_num_threads(1)
    data = vox_file()
    file = volumes.path("hills").with_name("hills_64.vox")
    file.write_bytes(data)
    to_blender(data)  # compiles
    ours = min(_seconds(data) for _ in range(ROUNDS))
    made = peers.program("VOXELWRIGHT_VOX_PEER", file)
    note, peer = "", made[0] if made else None
    if peer is None and (vtk := peers.vtk_surface_nets_ms("hills")) is not None:
        peer = PEER_SECONDS * vtk / peers.VTK_MS["hills"]
        note = "The peer's time is vtk's in this run by the ratio of targets.md."
    return [
        {
            "name": ".vox, 64³ of hills",
            "ours": ours,
            "peer": peer,
            "ratio": ours / peer if peer else None,
            "target": 0.005,
            "unit": "s",
            "note": note,
        }
    ]


def to_blender(data: bytes) -> bpy.types.Mesh:
    world = read_vox(data)
    mesh = bpy.data.meshes.new("world")
    fill_mesh(
        mesh, weld_blocky(finish(mesh_blocky(world, merge=True)), world.palette.transparent), np.zeros(256, np.int32)
    )
    return mesh


def vox_file() -> bytes:
    """The crop as the simplest .vox file: one model and a palette."""
    crop = volumes.materials("hills")[1:65, 1:65, 97:161]
    at = np.argwhere(crop > 0)
    voxels = np.column_stack([at, crop[tuple(at.T)]]).astype(np.uint8)
    palette = np.arange(1024, dtype=np.uint32).astype(np.uint8)
    palette[3::4] = 255
    chunks = _chunk(b"SIZE", struct.pack("<3i", 64, 64, 64))
    chunks += _chunk(b"XYZI", struct.pack("<i", len(voxels)) + voxels.tobytes())
    chunks += _chunk(b"RGBA", palette.tobytes())
    return b"VOX " + struct.pack("<i", 150) + b"MAIN" + struct.pack("<2i", 0, len(chunks)) + chunks


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<2i", len(content), 0) + content


def _seconds(data: bytes) -> float:
    start = time.perf_counter()
    mesh = to_blender(data)
    taken = time.perf_counter() - start
    bpy.data.meshes.remove(mesh)
    return taken
