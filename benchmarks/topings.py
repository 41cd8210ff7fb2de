# SPDX-License-Identifier: GPL-3.0-or-later
"""Topings of the hills of 256³ voxels, grass everywhere, on one thread, microseconds a chunk.

Collected: all of collect_topings(), from the world. The target counts all chunks, as the original's did, of which two
thirds lie below the surface; a second row counts those alone that have topings. Placed: all instances as one mesh,
microseconds an instance.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numba
import volumes

from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.topings.collect import collect_topings
from voxelwright.voxel.topings.placed import meshes_by_type, place

ORIGINAL_US = 80.0
"""Core-microseconds a chunk, by targets.md."""

ROUNDS = 9


def rows() -> list[dict[str, Any]]:
    numba.set_num_threads(1)
    world = volumes.world("hills")
    world.palette = Palette.of({i: replace(m, toping="grass") for i, m in world.palette.items()})
    topings = finish(collect_topings(world))
    meshes = meshes_by_type(world.palette, {})
    us = _best(lambda: finish(collect_topings(world)))
    n, unit = len(topings.instances), "µs a chunk"
    return [
        _row("hills, collected", us / world.n_chunks, ORIGINAL_US, 15 / ORIGINAL_US, unit, f"{n:,} instances"),
        _row("hills, collected, chunks with topings", us / len(topings.coords), None, None, unit, ""),
        _row(
            "hills, placed", _best(lambda: finish(place(topings, world.palette, meshes)), 3) / n, None, None, "µs", ""
        ),
    ]


def _best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Microseconds of the best round, of which the first compiles."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e6)
    return min(times)


def _row(name: str, ours: float, peer: float | None, target: float | None, unit: str, note: str) -> dict[str, Any]:
    ratio = ours / peer if peer else None
    return {"name": name, "ours": ours, "peer": peer, "ratio": ratio, "target": target, "unit": unit, "note": note}
