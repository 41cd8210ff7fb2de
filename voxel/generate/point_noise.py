# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise at single points: what does not come apart along the axes as noise.py needs it. Simplex noise after K. Perlin
2001 as S. Gustavson described it, cellular noise after S. Worley, and gradient noise at positions that are warped.

Positions are float64 in lattice units, results float32. The tables, the gradients and the turns are those of noise.py.
"""

import numpy as np

from ..kernels import kernel
from .noise import OCTAVE_SHIFT, fade, gradient2, gradient3, shaped, sum_of_gains

F1, F2, BORDER = range(3)
"""What cellular noise measures: the distance to the nearest point, to the second, how much farther the second is."""

_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_SKEW_2 = 0.36602540378443865  # (√3 − 1) / 2
_UNSKEW_2 = 0.21132486540518713  # (3 − √3) / 6
_SCALE_2 = np.float32(70.14)
_SCALE_3 = np.float32(76.0)
"""Make the greatest sum of the corners' contributions 1."""

_OFFSET_RANGE = 0.6222539674441618
"""Points of cellular noise lie in a square of this edge about their cell's middle: within 0.44 of it, turned or not,
so that the nearest is found among the neighbouring cells."""


@kernel
def perlin2_at(x, y, table, cosine, sine):
    """Perlin's noise at a point: what noise.fractal2 sums, for positions that follow no grid."""
    i, j = np.int64(np.floor(x)), np.int64(np.floor(y))
    px, py = np.float32(x - i), np.float32(y - j)
    blend_x, blend_y = fade(px), fade(py)
    near = _dot2(i, j, px, py, table, cosine, sine)
    near += blend_y * (_dot2(i, j + 1, px, py - _ONE, table, cosine, sine) - near)
    far = _dot2(i + 1, j, px - _ONE, py, table, cosine, sine)
    far += blend_y * (_dot2(i + 1, j + 1, px - _ONE, py - _ONE, table, cosine, sine) - far)
    return near + blend_x * (far - near)


@kernel
def _dot2(i, j, px, py, table, cosine, sine):
    x, y = gradient2(i, j, table, cosine, sine)
    return x * px + y * py


@kernel
def simplex2_at(x, y, table, cosine, sine):
    """Simplex noise at a point, within −1 … 1."""
    skew = (x + y) * _SKEW_2
    i, j = np.int64(np.floor(x + skew)), np.int64(np.floor(y + skew))
    unskew = (i + j) * _UNSKEW_2
    px, py = x - (i - unskew), y - (j - unskew)
    step_x = 1 if px > py else 0
    value = _corner2(i, j, px, py, table, cosine, sine)
    value += _corner2(
        i + step_x, j + 1 - step_x, px - step_x + _UNSKEW_2, py - 1 + step_x + _UNSKEW_2, table, cosine, sine
    )
    value += _corner2(i + 1, j + 1, px - 1.0 + 2.0 * _UNSKEW_2, py - 1.0 + 2.0 * _UNSKEW_2, table, cosine, sine)
    return value * _SCALE_2


@kernel
def _corner2(i, j, x, y, table, cosine, sine):
    px, py = np.float32(x), np.float32(y)
    reach = max(_HALF - px * px - py * py, np.float32(0.0))
    reach *= reach
    return reach * reach * _dot2(i, j, px, py, table, cosine, sine)


@kernel
def simplex3_at(x, y, z, table, cosine, sine):
    """Simplex noise at a point in space, within −1 … 1."""
    skew = (x + y + z) * (1.0 / 3.0)
    i, j, k = np.int64(np.floor(x + skew)), np.int64(np.floor(y + skew)), np.int64(np.floor(z + skew))
    unskew = (i + j + k) * (1.0 / 6.0)
    px, py, pz = x - (i - unskew), y - (j - unskew), z - (k - unskew)
    # The order of the coordinates says by which of six tetrahedra the point is held; ranks are 2, 1 and 0.
    rank_x = np.int64(px >= py) + np.int64(px >= pz)
    rank_y = np.int64(py > px) + np.int64(py >= pz)
    rank_z = np.int64(pz > px) + np.int64(pz > py)
    value = np.float32(0.0)
    for corner in range(4):
        di, dj, dk = np.int64(rank_x > 2 - corner), np.int64(rank_y > 2 - corner), np.int64(rank_z > 2 - corner)
        back = corner * (1.0 / 6.0)
        qx, qy, qz = np.float32(px - di + back), np.float32(py - dj + back), np.float32(pz - dk + back)
        reach = max(_HALF - qx * qx - qy * qy - qz * qz, np.float32(0.0))
        reach *= reach
        gx, gy, gz = gradient3(i + di, j + dj, k + dk, table, cosine, sine)
        value += reach * reach * (gx * qx + gy * qy + gz * qz)
    return value * _SCALE_3


@kernel
def cellular2_at(x, y, measure, table, cosine, sine):
    """Cellular noise at a point: a distance of at least 0 and mostly below 1, in cells."""
    i, j = np.int64(np.floor(x)), np.int64(np.floor(y))
    nearest, second = 9.0, 9.0
    for di in range(-1, 2):
        for dj in range(-1, 2):
            hashed = table[table[(i + di) & 255] + ((j + dj) & 255)]
            across, along = _offset(hashed, table), _offset(hashed + 1, table)
            dx = i + di + 0.5 + across * cosine - along * sine - x
            dy = j + dj + 0.5 + across * sine + along * cosine - y
            nearest, second = _two_least(nearest, second, dx * dx + dy * dy)
    return _measured(nearest, second, measure)


@kernel
def cellular3_at(x, y, z, measure, table, cosine, sine):
    """Cellular noise at a point in space, as cellular2_at."""
    i, j, k = np.int64(np.floor(x)), np.int64(np.floor(y)), np.int64(np.floor(z))
    nearest, second = 9.0, 9.0
    for di in range(-1, 2):
        for dj in range(-1, 2):
            line = table[table[(i + di) & 255] + ((j + dj) & 255)]
            for dk in range(-1, 2):
                hashed = table[line + ((k + dk) & 255)]
                across, along, up = _offset(hashed, table), _offset(hashed + 1, table), _offset(hashed + 2, table)
                dx = i + di + 0.5 + across * cosine - along * sine - x
                dy = j + dj + 0.5 + across * sine + along * cosine - y
                dz = k + dk + 0.5 + up - z
                nearest, second = _two_least(nearest, second, dx * dx + dy * dy + dz * dz)
    return _measured(nearest, second, measure)


@kernel
def _offset(hashed, table):
    """Where a cell's point lies along one axis, from its middle."""
    return ((table[hashed] + 0.5) * (1.0 / 256.0) - 0.5) * _OFFSET_RANGE


@kernel
def _two_least(nearest, second, value):
    return min(nearest, value), min(max(nearest, value), second)


@kernel
def _measured(nearest, second, measure):
    if measure == F1:
        return np.float32(np.sqrt(nearest))
    if measure == F2:
        return np.float32(np.sqrt(second))
    return np.float32(np.sqrt(second) - np.sqrt(nearest))


@kernel
def point_fractal2(out, xs, ys, octaves, shown, lacunarity, gain, simplex, shape, table, cosine, sine):
    """Write a fractal sum of perlin2_at, or simplex2_at, to out (n,) float32, as noise.fractal2 does for grids.

    The positions xs, ys (n,) float64 are in cells of the first octave.
    """
    amplitude, frequency = 1.0 / sum_of_gains(octaves, gain), 1.0
    out[:] = 0.0
    for octave in range(min(octaves, shown)):
        shift = octave * OCTAVE_SHIFT
        for n in range(len(out)):
            x, y = xs[n] * frequency + shift, ys[n] * frequency + shift
            value = simplex2_at(x, y, table, cosine, sine) if simplex else perlin2_at(x, y, table, cosine, sine)
            out[n] += np.float32(amplitude) * shaped(value, shape)
        amplitude *= gain
        frequency *= lacunarity


@kernel
def simplex_fractal3(
    out, x0, y0, z0, frequency_x, frequency_y, frequency_z, octaves, shown, lacunarity, gain, table, cosine, sine
):
    """Write a fractal sum of simplex3_at at the voxels from (x0, y0, z0) on to out (nx, ny, nz) float32."""
    amplitude, frequency = 1.0 / sum_of_gains(octaves, gain), 1.0
    out[:] = 0.0
    for octave in range(min(octaves, shown)):
        shift = octave * OCTAVE_SHIFT
        for x in range(out.shape[0]):
            px = (x0 + x) * frequency_x * frequency + shift
            for y in range(out.shape[1]):
                py = (y0 + y) * frequency_y * frequency + shift
                for z in range(out.shape[2]):
                    pz = (z0 + z) * frequency_z * frequency + shift
                    out[x, y, z] += np.float32(amplitude) * simplex3_at(px, py, pz, table, cosine, sine)
        amplitude *= gain
        frequency *= lacunarity
