# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeded gradient noise after K. Perlin, "Improving noise", SIGGRAPH 2002, and fractal sums of it.

The same on every machine: integer permutations and + − × ÷ only. Positions are in lattice units; at lattice points
the noise is 0. In two dimensions it lies within −1 … 1 (to rounding), in three, as Perlin left it, within
−1.0363 … 1.0363.
"""

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel

_PERIOD = 256


def permutation(seed: int) -> NDArray[np.int64]:
    """(512,) int64: a shuffle of 0 … 255 by the seed, twice over, so that sums of two entries need no wrapping.

    Fisher and Yates' shuffle on SplitMix64 numbers, which no library can change under us.
    """
    entries = list(range(_PERIOD))
    state = seed & 0xFFFF_FFFF_FFFF_FFFF
    for i in range(_PERIOD - 1, 0, -1):
        state = (state + 0x9E37_79B9_7F4A_7C15) & 0xFFFF_FFFF_FFFF_FFFF
        z = (state ^ state >> 30) * 0xBF58_476D_1CE4_E5B9 & 0xFFFF_FFFF_FFFF_FFFF
        z = (z ^ z >> 27) * 0x94D0_49BB_1331_11EB & 0xFFFF_FFFF_FFFF_FFFF
        j = (z ^ z >> 31) % (i + 1)
        entries[i], entries[j] = entries[j], entries[i]
    return np.array(entries * 2, np.int64)


# Perlin's 12 edges of a cube, four of them twice; and eight directions about a circle, of equal length.
_GRADIENTS_3D = np.array(
    [
        (1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0), (1, 0, 1), (-1, 0, 1), (1, 0, -1), (-1, 0, -1),
        (0, 1, 1), (0, -1, 1), (0, 1, -1), (0, -1, -1), (1, 1, 0), (-1, 1, 0), (0, -1, 1), (0, -1, -1),
    ],
    np.float64,
)  # fmt: skip
_DIAGONAL = 0.7071067811865476
_GRADIENTS_2D = np.array(
    [
        (1, 0), (-1, 0), (0, 1), (0, -1),
        (_DIAGONAL, _DIAGONAL), (-_DIAGONAL, _DIAGONAL), (_DIAGONAL, -_DIAGONAL), (-_DIAGONAL, -_DIAGONAL),
    ],
    np.float64,
)  # fmt: skip

_SCALE_2D = 1.4142135623730951
"""Unit gradients reach √½ in the middle of a square; this makes it 1."""


@kernel
def _fade(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@kernel
def _floor(value):
    whole = np.int64(value)
    return whole - (value < whole)


@kernel
def perlin2(x, y, permutation):
    """Noise at (x, y), float64."""
    i, j = _floor(x), _floor(y)
    fx, fy = x - i, y - j
    i &= _PERIOD - 1
    j &= _PERIOD - 1
    value = 0.0
    fade_x, fade_y = _fade(fx), _fade(fy)
    for corner in range(4):
        dx, dy = corner & 1, corner >> 1
        gradient = permutation[permutation[(i + dx) & (_PERIOD - 1)] + ((j + dy) & (_PERIOD - 1))] & 7
        weight = (fade_x if dx else 1.0 - fade_x) * (fade_y if dy else 1.0 - fade_y)
        value += weight * (_GRADIENTS_2D[gradient, 0] * (fx - dx) + _GRADIENTS_2D[gradient, 1] * (fy - dy))
    return value * _SCALE_2D


@kernel
def perlin3(x, y, z, permutation):
    """Noise at (x, y, z), float64."""
    i, j, k = _floor(x), _floor(y), _floor(z)
    fx, fy, fz = x - i, y - j, z - k
    i &= _PERIOD - 1
    j &= _PERIOD - 1
    k &= _PERIOD - 1
    fade_x, fade_y, fade_z = _fade(fx), _fade(fy), _fade(fz)
    value = 0.0
    for corner in range(8):
        dx, dy, dz = corner & 1, corner >> 1 & 1, corner >> 2
        plane = permutation[permutation[(i + dx) & (_PERIOD - 1)] + ((j + dy) & (_PERIOD - 1))]
        g = permutation[plane + ((k + dz) & (_PERIOD - 1))] & 15
        weight = (fade_x if dx else 1.0 - fade_x) * (fade_y if dy else 1.0 - fade_y) * (fade_z if dz else 1.0 - fade_z)
        value += weight * (
            _GRADIENTS_3D[g, 0] * (fx - dx) + _GRADIENTS_3D[g, 1] * (fy - dy) + _GRADIENTS_3D[g, 2] * (fz - dz)
        )
    return value


_OCTAVE_SHIFT = 19.19
"""Octaves are moved against each other, so that their lattice points (where all are 0) do not coincide."""


@kernel
def fbm2(x, y, octaves, lacunarity, gain, permutation):
    """Fractal sum of octaves of perlin2, each lacunarity times finer and gain times weaker; in the bounds of one."""
    value, amplitude, total = 0.0, 1.0, 0.0
    for octave in range(octaves):
        shift = octave * _OCTAVE_SHIFT
        value += amplitude * perlin2(x + shift, y + shift, permutation)
        total += amplitude
        amplitude *= gain
        x *= lacunarity
        y *= lacunarity
    return value / total


@kernel
def fbm3(x, y, z, octaves, lacunarity, gain, permutation):
    """Fractal sum of octaves of perlin3, as fbm2."""
    value, amplitude, total = 0.0, 1.0, 0.0
    for octave in range(octaves):
        shift = octave * _OCTAVE_SHIFT
        value += amplitude * perlin3(x + shift, y + shift, z + shift, permutation)
        total += amplitude
        amplitude *= gain
        x *= lacunarity
        y *= lacunarity
        z *= lacunarity
    return value / total
