# SPDX-License-Identifier: GPL-3.0-or-later
"""Fractal noise, 5 octaves, nanoseconds a sample on one thread, beside pyfastnoiselite on the same positions.

FastNoise2 cannot be built here; its row takes what pyfastnoiselite took in this run and the ratio of the two that was
measured elsewhere on one machine (22.8 to 177 ns in space, 9.6 to 80 on the plane).
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from voxelwright.voxel.generate.noise import PLAIN, fractal2, fractal3, permutation

FASTNOISE2_OF_LITE = {"3D": 22.8 / 177, "2D": 9.6 / 80}
NOTE = "FastNoise2: pyfastnoiselite's time in this run, times the ratio of the two measured on an EPYC at 2.45 GHz."
OCTAVES, WAVELENGTH = 5, 64.0
REPEATS = 15


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rows() -> list[dict[str, Any]]:
    """The table's rows: name, ours, peer, ratio, target, unit."""
    frequency, table = 1 / WAVELENGTH, permutation(1)
    solid, flat = np.empty((32, 32, 32), np.float32), np.empty((64, 64), np.float32)
    how = OCTAVES, OCTAVES, 2.0, 0.5, PLAIN, table, 1.0, 0.0

    def ours_3d() -> None:
        for i in range(8):
            fractal3(solid, 32 * i, 64, 7, frequency, frequency, frequency, *how)

    def ours_2d() -> None:
        for i in range(16):
            fractal2(flat, 64 * i, 64, frequency, frequency, *how)

    peers = _fastnoiselite()
    work = {"3D": (ours_3d, 8 * solid.size), "2D": (ours_2d, 16 * flat.size)}
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in work}
    for ours, _ in work.values():
        ours()
    for _ in range(REPEATS):
        for name, (ours, n) in work.items():
            times[name][0].append(_seconds(ours) / n * 1e9)
            if name in peers:
                peer, n_peer = peers[name]
                times[name][1].append(_seconds(peer) / n_peer * 1e9)
    made = []
    for name, lite_target, target in (("3D", 0.06, 0.5), ("2D", 0.1, 0.8)):
        ours_ns = median(times[name][0])
        lite = median(times[name][1]) if times[name][1] else None
        fast = lite * FASTNOISE2_OF_LITE[name] if lite is not None else None
        for peer_name, peer_ns, goal in (
            ("pyfastnoiselite", lite, lite_target),
            ("FastNoise2, by ratio", fast, target),
        ):
            made.append(
                {
                    "name": f"{name} fBm, {OCTAVES} octaves, beside {peer_name}",
                    "ours": ours_ns,
                    "peer": peer_ns,
                    "ratio": ours_ns / peer_ns if peer_ns is not None else None,
                    "target": goal,
                    "unit": "ns a sample",
                    "note": NOTE if peer_name.startswith("FastNoise2") else "",
                }
            )
    return made


def _fastnoiselite() -> dict[str, tuple[Callable[[], object], int]]:
    """The peer's work by name, and its number of samples; empty where it is not installed."""
    try:
        from pyfastnoiselite.pyfastnoiselite import FastNoiseLite, FractalType, NoiseType
    except ImportError:
        return {}
    peer = FastNoiseLite(1)
    peer.noise_type, peer.fractal_type = NoiseType.NoiseType_Perlin, FractalType.FractalType_FBm
    peer.fractal_octaves, peer.frequency = OCTAVES, 1 / WAVELENGTH
    solid = np.indices((32, 32, 32)).reshape(3, -1).astype(np.float32)
    flat = np.indices((64, 64)).reshape(2, -1).astype(np.float32)
    return {
        "3D": (lambda: peer.gen_from_coords(solid), solid.shape[1]),
        "2D": (lambda: peer.gen_from_coords(flat), flat.shape[1]),
    }
