# SPDX-License-Identifier: GPL-3.0-or-later
"""Greedy meshing of the 256³ volumes, microseconds a non-empty chunk, beside cgerikj/binary-greedy-meshing.

That is C++ and is built elsewhere: VOXELWRIGHT_GREEDY_PEER names a program that takes a volume's file and a number of
repeats, meshes the non-empty chunks at 32³ on one thread, and prints the best nanoseconds a chunk with the masks of
solid voxels given, the same with the masks built, quads, chunks. Without it, vtk's time in this run stands for the
peer's.

Within a process the best round counts, of both: other processes only ever take time. Masks given: from packed bits to
quads, visibility included. Masks built: all of mesh_blocky(), from the world.
"""

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import peers
import volumes
from numpy.typing import NDArray

from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import unpack_quads
from voxelwright.voxel.mesh.arrays import BlockyMesh
from voxelwright.voxel.mesh.blocky import buffers, mesh_blocky, mesh_packed, pack
from voxelwright.voxel.mesh.crackfree import crack_free
from voxelwright.voxel.mesh.greedy import gather_quads
from voxelwright.voxel.mesh.packing import chunk_batches
from voxelwright.voxel.world import Coord, World

PEER = {"hills": (22.0, 47.0, 91_228), "caves": (29.0, 53.0, 273_702)}
"""What the peer took where vtk took peers.VTK_MS."""

ROUNDS = 7
REPEATS = 3


def rows() -> list[dict[str, Any]]:
    numba.set_num_threads(1)
    return [row for name in ("hills", "caves") for row in _volume(name)]


def _volume(name: str) -> list[dict[str, Any]]:
    world = volumes.world(name)
    mesh = finish(mesh_blocky(world, merge=True, coords=volumes.CHUNKS))
    fields = unpack_quads(mesh.quads)
    if (fields["width"] * fields["height"]).sum() != volumes.FACES[name]:
        raise ValueError(f"the quads of {name} do not cover its faces")
    coords: list[Coord] = [(x, y, z) for x, y, z in mesh.coords.tolist()]
    jobs: dict[str, Callable[[], BlockyMesh]] = {
        "masks built": lambda: finish(mesh_blocky(world, merge=True, coords=coords)),
        "not merged": lambda: finish(mesh_blocky(world, merge=False, coords=coords)),
        "with ambient occlusion": lambda: finish(mesh_blocky(world, merge=True, ambient_occlusion=True, coords=coords)),
    }
    # The first turn compiles.
    ours: dict[str, list[float]] = {"masks given": [], **{job: [] for job in jobs}, "crack-free": []}
    peer: list[list[float]] = []
    given_us(world, coords)
    crack_free(jobs["with ambient occlusion"]())
    for _ in range(ROUNDS):
        # Three in a row, as in the peer's program: the first finds the caches full of something else.
        for _ in range(REPEATS):
            ours["masks given"].append(given_us(world, coords))
        for job, work in jobs.items():
            ours[job].extend(_us(work) / len(coords) for _ in range(REPEATS))
        ours["crack-free"].append(_us(lambda: crack_free(mesh)) / len(coords))
        made = peers.program("VOXELWRIGHT_GREEDY_PEER", volumes.path(name), str(REPEATS))
        if made is not None:
            peer.append(made)
    figures, note = _peer(name, peer)
    us = {what: min(times) for what, times in ours.items()}
    unit = "µs a chunk"
    return [
        _row(f"{name}, masks given", us["masks given"], figures[0], 0.8, unit, note),
        _row(f"{name}, masks built", us["masks built"], figures[1], 0.5, unit, note),
        _row(f"{name}, quads", len(mesh.quads), figures[2], 1.0, "quads", ""),
        *(_row(f"{name}, {job}", us[job], None, None, unit, "") for job in list(ours)[2:]),
    ]


def given_us(world: World, coords: list[Coord]) -> float:
    """Microseconds a chunk from bits to quads."""
    transparent = world.palette.transparent
    none = np.empty((0, 36, 36, 36), np.uint16)
    total = 0.0
    for batch in chunk_batches(world, coords):
        pack(batch, transparent, buffers())
        n = len(batch.coords)
        total += _us(lambda n=n: _gathered(*mesh_packed(buffers(), transparent, n, True, none)))
    return total / len(coords)


def _gathered(_: object, ends: NDArray[np.int64]) -> None:
    gather_quads(buffers().quads, ends, np.empty(ends[-1], np.int64))


def _peer(name: str, made: list[list[float]]) -> tuple[list[float | None], str]:
    """Masks given, masks built and quads of the peer, and how they came about."""
    if made:
        return [min(run[0] for run in made) / 1e3, min(run[1] for run in made) / 1e3, made[0][2]], ""
    given, built, quads = PEER[name]
    vtk = peers.vtk_surface_nets_ms(name)
    if vtk is None:
        return [None, None, quads], "No peer: VOXELWRIGHT_GREEDY_PEER is not set, and vtk is not installed."
    scale = vtk / peers.VTK_MS[name]
    return [given * scale, built * scale, quads], "The peer's times are vtk's in this run by the ratio of targets.md."


def _us(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e6


def _row(name: str, ours: float, peer: float | None, target: float | None, unit: str, note: str) -> dict[str, Any]:
    ratio = ours / peer if peer else None
    return {"name": name, "ours": ours, "peer": peer, "ratio": ratio, "target": target, "unit": unit, "note": note}
