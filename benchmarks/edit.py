# SPDX-License-Identifier: GPL-3.0-or-later
"""Picking: rays into generated worlds of 512 × 512 × 256 voxels, of blocks and smoothed, as RayCaster.cast() takes them
one by one, Python included.

Outside: from all around to anywhere in the world. Along the ground: from a man's height, almost level. A ray's time is
the median of REPEATS; median and 99th percentile are of N_RAYS rays. Smooth surfaces have been meshed before, but not
in the row of first rays: straight down, each into the middle of a chunk that no ray has come near, its mesh included.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from voxelwright.addon import presets
from voxelwright.voxel.edit.ray_cast import RayCaster
from voxelwright.voxel.edit.smoothing import smooth_all
from voxelwright.voxel.generate import terrain
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE, FLAG_SMOOTH
from voxelwright.voxel.world import World, edit_of_chunks

SIZE = (512, 512, 256)
N_RAYS = 1000
REPEATS = 5
TARGET_US = 100
Rays = tuple[NDArray[np.float64], NDArray[np.float64]]


def rows() -> list[dict[str, Any]]:
    """The table's rows. The target is of ours, there is no peer."""
    # Few chunks are meshed at a time, and on a busy machine threads wait longer for each other than that takes.
    numba.set_num_threads(1)
    made = []
    for name in ("rolling_hills", "caverns"):
        preset = presets.world_preset(name)
        world = finish(terrain.generate(preset, presets.palette(preset.palette), SIZE, 1))
        blocks = {coord: world.chunk(coord) & ~np.uint16(FLAG_SMOOTH) for coord in world.coords()}
        world.apply(edit_of_chunks(world, {c: int(v) if np.ndim(v) == 0 else v for c, v in blocks.items()}))
        made += _of_world(f"{name}, blocks", world)
        world.apply(smooth_all(world))
        made += _of_world(f"{name}, smooth", world)
        made.append(_row(f"{name}, smooth: first ray into a chunk", _first_rays(world), None, "µs"))
    return made


def _of_world(name: str, world: World) -> list[dict[str, Any]]:
    def follow() -> RayCaster:
        caster = RayCaster(world)
        caster.cast((0, 0, 1000), (0, 0, 1))
        return caster

    follow()
    made = [_row(f"{name}: whole world taken in", median(_us(follow) for _ in range(REPEATS)) / 1000, None, "ms")]
    caster = follow()
    for view, (origins, directions) in {"outside": _outside(), "along the ground": _along_the_ground(caster)}.items():
        caster.cast_many(origins, directions)
        times = _times(caster, origins.tolist(), directions.tolist())
        for which, percent in (("median", 50), ("99th percentile", 99)):
            made.append(_row(f"{name}, {view}: {which}", float(np.percentile(times, percent)), TARGET_US, "µs"))
        batch = median(_us(lambda o=origins, d=directions: caster.cast_many(o, d)) for _ in range(REPEATS))
        made.append(_row(f"{name}, {view}: a ray of many", batch / N_RAYS, None, "µs"))
    return made


def _outside() -> Rays:
    rng = np.random.default_rng(1)
    away = rng.normal(size=(N_RAYS, 3))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    away[:, 2] = np.abs(away[:, 2])
    origins = np.array(SIZE) / 2 + 600 * away
    return origins, rng.uniform(0, 1, (N_RAYS, 3)) * (SIZE[0], SIZE[1], SIZE[2] / 2) - origins


def _along_the_ground(caster: RayCaster) -> Rays:
    rng = np.random.default_rng(2)
    above = np.column_stack([rng.uniform(0, SIZE[0], N_RAYS), rng.uniform(0, SIZE[1], N_RAYS), np.full(N_RAYS, 300.0)])
    ground = caster.cast_many(above, np.tile([0.0, 0.0, -1.0], (N_RAYS, 1)))
    angles = rng.uniform(0, 2 * np.pi, N_RAYS)
    directions = np.column_stack([np.cos(angles), np.sin(angles), rng.uniform(-0.02, 0.02, N_RAYS)])
    return ground.points + np.array([0, 0, 1.7]), directions


def _times(caster: RayCaster, origins: list[list[float]], directions: list[list[float]]) -> list[float]:
    """µs of each ray."""
    turns = [
        [_us(lambda o=o, d=d: caster.cast(o, d)) for o, d in zip(origins, directions, strict=True)]
        for _ in range(REPEATS)
    ]
    return np.median(turns, axis=0).tolist()


def _first_rays(world: World) -> float:
    """µs of a ray into a chunk that was never meshed."""
    caster = RayCaster(world)
    caster.cast((0, 0, 1000), (0, 0, 1))
    middles = range(CHUNK_SIZE // 2, SIZE[0], 2 * CHUNK_SIZE)
    return median(_us(lambda x=x, y=y: caster.cast((x, y, 1000), (0, 0, -1))) for x in middles for y in middles)


def _us(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e6


def _row(name: str, ours: float, target: float | None, unit: str) -> dict[str, Any]:
    return {"name": name, "ours": ours, "peer": None, "ratio": None, "target": target, "unit": unit}
