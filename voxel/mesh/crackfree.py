# SPDX-License-Identifier: GPL-3.0-or-later
"""Greedy quads as polygons without T-junctions.

Where a corner of one quad lies on another's edge, rasterisers leave pixels open and modifiers take the edge for a
boundary. Here each quad becomes one polygon that has every such point among its corners; it stays flat and convex, and
the number of faces stays that of the quads.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..kernels import kernel
from .arrays import BlockyMesh
from .numbering import number_keys

_AXIS_BITS = 21
_MAX_SPAN = 1 << _AXIS_BITS


@dataclass(frozen=True)
class Polygons:
    """Polygon i takes the place of quad i: corners[offsets[i] : offsets[i + 1]], counter-clockwise from outside.

    offsets (q + 1,) int64. corners (c, 3) int32, lattice points in voxel space; the quad's own first corner is the
    polygon's first.
    """

    offsets: NDArray[np.int64]
    corners: NDArray[np.int32]


def crack_free(mesh: BlockyMesh, extra: NDArray[np.int32] | None = None) -> Polygons:
    """The quads of mesh, each with all corners of other quads that lie on its edges, and those of extra.

    extra (k, 3) int32: lattice points at which something else meets the blocks, such as the vertices of a smooth mesh.
    Raises VoxelwrightError where the mesh is too large.
    """
    quads = mesh.corners()
    points = quads.reshape(-1, 3)
    if extra is not None:
        points = np.concatenate([points, extra])
    if len(points) == 0:
        return Polygons(np.zeros(1, np.int64), np.empty((0, 3), np.int32))
    low = points.min(axis=0).astype(np.int64)
    if (points.max(axis=0) - low >= _MAX_SPAN).any():
        raise VoxelwrightError(f"Only worlds up to {_MAX_SPAN} voxels across can be made crack-free; bake parts of it.")
    keys = (points - low) @ (np.int64(1) << _AXIS_BITS * np.arange(3, dtype=np.int64))
    first, _ = number_keys(keys)
    table = np.full(1 << int(2 * len(first)).bit_length(), -1, np.int64)
    _fill(keys[first], table)
    offsets = np.zeros(len(quads) + 1, np.int64)
    _insert(quads, low, table, offsets, np.empty((0, 3), np.int32))
    np.cumsum(offsets, out=offsets)
    corners = np.empty((offsets[-1], 3), np.int32)
    _insert(quads, low, table, offsets, corners)
    return Polygons(offsets, corners)


@kernel
def _fill(keys, table):
    """Put keys (n,) int64 into an empty table (a power of two, more than n) int64, −1 where nothing is."""
    for key in keys:
        table[_slot(table, key)] = key


@kernel
def _slot(table, key):
    """Where key is, or the empty place where it belongs."""
    mixed = key * -7046029254386353131  # 2⁶⁴ divided by the golden ratio: Knuth's multiplicative hashing
    slot = (mixed ^ mixed >> 32) & (len(table) - 1)
    while table[slot] != -1 and table[slot] != key:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@kernel
def _insert(quads, low, table, offsets, corners):
    """Write the corners of each polygon from corners[offsets[i]] on; or, where corners is empty, how many they are to
    offsets[i + 1]. quads (q, 4, 3) int32."""
    counting = len(corners) == 0
    step, point = np.empty(3, np.int64), np.empty(3, np.int64)
    for i in range(len(quads)):
        n = 0
        for k in range(4):
            length = 0
            for axis in range(3):
                point[axis] = quads[i, k, axis]
                step[axis] = quads[i, (k + 1) % 4, axis] - point[axis]
                length += abs(step[axis])
            for axis in range(3):
                step[axis] = np.sign(step[axis])
            for t in range(length):
                key = np.int64(0)
                for axis in range(3):
                    key |= (point[axis] - low[axis]) << _AXIS_BITS * axis
                if t == 0 or table[_slot(table, key)] == key:
                    if not counting:
                        corners[offsets[i] + n] = point
                    n += 1
                point += step
        if counting:
            offsets[i + 1] = n
