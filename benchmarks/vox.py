# SPDX-License-Identifier: GPL-3.0-or-later
"""A .vox file to a Blender mesh: a 64³ crop of hills, beside the add-on AstrorEnales/blender_magicavoxel, greedy.

The environment variable VOXELWRIGHT_VOX_PEER names the add-on's blender_magicavoxel.py. Without it the row takes what
the add-on took on an EPYC at 2.45 GHz.
"""

import importlib.util
import os
import struct
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import bpy
import numpy as np
import volumes

from voxelwright.addon.bake.geometry import fill_mesh
from voxelwright.voxel.formats.vox import read_vox
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.mesh.blocky import mesh_blocky
from voxelwright.voxel.mesh.topology import weld_blocky

PEER_SECONDS = 6.2
SIZE = 64
SLOTS = np.arange(256, dtype=np.int32)


def rows() -> list[dict[str, Any]]:
    """The table's rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hills.vox"
        path.write_bytes(vox_file(volumes.materials("hills")[1 : SIZE + 1, 1 : SIZE + 1, 97 : 97 + SIZE]))
        ours(path)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            ours(path)
            times.append(time.perf_counter() - start)
        peer, note = peer_seconds(path)
    seconds = median(times)
    name = f".vox file, {SIZE}³ of hills, to a mesh"
    values = {"ours": seconds, "peer": peer, "ratio": seconds / peer, "target": 0.005, "unit": "s", "note": note}
    return [{"name": name, **values}]


def ours(path: Path) -> None:
    world = read_vox(path.read_bytes())
    mesh = weld_blocky(finish(mesh_blocky(world, merge=True)), world.palette.transparent)
    data = bpy.data.meshes.new("ours")
    fill_mesh(data, mesh, SLOTS)
    bpy.data.meshes.remove(data)


def peer_seconds(path: Path) -> tuple[float, str]:
    """The add-on's time on the same file, and what is to be said of it."""
    source = os.environ.get("VOXELWRIGHT_VOX_PEER")
    if not source:
        return PEER_SECONDS, "blender_magicavoxel: what it took on an EPYC at 2.45 GHz, not in this run."
    spec = importlib.util.spec_from_file_location("blender_magicavoxel", source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    bpy.utils.register_class(module.ImportVOX)
    start = time.perf_counter()
    bpy.ops.import_scene.vox(filepath=str(path), meshing_type="GREEDY")
    return time.perf_counter() - start, ""


def vox_file(materials: np.ndarray) -> bytes:
    """A .vox file of one model with these palette indices, uint8 [x, y, z]."""
    cells = np.argwhere(materials)
    voxels = np.column_stack([cells, materials[tuple(cells.T)]]).astype(np.uint8)
    size = _chunk(b"SIZE", struct.pack("<3i", *materials.shape))
    xyzi = _chunk(b"XYZI", struct.pack("<i", len(voxels)) + voxels.tobytes())
    return b"VOX " + struct.pack("<i", 150) + _chunk(b"MAIN", b"", size + xyzi)


def _chunk(name: bytes, content: bytes, children: bytes = b"") -> bytes:
    return name + struct.pack("<2i", len(content), len(children)) + content + children
