# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of Surface Nets: a cell's corners and edges, and where its vertex lies in a binary field.

Corner k of a cell lies at its lowest sample plus (k >> 1 & 1, k >> 2, k & 1): so the two bits of each of the four
rows along z lie side by side, and four shifts of rows make a cell's mask of corners.
"""

import numpy as np
from numpy.typing import NDArray

from ..layout import CHUNK_SIZE

BORDER = 2
SAMPLES = CHUNK_SIZE + 2 * BORDER
CELLS = SAMPLES - 1
"""A chunk is meshed with two samples of its neighbours on each side: a vertex of its outermost cell takes part in
quads that reach one cell further, and those count for its normal."""

FRACTION_BITS = 12
FRACTION_STEPS = 1 << FRACTION_BITS
"""Positions are whole multiples of 2⁻¹² of a voxel, and computed as such: sums and products of them are exact."""

CORNERS = np.array([(k >> 1 & 1, k >> 2, k & 1) for k in range(8)], np.int64)
"""(8, 3): a cell's corners as offsets from its lowest sample."""

_CORNER_BIT = (2, 4, 1)
EDGES = np.array([(k, k | bit) for bit in _CORNER_BIT for k in range(8) if not k & bit], np.int64)
"""(12, 2): a cell's edges as pairs of corners, lower first: four along x, four along y, four along z."""


def _crossing_centroids() -> NDArray[np.int32]:
    centroids = np.zeros((256, 4))
    centroids[:, :3] = 0.5
    for inside in range(1, 255):
        middles = [CORNERS[[a, b]].mean(axis=0) for a, b in EDGES if (inside >> a ^ inside >> b) & 1]
        centroids[inside, :3] = np.mean(middles, axis=0)
    return np.round(centroids * FRACTION_STEPS).astype(np.int32)


CENTROIDS = _crossing_centroids()
"""(256, 4) int32 by the bits of the corners inside: the centroid of the crossed edges' middles, in 2⁻¹² of a voxel
from the lowest sample, and 0. Rows 0 and 255 hold the cell's centre."""

NOWHERE = np.zeros((256, 4), np.int32)
"""The same for vertices that are not placed yet: the lowest sample."""
