# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes made voxels of, and palettes changed: CPU time, the median of REPEATS.

The mesh is a sphere of a million triangles, 254 voxels wide. The palette is that of a generated world of
512 × 512 × 256 voxels, of which a material is moved that many voxels have.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voxelwright.addon import presets
from voxelwright.voxel.edit import palettes
from voxelwright.voxel.edit.voxelise import voxelise
from voxelwright.voxel.generate import terrain
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette

REPEATS = 3
_EDGES = 500


def rows() -> list[dict[str, Any]]:
    """The table's rows. There is no peer."""
    triangles = _sphere(127.0)
    one, two = np.ones(len(triangles), np.int64), 1 + np.arange(len(triangles)) % 2
    palette = Palette.of({1: Material("one", (0, 0, 0)), 2: Material("other", (255, 255, 255))})
    preset = presets.world_preset("rolling_hills")
    world = finish(terrain.generate(preset, presets.palette(preset.palette), (512, 512, 256), 1))
    most = int(world.material_counts()[1:].argmax()) + 1
    work: dict[str, Callable[[], object]] = {
        "a million triangles, solid": lambda: finish(voxelise(triangles, one, palette)),
        "a million triangles of two materials, solid": lambda: finish(voxelise(triangles, two, palette)),
        "a million triangles of two materials, shell": lambda: finish(voxelise(triangles, two, palette, shell=True)),
        "material moved": lambda: palettes.move_material(world, most, -1 if most > 1 else 1),
        "unused materials purged": lambda: palettes.purge_materials(world),
    }
    made = []
    for name, do in work.items():
        do()
        ms = median(_cpu_ms(do) for _ in range(REPEATS))
        made.append({"name": name, "ours": ms, "peer": None, "ratio": None, "target": None, "unit": "ms"})
    return made


def _sphere(radius: float) -> NDArray[np.float64]:
    """(1000000, 3, 3): its triangles, about (128, 128, 128)."""
    down, around = np.linspace(0, np.pi, _EDGES + 1)[:, None], np.linspace(0, 2 * np.pi, 2 * _EDGES + 1)[:-1]
    sine = np.sin(down)
    points = radius * np.stack([sine * np.cos(around), sine * np.sin(around), np.cos(down) + 0 * around], axis=-1) + 128
    beside = np.roll(points, -1, axis=1)
    a, b, c, d = points[:-1], points[1:], beside[1:], beside[:-1]
    return np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])


def _cpu_ms(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3
