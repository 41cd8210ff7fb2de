# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion of a whole field of heights. Deterministic: drops fall one after the other, and slides are computed for all
columns from the state before; so the result is the same on every machine, but it depends on the whole field: a smaller
world is no crop of a larger one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import kernel, parallel_kernel, prange
from .preset import Erosion

_DROPS_A_SLICE = 3000
_COLUMNS_A_SLICE = 4_000_000

_STEPS = 48
_INERTIA = 0.25
_CAPACITY = 5.0
_LEAST_SLOPE = 0.02
_EVAPORATION = 0.03
_SETTLING = 0.3
_GRAVITY = 0.4
_EDGE = 24
"""Within this many columns of the field's edges drops carve less and less: what flows out there would dig canyons."""

_BRUSH = 3
"""Radius of the round patch that a drop carves, in columns."""


def erode(field: NDArray[np.float32], stages: Sequence[Erosion], seed: int) -> Job[NDArray[np.float32]]:
    """The field of heights (nx, ny) float32 after all stages; the given one is left as it is."""
    heights = field.astype(np.float64)
    for number, stage in enumerate(stages):
        if stage.kind == "thermal":
            n_rounds = round(stage.amount * 10)
            slides = max(_COLUMNS_A_SLICE // heights.size, 1)
            for first in range(0, n_rounds, slides):
                for _ in range(min(slides, n_rounds - first)):
                    after = np.empty_like(heights)
                    _slide(heights, stage.talus, stage.strength * 0.125, after)
                    heights = after
                yield Progress((number + first / n_rounds) / len(stages), "Eroding")
        else:
            n_drops = round(stage.amount * heights.size)
            number_seed = np.uint64((seed + number) & 0xFFFF_FFFF_FFFF_FFFF)
            for first in range(0, n_drops, _DROPS_A_SLICE):
                _rain(heights, first, min(_DROPS_A_SLICE, n_drops - first), number_seed, stage.strength)
                yield Progress((number + first / n_drops) / len(stages), "Eroding")
    return heights.astype(np.float32)


@parallel_kernel
def _slide(heights, talus, share, out):
    """Write the heights after one round in which each column gives share of what is above talus to lower neighbours.

    Both (nx, ny) float64. What a column gives is what its neighbour computes that it takes: nothing is lost.
    """
    nx, ny = heights.shape
    for x in prange(nx):
        for y in range(ny):
            own = heights[x, y]
            change = 0.0
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                if 0 <= x + dx < nx and 0 <= y + dy < ny:
                    rise = heights[x + dx, y + dy] - own
                    if rise > talus:
                        change += share * (rise - talus)
                    elif rise < -talus:
                        change += share * (rise + talus)
            out[x, y] = own + change


@kernel
def _random(number, seed):
    """A number of 0 … 1 from two integers, by SplitMix64's mixing."""
    z = np.uint64(number) * np.uint64(0x9E37_79B9_7F4A_7C15) + seed
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * (1.0 / (1 << 53))


@kernel
def _slope(heights, x, y):
    """Height and its derivatives along x and y at a place between columns."""
    i, j = int(x), int(y)
    u, v = x - i, y - j
    a, b = heights[i, j], heights[i + 1, j]
    c, d = heights[i, j + 1], heights[i + 1, j + 1]
    height = (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v
    return height, (b - a) * (1.0 - v) + (d - c) * v, (c - a) * (1.0 - u) + (d - b) * u


@kernel
def _settle(heights, x, y, amount):
    """Add amount to the four columns about a place."""
    i, j = int(x), int(y)
    u, v = x - i, y - j
    heights[i, j] += amount * (1.0 - u) * (1.0 - v)
    heights[i + 1, j] += amount * u * (1.0 - v)
    heights[i, j + 1] += amount * (1.0 - u) * v
    heights[i + 1, j + 1] += amount * u * v


@kernel
def _carve(heights, x, y, amount):
    """Take amount from the columns within the brush, most from the middle."""
    nx, ny = heights.shape
    i, j = int(x), int(y)
    low_x, high_x = max(i - _BRUSH, 0), min(i + _BRUSH + 1, nx)
    low_y, high_y = max(j - _BRUSH, 0), min(j + _BRUSH + 1, ny)
    total = 0.0
    for cx in range(low_x, high_x):
        for cy in range(low_y, high_y):
            total += max(_BRUSH * _BRUSH - (cx - x) * (cx - x) - (cy - y) * (cy - y), 0.0)
    for cx in range(low_x, high_x):
        for cy in range(low_y, high_y):
            weight = max(_BRUSH * _BRUSH - (cx - x) * (cx - x) - (cy - y) * (cy - y), 0.0)
            heights[cx, cy] -= amount * weight / total


@kernel
def _rain(heights, first, n_drops, seed, strength):
    """Let drops number first … first + n_drops − 1 fall on heights (nx, ny) float64, after H. T. Beyer, "Implementation
    of a method for hydraulic erosion", 2015."""
    nx, ny = heights.shape
    if nx < 3 or ny < 3:
        return
    for drop in range(first, first + n_drops):
        x = _random(2 * drop, seed) * (nx - 1.001)
        y = _random(2 * drop + 1, seed) * (ny - 1.001)
        dir_x, dir_y, speed, water, load = 0.0, 0.0, 1.0, 1.0, 0.0
        for _ in range(_STEPS):
            height, rise_x, rise_y = _slope(heights, x, y)
            dir_x = dir_x * _INERTIA - rise_x * (1.0 - _INERTIA)
            dir_y = dir_y * _INERTIA - rise_y * (1.0 - _INERTIA)
            length = np.sqrt(dir_x * dir_x + dir_y * dir_y)
            if length < 1e-9:
                break
            to_x, to_y = x + dir_x / length, y + dir_y / length
            if not (0.0 <= to_x < nx - 1.001 and 0.0 <= to_y < ny - 1.001):
                break
            dir_x, dir_y = dir_x / length, dir_y / length
            fall = height - _slope(heights, to_x, to_y)[0]
            capacity = max(fall, _LEAST_SLOPE) * speed * water * _CAPACITY
            if fall < 0.0:
                # Uphill: fill the hollow behind, if there is enough.
                settled = min(-fall, load)
                _settle(heights, x, y, settled)
                load -= settled
            elif load > capacity:
                settled = (load - capacity) * _SETTLING
                _settle(heights, x, y, settled)
                load -= settled
            else:
                inner = min(x, nx - 1.0 - x, y, ny - 1.0 - y) / _EDGE
                carved = min((capacity - load) * strength, fall) * min(inner, 1.0)
                _carve(heights, x, y, carved)
                load += carved
            speed = np.sqrt(max(speed * speed + fall * _GRAVITY, 0.0))
            water *= 1.0 - _EVAPORATION
            x, y = to_x, to_y
