# SPDX-License-Identifier: GPL-3.0-or-later
"""Which voxels lie inside a mesh, by where the columns through their middles cross its triangles.

Corners lie on a grid of 2⁻¹² voxels, so that on which side of an edge a column passes is computed exactly. A column
that meets an edge or a corner is taken to pass beside it, a little further along both axes: each column through a
closed mesh enters as often as it leaves.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..kernels import kernel
from ..layout import CHUNK_SIZE
from ..limits import MAX_MESH_COLUMNS

_N = CHUNK_SIZE
GRID = 4096
"""Places of corners a voxel."""

_UNKNOWN, _WINDING, _PARITY = range(3)


class Columns(NamedTuple):
    """What the columns along one axis cross: those of column (u, v), in their order, are rows starts[u, v] to
    starts[u, v + 1] of levels, the first voxel whose middle lies behind, and of crossed, 1 + the triangle's number,
    negated where it winds the other way. kinds (nu, nv) says how a column tells inside from outside."""

    axis: int
    starts: NDArray[np.int64]
    levels: NDArray[np.int32]
    crossed: NDArray[np.int32]
    kinds: NDArray[np.int8]


def columns_along(axis: int, triangles: NDArray[np.float64], shape: tuple[int, int, int]) -> Columns:
    """What columns along axis cross of triangles (n, 3, 3) on the grid, in voxels from 0 to shape. Raises
    VoxelwrightError where that is too much."""
    nu, nv, nw = (shape[(axis + step) % 3] for step in (1, 2, 3))
    turned = np.ascontiguousarray(np.roll(triangles, -(axis + 1), axis=2))
    n_columns = float(np.prod(np.ceil(np.ptp(turned[:, :, :2], axis=1)) + 1, axis=1).sum())
    if n_columns > MAX_MESH_COLUMNS:
        raise VoxelwrightError(
            f"The mesh's faces lie over {n_columns:.0f} columns of voxels, all together; the limit is "
            f"{MAX_MESH_COLUMNS}. Make it smaller or simpler."
        )
    counts = np.zeros((nu, nv), np.int32)
    nothing = np.zeros((nu, 0), np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32)
    _cross(turned, nw, counts, *nothing)
    ends = np.cumsum(counts, dtype=np.int64)
    starts = np.empty((nu, nv + 1), np.int64)
    starts[:, 1:] = ends.reshape(nu, nv)
    starts[0, 0], starts[1:, 0] = 0, starts[:-1, -1]
    levels, crossed = np.empty(starts[-1, -1], np.int32), np.empty(starts[-1, -1], np.int32)
    counts[...] = 0
    _cross(turned, nw, counts, starts, levels, crossed)
    kinds = np.empty((nu, nv), np.int8)
    _order(starts, levels, crossed, kinds)
    return Columns(axis, starts, levels, crossed, kinds)


def add_votes(columns: Columns, corner: NDArray[np.int64], votes: NDArray[np.int8]) -> None:
    """Add 1 to votes (32, 32, 32) of the chunk whose lowest voxel is corner where the columns have a voxel inside, −1
    where outside."""
    _, starts, levels, crossed, kinds = columns
    _vote(columns.axis, starts, levels, crossed, kinds, corner, votes.reshape(-1))


def nearest_crossed(columns: Columns, corner: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    """(32, 32, 32) int32: for the voxels of a chunk in mask the triangle nearest along z, by columns along z; 0 where
    there is none."""
    nearest = np.zeros(mask.shape, np.int32)
    _nearest(columns.starts, columns.levels, columns.crossed, corner, mask, nearest)
    return nearest


@kernel
def _cross(triangles, n_levels, counts, starts, levels, crossed):
    """Add to counts (nu, nv) int32 how many of triangles (n, 3, 3) float64, as (u, v, w), each column crosses; and
    where crossed is not empty write the crossings."""
    writes = len(crossed) > 0
    nu, nv = counts.shape
    for n in range(len(triangles)):
        t = triangles[n]
        au, av, bu, bv, cu, cv = t[0, 0], t[0, 1], t[1, 0], t[1, 1], t[2, 0], t[2, 1]
        aw, bw, cw = t[0, 2], t[1, 2], t[2, 2]
        area = (bu - au) * (cv - av) - (bv - av) * (cu - au)
        if area == 0.0:
            continue
        sign = 1 if area > 0.0 else -1
        if area < 0.0:  # counter-clockwise
            bu, cu, bv, cv, bw, cw, area = cu, bu, cv, bv, cw, bw, -area
        for i in range(_first_after(min(au, bu, cu)), min(nu, _first_after(max(au, bu, cu)))):
            u = i + 0.5
            for j in range(_first_after(min(av, bv, cv)), min(nv, _first_after(max(av, bv, cv)))):
                v = j + 0.5
                to_c = (bu - au) * (v - av) - (bv - av) * (u - au)
                to_a = (cu - bu) * (v - bv) - (cv - bv) * (u - bu)
                to_b = (au - cu) * (v - cv) - (av - cv) * (u - cu)
                if not (
                    _is_left(to_c, bu - au, bv - av)
                    and _is_left(to_a, cu - bu, cv - bv)
                    and _is_left(to_b, au - cu, av - cv)
                ):
                    continue
                if writes:
                    w = aw + (to_b * (bw - aw) + to_c * (cw - aw)) / area
                    at = starts[i, j] + counts[i, j]
                    levels[at] = min(max(_first_after(w), 0), n_levels)
                    crossed[at] = sign * (n + 1)
                counts[i, j] += 1


@kernel
def _first_after(place):
    """The first voxel whose middle does not lie before a place."""
    return np.int64(np.ceil(place - 0.5))


@kernel
def _is_left(side, du, dv):
    """Whether a point lies left of an edge along (du, dv), by twice the area between them; if on it, a little later."""
    return side > 0.0 or (side == 0.0 and (dv < 0.0 or (dv == 0.0 and du > 0.0)))


@kernel
def _order(starts, levels, crossed, kinds):
    """Sort each column's crossings, and fill kinds. Where a column enters through as many faces as it leaves, but these
    wind otherwise, the mesh does not agree about its outside; then crossings are counted, however they wind."""
    agrees = True
    for u in range(kinds.shape[0]):
        for v in range(kinds.shape[1]):
            first, end = starts[u, v], starts[u, v + 1]
            sum_of_signs = 0
            for n in range(first, end):
                level, triangle = levels[n], crossed[n]
                sum_of_signs += 1 if triangle > 0 else -1
                to = n
                while to > first and levels[to - 1] > level:
                    levels[to], crossed[to] = levels[to - 1], crossed[to - 1]
                    to -= 1
                levels[to], crossed[to] = level, triangle
            if (end - first) % 2 == 1:
                kinds[u, v] = _UNKNOWN
            elif sum_of_signs == 0:
                kinds[u, v] = _WINDING
            else:
                kinds[u, v] = _PARITY
                agrees = False
    if not agrees:
        for u in range(kinds.shape[0]):
            for v in range(kinds.shape[1]):
                if kinds[u, v] == _WINDING:
                    kinds[u, v] = _PARITY


@kernel
def _vote(axis, starts, levels, crossed, kinds, corner, votes):
    """add_votes(), with votes (32768,)."""
    step = 1 if axis == 2 else (_N if axis == 1 else _N * _N)
    step_u = 1 if axis == 1 else (_N if axis == 0 else _N * _N)
    step_v = 1 if axis == 0 else (_N if axis == 2 else _N * _N)
    u0, v0, w0 = corner[(axis + 1) % 3], corner[(axis + 2) % 3], corner[axis]
    for i in range(_N):
        for j in range(_N):
            kind = kinds[u0 + i, v0 + j]
            if kind == _UNKNOWN:
                continue
            n, end = starts[u0 + i, v0 + j], starts[u0 + i, v0 + j + 1]
            winding = 0
            for k in range(_N):
                while n < end and levels[n] <= w0 + k:
                    winding += 1 if kind == _PARITY or crossed[n] > 0 else -1
                    n += 1
                is_inside = winding % 2 == 1 if kind == _PARITY else winding != 0
                votes[i * step_u + j * step_v + k * step] += 1 if is_inside else -1


@kernel
def _nearest(starts, levels, crossed, corner, mask, nearest):
    """nearest_crossed()."""
    for x in range(_N):
        for y in range(_N):
            first, end = starts[corner[0] + x, corner[1] + y], starts[corner[0] + x, corner[1] + y + 1]
            if first == end:
                continue
            n = first
            for z in range(_N):
                if mask[x, y, z]:
                    middle = corner[2] + z + 0.5
                    while n + 1 < end and abs(levels[n + 1] - middle) <= abs(levels[n] - middle):
                        n += 1
                    nearest[x, y, z] = abs(crossed[n]) - 1
