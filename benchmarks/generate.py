# SPDX-License-Identifier: GPL-3.0-or-later
"""Generation of hills with caves (512×512×256), animated and whole, and of every bundled preset (192×192×256).

Core time a chunk is wall time on one thread; empty chunks count. The row "on all threads" is seconds for the world.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numba

from voxelwright.addon import presets
from voxelwright.voxel.generate import terrain
from voxelwright.voxel.jobs import Job, Progress, finish

WORLD = (512, 512, 256)
N_WORLD = 16 * 16 * 8
SMALL = (192, 192, 256)
N_SMALL = 6 * 6 * 8
REPEATS = 5


def _seconds(job: Callable[[], Job[Any]]) -> tuple[float, float]:
    """(seconds in all, seconds of the longest slice) in the median of REPEATS runs, after one that is not counted."""
    finish(job())
    runs = []
    for _ in range(REPEATS):
        start = last = time.perf_counter()
        longest = 0.0

        def tick(_: Progress) -> None:
            nonlocal last, longest
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

        finish(job(), tick)
        runs.append((time.perf_counter() - start, longest))
    return median(run[0] for run in runs), median(run[1] for run in runs)


def rows() -> list[dict[str, Any]]:
    """The table's rows: name, ours, peer, ratio, target, unit. The targets are of ours, there is no peer."""
    hills = presets.world_preset("rolling_hills")
    palette = presets.palette(hills.palette)
    made = []

    def row(name: str, ours: float, target: float | None, unit: str) -> None:
        made.append({"name": name, "ours": ours, "peer": None, "ratio": None, "target": target, "unit": unit})

    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        seconds, _ = _seconds(lambda: terrain.generate(hills, palette, WORLD, 1))
        row("hills with caves, a chunk", seconds / N_WORLD * 1e6, 600, "core-µs")
        world = finish(terrain.generate(hills, palette, WORLD, 1, 0.1, True))
        seconds, _ = _seconds(lambda: terrain.regenerate(world, hills, WORLD, 1, 0.11, True))
        row("animated, 2 octaves, a chunk", seconds / N_WORLD * 1e6, 60, "core-µs")
        for name in presets.world_preset_names():
            preset = presets.world_preset(name)
            seconds, slice_ = _seconds(lambda preset=preset: terrain.generate(preset, palette, SMALL, 1))
            row(f"{name}, a chunk", seconds / N_SMALL * 1e6, None, "core-µs")
            row(f"{name}, the longest slice", slice_ * 1e3, 50, "ms")
    finally:
        numba.set_num_threads(threads)
    seconds, _ = _seconds(lambda: terrain.generate(hills, palette, WORLD, 1))
    row(f"hills with caves, {'×'.join(map(str, WORLD))}, on {threads} threads", seconds, 2, "s")
    return made
