# SPDX-License-Identifier: GPL-3.0-or-later
"""Picking and brushes.

Picking: rays into generated worlds of 512 × 512 × 256 voxels, of blocks and smoothed, as RayCaster.cast() takes them
one by one, Python included.

Outside: from all around to anywhere in the world. Along the ground: from a man's height, almost level. A ray's time is
the median of REPEATS; median and 99th percentile are of N_RAYS rays. Smooth surfaces have been meshed before, but not
in the row of first rays: straight down, each into the middle of a chunk that no ray has come near, its mesh included.

Brushes: CPU time on one thread of one dab somewhere on the ground of the first world, from the call to the edit; the
median of N_DABS. A stroke is 2,000 samples of it; its memory is what its edit holds. The rows after it are of a box of
128³ voxels, half in the ground.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from voxelwright.addon import presets
from voxelwright.voxel.edit import actions, clipboard, patterns, sculpt, selection, shapes
from voxelwright.voxel.edit.connected import connected
from voxelwright.voxel.edit.dabs import Stroke, dab, throughout
from voxelwright.voxel.edit.hollow import hollow
from voxelwright.voxel.edit.outline import outline
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
N_DABS = 15
DAB_TARGETS_MS = {8: 2, 64: 30}
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
        if name == "rolling_hills":
            made += _of_brushes(world)
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


def _of_brushes(world: World) -> list[dict[str, Any]]:
    first, second = (index for index, _ in world.palette.items()[:2])
    one, two = patterns.only(first), patterns.mix({first: 1.0, second: 1.0})
    brushes = {
        "add": actions.add(one),
        "remove": actions.remove(),
        "paint": actions.paint(one),
        "paint, random mix": actions.paint(two),
        "paint, noise": actions.paint(patterns.by_noise([first, second], 8)),
        "raise": sculpt.raise_(2),
        "flatten": sculpt.flatten((0, 0, 60), strength=2),
        "roughen": sculpt.roughen(2),
        "smooth": sculpt.smooth(),
        "grow": sculpt.grow(),
        "erode": sculpt.erode(0.5),
    }
    places = _on_the_ground(world, N_DABS, 80)
    made = []
    for radius, target in DAB_TARGETS_MS.items():
        for falloff in ("constant", "smooth"):
            shape = shapes.sphere(radius, falloff)
            for name, action in brushes.items():
                dab(world, action, shape.at(places[0]))
                ms = median(_cpu_ms(lambda a=action, s=shape, p=place: dab(world, a, s.at(p))) for place in places)
                made.append(_row(f"dab of radius {radius}, {falloff}: {name}", ms, target, "ms"))
    return made + _of_stroke(world) + _of_clipboard(world, one)


def _of_stroke(world: World) -> list[dict[str, Any]]:
    turns = np.linspace(0, 6 * np.pi, 2000)
    samples = np.column_stack([256 + 150 * np.cos(turns), 256 + 150 * np.sin(turns), np.full(2000, 60.0)]).tolist()
    stroke = Stroke(world, sculpt.raise_(0.5), shapes.sphere(8, "smooth"), spacing=2)
    times = [_cpu_ms(lambda s=sample: stroke.to(s)) for sample in samples]
    deltas = stroke.edit().deltas
    held = sum(delta.after.nbytes for delta in deltas if not isinstance(delta.after, int))
    return [
        _row("stroke of 2,000 samples, radius 8: a sample, 99th percentile", float(np.percentile(times, 99)), 2, "ms"),
        _row("stroke of 2,000 samples, radius 8: all", sum(times), None, "ms"),
        _row("stroke of 2,000 samples, radius 8: chunks it holds", held / 2**20, None, "MiB"),
    ]


def _of_clipboard(world: World, pattern: patterns.Pattern) -> list[dict[str, Any]]:
    x, y, z = (int(c) for c in _on_the_ground(world, 1, 140)[0])
    part = selection.box((x - 64, y - 64, z - 64), (x + 63, y + 63, z + 63))
    clip = clipboard.copy(world, part)
    ground = selection.solid(world) & part
    work: dict[str, Callable[[], object]] = {
        "copy": lambda: clipboard.copy(world, part),
        "turn by 90°": lambda: clip.turned(2),
        "paste": lambda: clipboard.paste_clip(world, clip, (x, y - 50, z - 40)),
        "move": lambda: clipboard.move(world, part, (5, 3, 1)),
        "delete": lambda: throughout(world, actions.remove(), part),
        "fill": lambda: throughout(world, actions.fill(pattern), part),
        "hollow": lambda: hollow(world, part),
        "outline of the ground in it": lambda: outline(ground),
        "connected, by material": lambda: connected(world, (x, y, z), "material"),
    }
    made = []
    for name, do in work.items():
        do()
        made.append(_row(f"2 M voxels: {name}", median(_cpu_ms(do) for _ in range(REPEATS)), None, "ms"))
    return made


def _on_the_ground(world: World, n_places: int, border: int) -> list[tuple[float, float, float]]:
    """Voxels at the top of the ground, not nearer than border to the world's sides."""
    caster = RayCaster(world)
    rng = np.random.default_rng(3)
    above = np.column_stack([rng.integers(border, SIZE[axis] - border, n_places) + 0.5 for axis in (0, 1)] + [[300.0]
                            * n_places])  # fmt: skip
    hits = caster.cast_many(above, np.tile([0.0, 0.0, -1.0], (n_places, 1))).points
    return [(x, y, z - 0.5) for x, y, z in hits.tolist()]


def _cpu_ms(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3


def _us(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e6


def _row(name: str, ours: float, target: float | None, unit: str) -> dict[str, Any]:
    return {"name": name, "ours": ours, "peer": None, "ratio": None, "target": target, "unit": unit}
