# SPDX-License-Identifier: GPL-3.0-or-later
"""The 48 ways to turn voxels by quarters and mirror them."""

from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..world import Coord

Voxel = TypeVar("Voxel", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Orientation:
    """Each axis takes the old one that axes says, backwards where flips says so. The middle is the grid's origin: about
    a grid point chunks stay chunks."""

    axes: Coord = (0, 1, 2)
    flips: tuple[bool, bool, bool] = (False, False, False)

    def then(self, other: "Orientation") -> "Orientation":
        """This one, and other after it."""
        x, y, z = other.axes
        a, b, c = (self.flips[axis] != flip for axis, flip in zip(other.axes, other.flips, strict=True))
        return Orientation((self.axes[x], self.axes[y], self.axes[z]), (a, b, c))

    def place(self, coord: Coord) -> Coord:
        """Where a voxel goes, or a chunk."""
        x, y, z = (-1 - coord[axis] if flip else coord[axis] for axis, flip in zip(self.axes, self.flips, strict=True))
        return x, y, z

    def box(self, low: Coord, high: Coord) -> tuple[Coord, Coord]:
        """Where the box from voxel low to voxel high (inclusive) goes."""
        ends = self.place(low), self.place(high)
        (x, y, z), (u, v, w) = np.min(ends, axis=0).tolist(), np.max(ends, axis=0).tolist()
        return (x, y, z), (u, v, w)

    def in_place(self, low: Coord, high: Coord) -> Coord:
        """Where the lowest voxel of the box from low to high (inclusive) goes that is turned about its own middle; half
        voxels are cut off, so that turning back brings it back."""
        turned_low, turned_high = self.box(low, high)
        x, y, z = (
            a + int(((b - a) - (d - c)) / 2) for a, b, c, d in zip(low, high, turned_low, turned_high, strict=True)
        )
        return x, y, z

    def chunk(self, voxels: NDArray[Voxel]) -> NDArray[Voxel]:
        """A view of a chunk's array (32, 32, 32), as it is at its new place."""
        return np.flip(voxels.transpose(self.axes), tuple(np.flatnonzero(self.flips)))

    @property
    def mirrored(self) -> bool:
        """Whether left hands become right ones, as no turn makes them."""
        return bool(np.linalg.det(self.matrix()) < 0)

    def matrix(self) -> NDArray[np.float64]:
        """(3, 3) float64: where points go."""
        return np.eye(3)[list(self.axes)] * np.where(self.flips, -1.0, 1.0)[:, None]


def mirror(axis: int) -> Orientation:
    """The mirror image along an axis."""
    return Orientation(flips=(axis == 0, axis == 1, axis == 2))


def turn(axis: int, quarters: int = 1) -> Orientation:
    """Quarter turns about an axis, from the axis after it towards the third (about z: from x towards y)."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    axes, flips = [0, 1, 2], [False, False, False]
    axes[first], axes[second], flips[first] = second, first, True
    quarter = Orientation((axes[0], axes[1], axes[2]), (flips[0], flips[1], flips[2]))
    return reduce(Orientation.then, [quarter] * (quarters % 4), Orientation())


def of_turns(mirrors: tuple[bool, bool, bool], turns: Coord) -> Orientation:
    """Mirrored along some axes, and then turned by quarters about x, about y and about z."""
    steps = [mirror(axis) for axis in range(3) if mirrors[axis]]
    return reduce(Orientation.then, [*steps, *(turn(axis, turns[axis]) for axis in range(3))], Orientation())


def turns_of(orientation: Orientation) -> tuple[tuple[bool, bool, bool], Coord]:
    """What of_turns() makes it of, mirrored along x or not at all."""
    mirrors = (orientation.mirrored, False, False)
    every = product(range(4), range(4), range(4))
    return mirrors, next(turns for turns in every if of_turns(mirrors, turns) == orientation)
