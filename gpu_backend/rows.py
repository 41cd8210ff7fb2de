# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunk of which level of detail has which row among the quads."""

from ..voxel.world import Coord

Node = tuple[int, Coord]
"""A level, 0 for the world's own chunks, and a chunk of it."""


class Rows:
    """Rows 0, 1, …; those given back are taken again first."""

    def __init__(self) -> None:
        self._rows: dict[Node, int] = {}
        self._nodes: dict[int, Node] = {}  # the inverse
        self._free: list[int] = []

    def clear(self) -> None:
        """Free all."""
        self._rows.clear()
        self._nodes.clear()
        self._free.clear()

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, node: Node) -> bool:
        return node in self._rows

    def take(self, node: Node) -> int:
        """The chunk's row; a free one where it has none."""
        if node not in self._rows:
            row = self._free.pop() if self._free else len(self._rows)
            self._rows[node], self._nodes[row] = row, node
        return self._rows[node]

    def give_back(self, node: Node) -> int:
        """Free a chunk's row, and return it."""
        row = self._rows.pop(node)
        del self._nodes[row]
        self._free.append(row)
        return row

    def nodes(self) -> list[Node]:
        """All that have rows."""
        return list(self._rows)

    def node_of(self, row: int) -> Node | None:
        """Whose row it is."""
        return self._nodes.get(row)
