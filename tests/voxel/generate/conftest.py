# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise in plain Python, point by point, written from its description: what the kernels are held to."""

import math
from types import SimpleNamespace

import pytest

MASK_64 = (1 << 64) - 1
GRADIENTS_2 = [(math.sqrt(2), 0), (-math.sqrt(2), 0), (0, math.sqrt(2)), (0, -math.sqrt(2))]
GRADIENTS_2 += [(a, b) for b in (1, -1) for a in (1, -1)]
GRADIENTS_3 = [(a, b, 0) for b in (1, -1) for a in (1, -1)]
GRADIENTS_3 += [(a, 0, c) for c in (1, -1) for a in (1, -1)]
GRADIENTS_3 += [(0, b, c) for c in (1, -1) for b in (1, -1)]
GRADIENTS_3 += [(1, 1, 0), (-1, 1, 0), (0, -1, 1), (0, -1, -1)]
SHAPES = {"plain": lambda v: v, "ridged": lambda v: (1 - abs(v)) ** 2, "billow": abs}


def splitmix64(seed):
    """Sebastiano Vigna's SplitMix64."""
    state = seed & MASK_64
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK_64
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK_64
        yield z ^ (z >> 31)


def permutation(seed):
    """Fisher and Yates from the end, as 256 entries."""
    numbers = splitmix64(seed)
    entries = list(range(256))
    for last in range(255, 0, -1):
        other = next(numbers) % (last + 1)
        entries[last], entries[other] = entries[other], entries[last]
    return entries


def hashed(cell, table):
    value = 0
    for c in cell:
        value = table[(value + c) % 256]
    return value


def gradient(cell, table, phase):
    """Turned about z by phase turns; the bit above those that choose it says which way."""
    gradients = GRADIENTS_2 if len(cell) == 2 else GRADIENTS_3
    value = hashed(cell, table)
    x, y, *rest = gradients[value % len(gradients)]
    angle = 2 * math.pi * phase * (1 if value & len(gradients) else -1)
    return (x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle), *rest)


def fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def perlin(position, table, phase=0.0):
    """Perlin's sum over the corners of the cell, in two or three dimensions."""
    cell = [math.floor(p) for p in position]
    within = [p - c for p, c in zip(position, cell, strict=True)]
    value = 0.0
    for corner in range(1 << len(position)):
        at = [corner >> axis & 1 for axis in range(len(position))]
        weight = math.prod(fade(w) if a else 1 - fade(w) for w, a in zip(within, at, strict=True))
        direction = gradient([c + a for c, a in zip(cell, at, strict=True)], table, phase)
        value += weight * sum(g * (w - a) for g, w, a in zip(direction, within, at, strict=True))
    return value


def simplex(position, table, phase=0.0):
    """Gustavson's: the corners of the simplex come one after the other, in the order of the coordinates."""
    n = len(position)
    skew, unskew = (math.sqrt(n + 1) - 1) / n, (1 - 1 / math.sqrt(n + 1)) / n
    cell = [math.floor(p + sum(position) * skew) for p in position]
    first = [p - (c - sum(cell) * unskew) for p, c in zip(position, cell, strict=True)]
    axes = sorted(range(n), key=lambda axis: first[axis], reverse=True)
    value, steps = 0.0, [0] * n
    for corner in range(n + 1):
        if corner:
            steps[axes[corner - 1]] = 1
        away = [f - s + corner * unskew for f, s in zip(first, steps, strict=True)]
        reach = max(0.5 - sum(a * a for a in away), 0.0)
        direction = gradient([c + s for c, s in zip(cell, steps, strict=True)], table, phase)
        value += reach**4 * sum(g * a for g, a in zip(direction, away, strict=True))
    return value * {2: 70.14, 3: 76.0}[n]


def cellular(position, measure, table, phase=0.0):
    """Distances to the points of all cells within two."""
    cell = [math.floor(p) for p in position]
    c, s = math.cos(2 * math.pi * phase), math.sin(2 * math.pi * phase)
    distances = []
    for number in range(5 ** len(position)):
        other = [at + number // 5**axis % 5 - 2 for axis, at in enumerate(cell)]
        value = hashed(other, table)
        x, y, *rest = (
            ((table[(value + i) % 256] + 0.5) / 256 - 0.5) * 0.88 * math.sqrt(0.5) for i in range(len(position))
        )
        offset = (x * c - y * s, x * s + y * c, *rest)
        distances.append(math.dist([o + 0.5 + d for o, d in zip(other, offset, strict=True)], position))
    first, second = sorted(distances)[:2]
    return {"f1": first, "f2": second, "border": second - first}[measure]


def fractal(noise, position, octaves, lacunarity, gain, shape="plain", shown=12, finest=math.inf):
    """Octave i is lacunarity^i times finer, gain^i times weaker, and moved by 19.19 i on each axis.

    finest is the greatest factor by which an octave may be finer than the first; those beyond it are left out.
    """
    value, amplitude, total, factor = 0.0, 1.0, 0.0, 1.0
    for octave in range(octaves):
        if octave < shown and factor <= finest:
            value += amplitude * SHAPES[shape](noise(tuple(p * factor + octave * 19.19 for p in position)))
        total += amplitude
        amplitude *= gain
        factor *= lacunarity
    return value / total


@pytest.fixture(scope="session")
def plain():
    """The functions of this file."""
    return SimpleNamespace(
        gradients_2=GRADIENTS_2,
        gradients_3=GRADIENTS_3,
        splitmix64=splitmix64,
        permutation=permutation,
        perlin=perlin,
        simplex=simplex,
        cellular=cellular,
        fractal=fractal,
    )
