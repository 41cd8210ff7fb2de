# SPDX-License-Identifier: GPL-3.0-or-later
"""Topings on smooth tops: moved onto the surface that Surface Nets make of them, and sheared to its slope."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..layout import CHUNK_SIZE
from ..mesh.arrays import SmoothMesh
from .records import Topings

MAX_SLOPE = 1.5
"""What stands on steeper ground is sheared no further."""


def follow_surface(topings: Topings, smooth: SmoothMesh) -> Topings:
    """The same with those on smooth tops in the middle of the quad that covers the top. smooth must be the mesh of
    these chunks at least; without smooth voxels nothing changes."""
    cells, quads = _top_quads(smooth)
    if not len(quads) or not len(topings.instances):
        return topings
    corners = topings.coords[topings.chunk_of_instance].astype(np.int64) * CHUNK_SIZE
    voxels = np.floor(topings.instances["position"]).astype(np.int64) + corners - (0, 0, 1)
    low = np.minimum(voxels.min(axis=0), cells.min(axis=0))
    size = np.maximum(voxels.max(axis=0), cells.max(axis=0)) - low + 1
    keys, wanted = np.ravel_multi_index((cells - low).T, size), np.ravel_multi_index((voxels - low).T, size)
    order = np.argsort(keys)
    at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    smooth_ones = np.flatnonzero(keys[at] == wanted)
    points = smooth.world_positions()[smooth.quads[quads[at[smooth_ones]]]]
    instances, slopes = topings.instances.copy(), topings.slopes.copy()
    instances["position"][smooth_ones] = points.mean(axis=1) - corners[smooth_ones]
    normals = np.cross(points[:, 2] - points[:, 0], points[:, 3] - points[:, 1])
    up = np.maximum(normals[:, 2:], 1e-6)
    slopes[smooth_ones] = np.clip(-normals[:, :2] / up, -MAX_SLOPE, MAX_SLOPE)
    return replace(topings, instances=instances, slopes=slopes)


def _top_quads(smooth: SmoothMesh) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The voxels (q, 3) whose tops smooth quads cover, and the numbers (q,) of these quads."""
    # A vertex lies strictly within its cell, the cube between the centres of 8 voxels; the four cells about the edge
    # from a voxel to that above it differ in x and y alone.
    cells = np.floor(smooth.world_positions() - 0.5).astype(np.int64)[smooth.quads]
    level = (cells[:, :, 2] == cells[:, :1, 2]).all(axis=1)
    # From outside, counter-clockwise: seen from above, the second corner lies to the left of the way to the third.
    first, second = cells[:, 1, :2] - cells[:, 0, :2], cells[:, 2, :2] - cells[:, 0, :2]
    upward = level & (first[:, 0] * second[:, 1] > first[:, 1] * second[:, 0])
    return cells[upward].max(axis=1), np.flatnonzero(upward)
