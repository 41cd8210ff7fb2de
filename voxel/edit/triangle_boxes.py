# SPDX-License-Identifier: GPL-3.0-or-later
"""Which voxels a triangle meets, and which triangle is the nearest to a voxel."""

import numpy as np

from ..kernels import kernel
from ..layout import CHUNK_SIZE

_N = CHUNK_SIZE
_BLOCK = 8
REACH = 1.0
"""How far from a voxel's middle the nearest triangle is looked for: no neighbour's middle lies farther away."""

_CORNER_SQUARE = 0.76
"""A little more than the squared distance of a voxel's corners from its middle."""


@kernel
def chunks_met(triangles, shape, starts, chosen):
    """Add to starts (n_chunks + 1,) int64, at 1 + the number of a chunk (cx, cy, cz) of shape (nx, ny, nz) chunks, how
    many of triangles (n, 3, 3) float64, in voxels, come near to its voxels. Where chosen is not empty write their
    numbers there, from where starts says on, which is advanced."""
    writes = len(chosen) > 0
    half = _N / 2 + REACH
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    for n in range(len(triangles)):
        _bounds(triangles[n], 1.0 / _N, REACH / _N, shape, low, high)
        alone = low[0] + 1 == high[0] and low[1] + 1 == high[1] and low[2] + 1 == high[2]
        for x in range(low[0], high[0]):
            for y in range(low[1], high[1]):
                for z in range(low[2], high[2]):
                    if alone or overlaps(triangles[n], (x + 0.5) * _N, (y + 0.5) * _N, (z + 0.5) * _N, half):
                        chunk = (x * shape[1] + y) * shape[2] + z
                        if writes:
                            chosen[starts[chunk]] = n
                            starts[chunk] += 1
                        else:
                            starts[chunk + 1] += 1


@kernel
def go_near(triangles, behind, chosen, corner, adds, mask, squares, nearest):
    """For the chosen (k,) of triangles (n, 3, 3) float64 and the voxels of a chunk from corner (3,) int64 on, all in
    voxels: lower squares (32, 32, 32) float32 to the squared distance of the voxel's middle, and write the triangle's
    number to nearest (32, 32, 32) int32. Of voxels in mask (32, 32, 32) bool; adds says that those are added to it
    which a triangle of behind (n, 3, 3) meets."""
    edge = np.array([_N, _N, _N], np.int64)
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    moved, moved_behind = np.empty((3, 3)), np.empty((3, 3))
    half = _BLOCK / 2 + REACH
    for n in chosen:
        for i in range(3):
            for axis in range(3):
                moved[i, axis] = triangles[n, i, axis] - corner[axis]
                moved_behind[i, axis] = behind[n, i, axis] - corner[axis]
        _bounds(moved, 1.0, REACH, edge, low, high)
        for bx in range(low[0] // _BLOCK * _BLOCK, high[0], _BLOCK):
            for by in range(low[1] // _BLOCK * _BLOCK, high[1], _BLOCK):
                for bz in range(low[2] // _BLOCK * _BLOCK, high[2], _BLOCK):
                    middle = _BLOCK / 2
                    if not overlaps(moved, bx + middle, by + middle, bz + middle, half):
                        continue
                    for x in range(max(bx, low[0]), min(bx + _BLOCK, high[0])):
                        for y in range(max(by, low[1]), min(by + _BLOCK, high[1])):
                            for z in range(max(bz, low[2]), min(bz + _BLOCK, high[2])):
                                if not (mask[x, y, z] or adds):
                                    continue
                                square = square_to(moved, x + 0.5, y + 0.5, z + 0.5)
                                if adds and not mask[x, y, z] and square < _CORNER_SQUARE:
                                    mask[x, y, z] = overlaps(moved_behind, x + 0.5, y + 0.5, z + 0.5, 0.5)
                                if square < squares[x, y, z]:
                                    squares[x, y, z] = square
                                    nearest[x, y, z] = n


@kernel
def _bounds(triangle, scale, reach, shape, low, high):
    """Fill low and high (3,) int64 with the cells from 0 to shape that a triangle (3, 3), scaled, may come near to."""
    for axis in range(3):
        a, b, c = triangle[0, axis] * scale, triangle[1, axis] * scale, triangle[2, axis] * scale
        low[axis] = max(0, np.int64(np.floor(min(a, b, c) - reach)))
        high[axis] = min(shape[axis], np.int64(np.floor(max(a, b, c) + reach)) + 1)


@kernel
def overlaps(triangle, x, y, z, half):
    """Whether a triangle (3, 3) float64 reaches into the cube about (x, y, z), half wide to each side; to touch it from
    without is not enough. By separating axes (T. Akenine-Möller 2001)."""
    ax, ay, az = triangle[0, 0] - x, triangle[0, 1] - y, triangle[0, 2] - z
    bx, by, bz = triangle[1, 0] - x, triangle[1, 1] - y, triangle[1, 2] - z
    cx, cy, cz = triangle[2, 0] - x, triangle[2, 1] - y, triangle[2, 2] - z
    if min(ax, bx, cx) >= half or max(ax, bx, cx) <= -half:
        return False
    if min(ay, by, cy) >= half or max(ay, by, cy) <= -half:
        return False
    if min(az, bz, cz) >= half or max(az, bz, cz) <= -half:
        return False
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - bx, cy - by, cz - bz
    wx, wy, wz = ax - cx, ay - cy, az - cz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    reach = half * (abs(nx) + abs(ny) + abs(nz))
    if reach > 0.0 and abs(nx * ax + ny * ay + nz * az) >= reach:
        return False
    # Each edge across each axis; of the three corners two lie on the edge, and are projected to one place.
    return not (
        _is_between(0.0, -uz, uy, ax, ay, az, cx, cy, cz, half)
        or _is_between(uz, 0.0, -ux, ax, ay, az, cx, cy, cz, half)
        or _is_between(-uy, ux, 0.0, ax, ay, az, cx, cy, cz, half)
        or _is_between(0.0, -vz, vy, bx, by, bz, ax, ay, az, half)
        or _is_between(vz, 0.0, -vx, bx, by, bz, ax, ay, az, half)
        or _is_between(-vy, vx, 0.0, bx, by, bz, ax, ay, az, half)
        or _is_between(0.0, -wz, wy, cx, cy, cz, bx, by, bz, half)
        or _is_between(wz, 0.0, -wx, cx, cy, cz, bx, by, bz, half)
        or _is_between(-wy, wx, 0.0, cx, cy, cz, bx, by, bz, half)
    )


@kernel
def _is_between(nx, ny, nz, px, py, pz, qx, qy, qz, half):
    """Whether a plane across (nx, ny, nz) lies between a cube about the origin and two points."""
    p, q = nx * px + ny * py + nz * pz, nx * qx + ny * qy + nz * qz
    reach = half * (abs(nx) + abs(ny) + abs(nz))
    return reach > 0.0 and (min(p, q) >= reach or max(p, q) <= -reach)


@kernel
def square_to(triangle, x, y, z):
    """The squared distance of a point from a triangle (3, 3) float64 (C. Ericson 2005, Real-Time Collision
    Detection)."""
    ax, ay, az = triangle[0, 0], triangle[0, 1], triangle[0, 2]
    ux, uy, uz = triangle[1, 0] - ax, triangle[1, 1] - ay, triangle[1, 2] - az
    vx, vy, vz = triangle[2, 0] - ax, triangle[2, 1] - ay, triangle[2, 2] - az
    px, py, pz = x - ax, y - ay, z - az
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    pu, pv = px * ux + py * uy + pz * uz, px * vx + py * vy + pz * vz
    area = uu * vv - uv * uv
    s, t = pu * vv - pv * uv, pv * uu - pu * uv
    if area > 0.0 and s >= 0.0 and t >= 0.0 and s + t <= area:
        s, t = s / area, t / area
        return _square(px - s * ux - t * vx, py - s * uy - t * vy, pz - s * uz - t * vz)
    # Outside its prism, or a triangle that is a line: one of the edges is the nearest.
    to_u = min(max(pu / uu if uu > 0.0 else 0.0, 0.0), 1.0)
    to_v = min(max(pv / vv if vv > 0.0 else 0.0, 0.0), 1.0)
    ww = uu - 2 * uv + vv
    to_w = min(max((pv - pu + uu - uv) / ww if ww > 0.0 else 0.0, 0.0), 1.0)
    wx, wy, wz = px - ux - to_w * (vx - ux), py - uy - to_w * (vy - uy), pz - uz - to_w * (vz - uz)
    return min(
        _square(px - to_u * ux, py - to_u * uy, pz - to_u * uz),
        _square(px - to_v * vx, py - to_v * vy, pz - to_v * vz),
        _square(wx, wy, wz),
    )


@kernel
def _square(x, y, z):
    return x * x + y * y + z * z
