# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise in plain Python, written from its description: what the kernels are held to, to the last bit."""

import math
from types import SimpleNamespace

import pytest

MASK_64 = (1 << 64) - 1
ROOT_HALF = math.sqrt(0.5)
GRADIENTS_2 = [(1, 0), (-1, 0), (0, 1), (0, -1)]
GRADIENTS_2 += [(a * ROOT_HALF, b * ROOT_HALF) for b in (1, -1) for a in (1, -1)]
GRADIENTS_3 = [(a, b, 0) for b in (1, -1) for a in (1, -1)]
GRADIENTS_3 += [(a, 0, c) for c in (1, -1) for a in (1, -1)]
GRADIENTS_3 += [(0, b, c) for c in (1, -1) for b in (1, -1)]
GRADIENTS_3 += [(1, 1, 0), (-1, 1, 0), (0, -1, 1), (0, -1, -1)]


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


def fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def lattice_sum(position, gradients, table):
    """Perlin's sum over the corners of the cell, x the fastest; a float."""
    cell = [math.floor(p) for p in position]
    within = [p - c for p, c in zip(position, cell, strict=True)]
    faded = [fade(w) for w in within]
    n = len(position)
    value = 0.0
    for corner in range(1 << n):
        at = [corner >> axis & 1 for axis in range(n)]
        hashed = 0
        for c, d in zip(cell, at, strict=True):
            hashed = table[(hashed + c + d) % 256]
        weight = faded[0] if at[0] else 1 - faded[0]
        for axis in range(1, n):
            weight *= faded[axis] if at[axis] else 1 - faded[axis]
        gradient = gradients[hashed % len(gradients)]
        dot = gradient[0] * (within[0] - at[0])
        for axis in range(1, n):
            dot += gradient[axis] * (within[axis] - at[axis])
        value += weight * dot
    return value


def perlin2(x, y, table):
    return lattice_sum((x, y), GRADIENTS_2, table) * math.sqrt(2)


def perlin3(x, y, z, table):
    return lattice_sum((x, y, z), GRADIENTS_3, table)


def fbm(noise, position, octaves, lacunarity, gain, table):
    """Octave i is lacunarity^i times finer, gain^i times weaker, and moved by 19.19 i on each axis."""
    value, amplitude, total = 0.0, 1.0, 0.0
    for octave in range(octaves):
        value += amplitude * noise(*(p + octave * 19.19 for p in position), table)
        total += amplitude
        amplitude *= gain
        position = [p * lacunarity for p in position]
    return value / total


@pytest.fixture(scope="session")
def plain():
    """The functions of this file."""
    return SimpleNamespace(
        gradients_2=GRADIENTS_2,
        gradients_3=GRADIENTS_3,
        splitmix64=splitmix64,
        permutation=permutation,
        perlin2=perlin2,
        perlin3=perlin3,
        fbm=fbm,
    )
