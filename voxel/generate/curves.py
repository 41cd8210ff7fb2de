# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth curves through points that never overshoot them: cubic pieces with the slopes of F. N. Fritsch and
J. Butland (1984), harmonic means of those on either side."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..kernels import kernel


def curve_rows(points: Sequence[tuple[float, float]]) -> list[tuple[float, float, float]]:
    """(value, result, slope) of each point. The values ascend."""
    if not points:
        return []
    secants = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
    slopes = [secants[0]]
    for before, after in pairwise(secants):
        # Where the curve turns, it is level.
        slopes.append(2.0 * before * after / (before + after) if before * after > 0.0 else 0.0)
    slopes.append(secants[-1])
    return [(x, y, slope) for (x, y), slope in zip(points, slopes, strict=True)]


@kernel
def on_curve(value, points):
    """The curve's result at a float32; points (n, 3) float32 are curve_rows(). Beyond its ends it is level."""
    last = len(points) - 1
    if value <= points[0, 0]:
        return points[0, 1]
    if value >= points[last, 0]:
        return points[last, 1]
    piece = 0
    while value > points[piece + 1, 0]:
        piece += 1
    width = points[piece + 1, 0] - points[piece, 0]
    t = (value - points[piece, 0]) / width
    rest = np.float32(1.0) - t
    two, one = np.float32(2.0), np.float32(1.0)
    return (
        points[piece, 1] * (one + two * t) * rest * rest
        + points[piece, 2] * width * t * rest * rest
        + points[piece + 1, 1] * t * t * (one + two * rest)
        - points[piece + 1, 2] * width * t * t * rest
    )
