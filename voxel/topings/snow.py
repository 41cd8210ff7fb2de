# SPDX-License-Identifier: GPL-3.0-or-later
"""Snow caps: a layer with soft rims that hangs a little over open edges."""

import numpy as np
from numpy.typing import NDArray

from .records import TopingMesh
from .shape import Random, Shape, open_edges

_SNOW = 6
_DEPTH = 0.16
_RIM = 0.24
"""How far from an open edge the layer has its whole depth."""

_OVERHANG, _LIP = 0.035, 0.07
"""How far snow hangs out over an edge, and down."""

_STATIONS = np.array([-0.5, -0.44, -0.34, -0.2, 0.2, 0.34, 0.44, 0.5])
_LAST = len(_STATIONS) - 1


def snow(variant: int, alternate: int) -> TopingMesh:
    shape = Shape()
    if open_edges(variant):
        stations, points = _STATIONS, _surface(variant, alternate)
    else:
        stations = _STATIONS[[0, -1]]
        points = np.stack([*np.meshgrid(stations, stations, indexing="ij"), np.full((2, 2), _DEPTH)], axis=-1)
    n = len(stations)
    triangles = []
    for i, j in np.ndindex(n - 1, n - 1):
        a, b, c, d = i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1
        # Along the diagonal that leads to the nearest corner, so that corners are round on all four sides.
        turned = (stations[i] + stations[i + 1]) * (stations[j] + stations[j + 1]) < 0
        triangles += [(a, b, d), (b, c, d)] if turned else [(a, b, c), (a, c, d)]
    uvs = [
        (0.4 * min(max(x + 0.5, 0), 1), 0.4 + 0.6 * max(z, 0) / _DEPTH) for x, _, z in points.reshape(-1, 3).tolist()
    ]
    shape.add(points.reshape(-1, 3).tolist(), triangles, uvs)
    for edge in range(4):
        row = _row(points, edge)
        # From outside to the right.
        row = row if edge in (0, 3) else row[::-1]
        if variant >> edge & 1:
            _cap(shape, row)
        else:
            _underside(shape, row)
    return shape.mesh()


def _surface(variant: int, alternate: int) -> NDArray[np.float64]:
    """(8, 8, 3): the layer's upper side by stations along x and y."""
    points = np.empty((_LAST + 1, _LAST + 1, 3))
    points[..., 0], points[..., 1] = np.meshgrid(_STATIONS, _STATIONS, indexing="ij")
    opened = open_edges(variant)
    ramps = [_ramp(_STATIONS, 1 in opened, 0 in opened), _ramp(_STATIONS, 3 in opened, 2 in opened)]
    points[..., 2] = _DEPTH * ramps[0][:, None] * ramps[1][None, :]
    for edge in opened:
        random = Random(_SNOW, alternate, edge)
        row, axis, sign = _row(points, edge), edge // 2, 1 - 2 * (edge % 2)
        row[:, axis] += sign * _OVERHANG
        # Neighbours meet at the ends, which therefore are not random.
        row[:, 2] = -_LIP
        row[1:-1, 2] *= [random.between(0.4, 1.9) for _ in range(_LAST - 1)]
    return points


def _ramp(places: NDArray[np.float64], low: bool, high: bool) -> NDArray[np.float64]:
    """The share of the depth at places along an axis, a quarter of a circle at those of its ends that are open."""
    distance = np.full(len(places), np.inf)
    if low:
        distance = np.minimum(distance, places + 0.5)
    if high:
        distance = np.minimum(distance, 0.5 - places)
    return np.sqrt(1 - np.clip(1 - distance / _RIM, 0, 1) ** 2)


def _row(points: NDArray[np.float64], edge: int) -> NDArray[np.float64]:
    """(n, 3): a view of the points along an edge, by the other axis ascending."""
    at = -1 if edge % 2 == 0 else 0
    return points[at] if edge < 2 else points[:, at]


def _cap(shape: Shape, row: NDArray[np.float64]) -> None:
    """The wall below a connected edge: beyond it may be another kind, or a strip may end."""
    ring = [_foot(row[0]), *row.tolist(), _foot(row[-1])]
    middle = [*(row[0, :2] + row[-1, :2]) / 2, 0.0]
    triangles = [(len(ring), k + 1, k) for k in range(len(ring) - 1)]
    shape.add([*ring, middle], triangles, [(0.2, 0.4)] * (len(ring) + 1))


def _foot(end: NDArray[np.float64]) -> list[float]:
    """Where the end of a row stands on the voxel, or touches its side."""
    return [*np.clip(end[:2], -0.5, 0.5).tolist(), min(float(end[2]), 0.0)]


def _underside(shape: Shape, row: NDArray[np.float64]) -> None:
    """From the lip back to the side of the voxel."""
    inner = np.clip(row, -0.5, 0.5)
    shape.strip([inner.tolist(), row.tolist()], [(0.2, 0.3)] * (2 * len(row)))
