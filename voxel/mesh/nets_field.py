# SPDX-License-Identifier: GPL-3.0-or-later
"""The smoothed field: a signed distance of sorts, by which terraces become gentle slopes.

The indicator of ground is blurred along each axis; where the blur says one half is the smoothed surface. But every
sample keeps its own sign, so the surface has the very cells and quads of the binary field, no voxel is lost, and
only vertices move. What is thin keeps more than that: a sample with both neighbours on some axis on the other side
stays at half its depth at least, or single voxels and sheets would shrink to nothing.

Everything is an integer until the last step, so that both sides of a chunk's border get the same bits.
"""

import numpy as np

from ..kernels import kernel
from .chunk_bits import GROUND, pad_rows
from .nets_tables import BORDER, CORNERS, EDGES, FRACTION_BITS, FRACTION_STEPS, SAMPLES

REACH = 4
"""The blur is a box of five samples, twice, along each axis."""

_WIDE = SAMPLES + 2 * REACH
_FULL = 25**3
_FLAT = _FULL // 5
"""The depth of the samples on both sides of a flat surface: what the binary field has everywhere, so that the strength
mixes like with like."""
_LEAST = _FULL // 64
_THIN = _FULL // 2

STRENGTH_STEPS = 256
"""The strength of smoothing is a whole number of 1/256."""


@kernel
def smoothed_field(planes, table, strength, field):
    """Write field (36, 36, 36) float32 of a chunk's padded samples, negative inside, from planes and table (27,) of a
    BitBatch. strength is 0 … 256, 0 for the binary field."""
    rows = np.empty((_WIDE, _WIDE), np.int64)
    pad_rows(planes, table, GROUND, BORDER + REACH, rows)
    blurred = _blur(rows)
    for x in range(SAMPLES):
        for y in range(SAMPLES):
            row, thin = rows[x + REACH, y + REACH] >> REACH, _thin(rows, x + REACH, y + REACH) >> REACH
            sums, values = blurred[x, y], field[x, y]
            for z in range(SAMPLES):
                inside = np.int32(row >> z & 1)
                depth = 2 * np.int32(sums[z]) - _FULL
                depth = depth if inside else -depth
                least = _THIN if thin >> z & 1 else _LEAST
                depth = strength * (depth if depth > least else least) + (STRENGTH_STEPS - strength) * _FLAT
                values[z] = np.float32(-depth if inside else depth)


@kernel
def _blur(rows):
    """(44, 44, 44) int16, 0 … _FULL: of rows (44, 44) int64 the bits blurred along each axis. Element [x, y, z] is
    the sample x + 4, y + 4, z + 4; only the first 36 on each axis are of use.

    Every pass runs over the whole array as if it were a line, so what it sums at the ends of rows is nonsense, which
    is never read.
    """
    one, other = np.empty(_WIDE**3, np.int16), np.empty(_WIDE**3, np.int16)
    inside = one.reshape((_WIDE, _WIDE, _WIDE))
    for x in range(_WIDE):
        for y in range(_WIDE):
            row, values = rows[x, y], inside[x, y]
            for z in range(_WIDE):
                values[z] = row >> z & 1
    n = _WIDE**3
    for step in (1, _WIDE, _WIDE**2):
        n -= 4 * step
        _box(one, step, n, other)
        n -= 4 * step
        _box(other, step, n, one)
    return inside


@kernel
def _box(line, step, n, sums):
    """Write sums (n,) int16, of each element of line and the next four at distances of step."""
    second, third, fourth, fifth = line[step:], line[2 * step :], line[3 * step :], line[4 * step :]
    for i in range(n):
        sums[i] = line[i] + second[i] + third[i] + fourth[i] + fifth[i]


@kernel
def _thin(rows, x, y):
    """The bits of row [x, y] that differ from both their neighbours on some axis."""
    row = rows[x, y]
    return (
        ((row ^ rows[x - 1, y]) & (row ^ rows[x + 1, y]))
        | ((row ^ rows[x, y - 1]) & (row ^ rows[x, y + 1]))
        | ((row ^ row << 1) & (row ^ row >> 1))
    )


_BLOCK = 64


@kernel
def place_by_field(field, corners, n, points):
    """Move n points, (v, 4) int32, from their cell's lowest sample to the centroid of its edges' crossings, rounded
    to 2⁻¹² of a voxel; where corners (v,) uint8 is 0, to the cell's middle.

    field (36, 36, 36) float32 is negative inside. Blocks of 64 points go through every loop
    together, so that each loop is one of vectors.
    """
    values = np.zeros((8, _BLOCK), np.float32)
    sums = np.empty((3, _BLOCK), np.float32)
    counts, crossed, along = np.empty(_BLOCK, np.float32), np.empty(_BLOCK, np.float32), np.empty(_BLOCK, np.float32)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        for i in range(size):
            # The lowest sample is at its number plus a half.
            x = (points[start + i, 0] >> FRACTION_BITS) + BORDER
            y = (points[start + i, 1] >> FRACTION_BITS) + BORDER
            z = (points[start + i, 2] >> FRACTION_BITS) + BORDER
            for k in range(8):
                values[k, i] = field[x + CORNERS[k, 0], y + CORNERS[k, 1], z + CORNERS[k, 2]]
        sums[:] = 0
        counts[:] = 0
        for e in range(12):
            axis, corner = e // 4, EDGES[e, 0]
            _cross(values[corner], values[EDGES[e, 1]], crossed, along)
            _add(sums[axis], along)
            _add(counts, crossed)
            for other in range(3):
                if CORNERS[corner, other] == 1:
                    _add(sums[other], crossed)
        for axis in range(3):
            for i in range(size):
                fraction = np.int32(sums[axis, i] / counts[i] * np.float32(FRACTION_STEPS) + np.float32(0.5))
                points[start + i, axis] += fraction if corners[start + i] != 0 else FRACTION_STEPS // 2


@kernel
def _cross(low, high, crossed, along):
    """Of 64 edges with the values low and high at their ends, write 1 or 0, whether each is crossed, and where."""
    for i in range(_BLOCK):
        differ = (low[i] < 0) != (high[i] < 0)
        crossed[i] = np.float32(1) if differ else np.float32(0)
        along[i] = low[i] / (low[i] - high[i]) if differ else np.float32(0)


@kernel
def _add(sums, terms):
    for i in range(_BLOCK):
        sums[i] += terms[i]
