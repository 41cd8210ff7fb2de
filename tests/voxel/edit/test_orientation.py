# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning and mirroring, held to numpy's."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.voxel.edit.orientation import Orientation, of_turns, turn, turns_of
from voxelwright.voxel.edit.selection import box
from voxelwright.voxel.layout import CHUNK_SHAPE

MIRRORS = st.tuples(*[st.booleans()] * 3)
TURNS = st.tuples(*[st.integers(-4, 7)] * 3)
CELLS = st.tuples(*[st.integers(-70, 70)] * 3)
PLANES = {0: (1, 2), 1: (2, 0), 2: (0, 1)}


@given(MIRRORS, TURNS)
def test_as_numpy_mirrors_and_turns(mirrors, turns):
    voxels = np.random.default_rng(1).integers(0, 1000, CHUNK_SHAPE)
    expected = np.flip(voxels, tuple(np.flatnonzero(mirrors)))
    for axis in range(3):
        expected = np.rot90(expected, turns[axis], PLANES[axis])
    assert np.array_equal(of_turns(mirrors, turns).chunk(voxels), expected)


@given(MIRRORS, TURNS, CELLS, CELLS)
def test_places_and_points_go_where_the_voxels_go(mirrors, turns, one, other):
    orientation = of_turns(mirrors, turns)
    low, high = np.minimum(one, other).tolist(), np.maximum(one, other).tolist()
    assert orientation.box(low, high)[0] == tuple(np.minimum(orientation.place(low), orientation.place(high)))
    middle = orientation.matrix() @ (np.array(one) + 0.5)
    assert np.array_equal(middle, np.array(orientation.place(one)) + 0.5)
    inside = np.zeros(CHUNK_SHAPE, bool)
    inside[tuple(c % 32 for c in one)] = True
    (at,) = np.argwhere(orientation.chunk(inside)).tolist()
    chunk = orientation.place(tuple(c // 32 for c in one))
    assert tuple(a + 32 * c for a, c in zip(at, chunk, strict=True)) == orientation.place(one)


@given(CELLS, st.tuples(*[st.integers(0, 9)] * 3), st.integers(0, 2))
def test_a_box_turned_in_place_four_times_is_where_it_was(low, size, axis):
    box_low, box_size = low, size
    for _ in range(4):
        high = tuple(a + b for a, b in zip(box_low, box_size, strict=True))
        turned_low, turned_high = turn(axis).box(box_low, high)
        box_low = turn(axis).in_place(box_low, high)
        box_size = tuple(b - a for a, b in zip(turned_low, turned_high, strict=True))
        assert all(abs((2 * a + n) - (2 * b + m)) <= 1 for a, n, b, m in zip(box_low, box_size, low, size, strict=True))
    assert (box_low, box_size) == (low, size)


@given(MIRRORS, TURNS, MIRRORS, TURNS, CELLS)
def test_one_after_the_other(mirrors, turns, mirrors_after, turns_after, cell):
    one, other = of_turns(mirrors, turns), of_turns(mirrors_after, turns_after)
    assert one.then(other).place(cell) == other.place(one.place(cell))


def test_there_are_48_and_each_has_turns():
    every = {
        of_turns((mirrored, False, False), turns) for mirrored in (False, True) for turns in product(range(4), repeat=3)
    }
    assert len(every) == 48
    assert all(of_turns(*turns_of(orientation)) == orientation for orientation in every)
    assert turns_of(Orientation()) == ((False, False, False), (0, 0, 0))


@given(MIRRORS, TURNS, CELLS, st.tuples(*[st.integers(0, 40)] * 3))
def test_selections(cells_of, mirrors, turns, low, size):
    orientation = of_turns(mirrors, turns)
    high = tuple(a + b for a, b in zip(low, size, strict=True))
    made = box(low, high).oriented(orientation)
    assert made == box(*orientation.box(low, high))
    point = box(low, low) | box(high, high)
    assert cells_of(point.oriented(orientation)) == {orientation.place(low), orientation.place(high)}
