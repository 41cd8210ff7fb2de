# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunk has which row of a table, in a tree that rays skip empty space by.

Each node has 4³ children: nodes, or rows of chunks on the lowest level. An empty child of a node n levels up is 4ⁿ
chunks wide, so a ray passes it in one step, and chunks may lie anywhere: two at opposite ends of what a world may reach
take some twenty nodes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel
from ..world import Coord

_BITS = 2
"""Bits of a coordinate that choose a node's child."""

_N_CHILDREN = 1 << 3 * _BITS
_X_SHIFT, _Y_SHIFT = 2 * _BITS, _BITS
_CHILD = (1 << _BITS) - 1

NOTHING = -1

ROOT, LEVELS = 3, 4
"""What place holds beside the lowest chunk's coordinates."""


class ChunkTree:
    """Rows from 0 by chunk coordinates. Rows of removed chunks are given out again; nodes are kept.

    children (n, 64) int32: by node and child, NOTHING, another node, or on the lowest level a row; 256 bytes a node, of
    which a world of adjoining chunks has one for each 64 of them. place (5,) int64: the lowest chunk of the tree's box,
    the root's number, and its levels: the box is 4 ** levels chunks wide.
    """

    def __init__(self) -> None:
        self.children = np.full((1, _N_CHILDREN), NOTHING, np.int32)
        self.place = np.array([0, 0, 0, 0, 1], np.int64)
        self.rows: dict[Coord, int] = {}
        self._n_nodes = 0
        self._free_rows: list[int] = []

    def add(self, coord: Coord) -> int:
        """The row of a chunk, a new one if it has none."""
        row = self.rows.get(coord)
        if row is not None:
            return row
        row = self._free_rows.pop() if self._free_rows else len(self.rows)
        self.rows[coord] = row
        self._grow_to(coord)
        node, child = self._lowest(coord)
        self.children[node, child] = row
        return row

    def remove(self, coord: Coord) -> int | None:
        """Take a chunk's row from it and return the row; None if it has none."""
        row = self.rows.pop(coord, None)
        if row is not None:
            node, child = self._lowest(coord)
            self.children[node, child] = NOTHING
            self._free_rows.append(row)
        return row

    def _grow_to(self, coord: Coord) -> None:
        """Put nodes above the root until its box has the chunk."""
        if self._n_nodes == 0:
            self.place[:ROOT] = coord
            self._n_nodes = 1
        while True:
            *low, root, levels = self.place.tolist()
            size = 1 << _BITS * levels
            if all(0 <= c - first < size for c, first in zip(coord, low, strict=True)):
                return
            # The old root becomes the last child on the axes along which the box has to grow downwards.
            last = [_CHILD * (c < first) for c, first in zip(coord, low, strict=True)]
            node = self._new_node()
            self.children[node, last[0] << _X_SHIFT | last[1] << _Y_SHIFT | last[2]] = root
            self.place[:] = *(first - k * size for first, k in zip(low, last, strict=True)), node, levels + 1

    def _lowest(self, coord: Coord) -> tuple[int, int]:
        """The node of the lowest level and its child that are the chunk's, with those above made where missing."""
        *low, node, levels = self.place.tolist()
        x, y, z = (c - first for c, first in zip(coord, low, strict=True))
        shift = _BITS * (levels - 1)
        while True:
            child = (x >> shift & _CHILD) << _X_SHIFT | (y >> shift & _CHILD) << _Y_SHIFT | (z >> shift & _CHILD)
            if shift == 0:
                return node, child
            below = int(self.children[node, child])
            if below == NOTHING:
                below = self._new_node()
                self.children[node, child] = below
            node, shift = below, shift - _BITS

    def _new_node(self) -> int:
        node = self._n_nodes
        self._n_nodes += 1
        if node == len(self.children):
            self.children = with_room(self.children, node + 1, NOTHING)
        return node


def with_room(table: NDArray[Any], n: int, fill: int = 0) -> NDArray[Any]:
    """The table, or a copy of twice its length with fill at its end, so that it has n rows at least."""
    if n <= len(table):
        return table
    grown = np.full((max(n, 2 * len(table)), *table.shape[1:]), fill, table.dtype)
    grown[: len(table)] = table
    return grown


@kernel
def find_chunk(children, place, x, y, z):
    """(row, shift): the row of chunk (x, y, z), or NOTHING and how wide the empty space about it is, as the exponent of
    a power of two chunks, aligned to the lowest chunk of place. Beyond the tree's box it is one chunk wide."""
    x, y, z = x - place[0], y - place[1], z - place[2]
    shift = _BITS * (place[LEVELS] - 1)
    if (x | y | z) >> shift + _BITS != 0:
        return np.int64(NOTHING), np.int64(0)
    node = place[ROOT]
    while True:
        child = (x >> shift & _CHILD) << _X_SHIFT | (y >> shift & _CHILD) << _Y_SHIFT | (z >> shift & _CHILD)
        below = np.int64(children[node, child])
        if below == NOTHING or shift == 0:
            return below, shift
        node, shift = below, shift - _BITS
