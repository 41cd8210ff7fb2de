# SPDX-License-Identifier: GPL-3.0-or-later
"""What a session holds in memory for a generated world of 512×512×256 (Linux): the growth of the process at rest,
beside the bytes of the world's chunks of mixed voxels.

The picture in viewports is not part of it, nor what undo holds of edits beyond those that are made here.
"""

import ctypes
import gc
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from voxelwright.addon import files, registration, session
from voxelwright.voxel.world import World, as_chunk, edit_of_chunks

SIZE = (512, 512, 256)
N_EDITS = 30
TARGET = 1.3
NOTE = "The peer is the bytes of the chunks of mixed voxels, 64 KiB each: no world in memory could take fewer."


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="voxelwright-bench-") as name:
        return _rows(Path(name))


def _rows(folder: Path) -> list[dict[str, Any]]:
    files.user_folder = lambda part: folder / part
    registration.register()
    session.recorder.is_on = True
    _generate((64, 64, 64))  # what is loaded once counts as before
    _save_and_open(folder)
    bpy.ops.wm.read_homefile(use_empty=True)
    before = _resident_bytes()
    found = []
    for name, act in (
        ("generated", lambda: _generate(SIZE)),
        ("saved and opened", lambda: _save_and_open(folder)),
        (f"{N_EDITS} chunks edited", _edit),
    ):
        act()
        ours, mixed = _resident_bytes() - before, _mixed_bytes(session.world_of(bpy.data.objects["World"]))
        row = {"name": f"session: {name}", "ours": ours / 1e6, "peer": mixed / 1e6, "ratio": ours / mixed}
        found.append({**row, "target": TARGET, "unit": "MB", "note": NOTE})
    return found


def _generate(size: tuple[int, int, int]) -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.voxelwright.new_world("EXEC_DEFAULT", True, preset="caverns", size=size, seed=1)
    bpy.context.active_object.name = "World"


def _save_and_open(folder: Path) -> None:
    path = str(folder / "world.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.ops.ed.undo_push(message="start")
    session.world_of(bpy.data.objects["World"])


def _edit() -> None:
    rng = np.random.default_rng(1)
    world = session.own_world_of(bpy.data.objects["World"])
    mixed = [coord for coord in world.coords() if not isinstance(world.chunk(coord), int)]
    for place in rng.choice(len(mixed), N_EDITS, replace=False):
        voxels = np.array(world.chunk(mixed[place]))
        voxels[::2] = voxels[1::2]
        session.commit(bpy.data.objects["World"], edit_of_chunks(world, {mixed[place]: as_chunk(voxels)}))
        bpy.ops.ed.undo_push(message="edit")


def _mixed_bytes(world: World) -> int:
    chunks = (world.chunk(coord) for coord in world.coords())
    return sum(chunk.nbytes for chunk in chunks if not isinstance(chunk, int))


def _resident_bytes() -> int:
    """What the process holds, without what the C library keeps free for later."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) << 10
