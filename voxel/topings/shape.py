# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of topings put together of patches, and the random numbers that they are made by."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .records import TOPING_VERTEX, UNORM, TopingMesh

_MASK = 0xFFFFFFFF
_NO_AREA = 1e-7

EDGES = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""The directions of a top's four edges, in the order of the variants' bits."""


def open_edges(variant: int) -> list[int]:
    """The edges beyond which a top is not connected."""
    return [edge for edge in range(4) if not variant >> edge & 1]


class Random:
    """Numbers by an integer hash of a key and a counter: the same on every machine and in every version."""

    def __init__(self, *key: int) -> None:
        self._state = 0x9E3779B9
        for number in key:
            self._state = _mixed(self._state ^ number + 1)

    def between(self, low: float, high: float) -> float:
        self._state = self._state + 0x9E3779B9 & _MASK
        return low + (high - low) * (_mixed(self._state) >> 8) / (1 << 24)

    def whole(self, low: int, high: int) -> int:
        """From low to high, both included."""
        return low + math.floor(self.between(0, high - low + 1))


def _mixed(bits: int) -> int:
    bits = (bits ^ bits >> 16) * 0x7FEB352D & _MASK
    bits = (bits ^ bits >> 15) * 0x846CA68B & _MASK
    return bits ^ bits >> 16


def along_edge(edge: int, out: float, along: float, z: float = 0.0) -> tuple[float, float, float]:
    """A point by how far it is from the middle of the top towards an edge, and along it, to the left seen from
    inside."""
    x, y = EDGES[edge]
    return (out * x - along * y, out * y + along * x, z)


Point = Sequence[float]


class Shape:
    """A mesh in the making."""

    def __init__(self) -> None:
        self._points: list[Point] = []
        self._uvs: list[Point] = []
        self._bends: list[float] = []
        self._lifts: list[float] = []
        self._triangles: list[tuple[int, ...]] = []

    def add(
        self,
        points: Sequence[Point],
        triangles: Sequence[tuple[int, int, int]],
        uvs: Sequence[Point],
        bends: Sequence[float] | None = None,
        *,
        flat: bool = False,
        lift: float = 0.0,
    ) -> None:
        """A patch of points with uvs, 0 to 1, and bends, by default 0. Normals are smooth within it, or flat; lift
        turns them up, from 0 to 1. Triangles without an area are left out."""
        kept = [k for corners in triangles for k in corners] if flat else range(len(points))
        first = len(self._points)
        self._points += [points[k] for k in kept]
        self._uvs += [uvs[k] for k in kept]
        self._bends += [bends[k] if bends is not None else 0.0 for k in kept]
        self._lifts += [lift] * len(kept)
        if flat:
            triangles = [(k, k + 1, k + 2) for k in range(0, len(kept), 3)]
        self._triangles += [(first + a, first + b, first + c) for a, b, c in triangles]

    def strip(self, rows: Sequence[Sequence[Point]], uvs: Sequence[Point]) -> None:
        """Quads between rows of equally many points, flat; from outside each row goes to the right and the next one
        lies above it. uvs are those of all rows, one after the other."""
        n = len(rows[0])
        quads = [(a, a + 1, a + n + 1, a + n) for row in range(len(rows) - 1) for a in range(row * n, row * n + n - 1)]
        triangles = [corners for a, b, c, d in quads for corners in ((a, b, c), (a, c, d))]
        self.add([point for row in rows for point in row], triangles, uvs, flat=True)

    def mesh(self) -> TopingMesh:
        points = np.array(self._points, np.float64).reshape(-1, 3)
        corners = np.array(self._triangles, np.int64).reshape(-1, 3)
        a, b, c = (points[corners[:, k]] for k in range(3))
        areas = np.cross(b - a, c - a)
        wide = np.linalg.norm(areas, axis=1) > _NO_AREA
        sums = np.zeros_like(points)
        for k in range(3):
            np.add.at(sums, corners[wide, k], areas[wide])
        lifts = np.array(self._lifts)[:, None]
        vertices = np.zeros(len(points), TOPING_VERTEX)
        vertices["position"] = points
        vertices["bend"] = self._bends
        vertices["normal"] = _unit(_unit(sums) * (1 - lifts) + lifts * (0.0, 0.0, 1.0))
        vertices["uv"] = np.rint(np.array(self._uvs).reshape(-1, 2) * UNORM)
        used, triangles = np.unique(corners[wide], return_inverse=True)
        return TopingMesh(vertices[used], triangles.reshape(-1, 3).astype(np.uint32))


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(lengths > 0, vectors / np.maximum(lengths, 1e-30), (0.0, 0.0, 1.0))
