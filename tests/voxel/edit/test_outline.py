# SPDX-License-Identifier: GPL-3.0-or-later
"""The edges of selections, held to numpy's count of the four voxels about each."""

from functools import reduce
from itertools import product
from operator import or_

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.edit.outline import box_edges, faces, outline
from voxelwright.voxel.edit.selection import Selection, box
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.limits import MAX_OUTLINE_SEGMENTS

LOW, SIZE = -34, 100


def unit_edges(segments):
    """The edges of one voxel's length that segments consist of, each as (lower end, axis); none twice."""
    edges = []
    for start, end in segments.tolist():
        (axis,) = [axis for axis in range(3) if start[axis] != end[axis]]
        assert start[axis] < end[axis]
        for place in range(int(start[axis]), int(end[axis])):
            edges.append((*[place if a == axis else int(start[a]) for a in range(3)], axis))
    assert len(edges) == len(set(edges))
    return set(edges)


def expected_edges(selection):
    """The same, from all voxels between LOW and LOW + SIZE."""
    there = np.zeros((SIZE,) * 3, bool)
    for coord in selection.coords():
        low = [32 * c - LOW for c in coord]
        there[tuple(slice(a, a + 32) for a in low)] = np.broadcast_to(selection.mask(coord), CHUNK_SHAPE)
    edges = set()
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        a, b, c, d = (np.roll(there, shift, others) for shift in product((0, 1), repeat=2))
        count = a.astype(int) + b + c + d
        is_edge = (count % 2 == 1) | ((count == 2) & (a == d))
        edges |= {(*cell, axis) for cell in map(tuple, (np.argwhere(is_edge) + LOW).tolist())}
    return edges


CORNERS = st.tuples(*[st.integers(-32, 20)] * 3)


@given(
    st.lists(st.tuples(st.booleans(), CORNERS, st.tuples(*[st.integers(0, 33)] * 3)), max_size=4), st.integers(0, 99)
)
@settings(max_examples=30, deadline=None)
def test_edges_of_boxes_and_single_voxels(boxes, seed):
    made = Selection()
    for adds, low, size in boxes:
        part = box(low, tuple(a + b for a, b in zip(low, size, strict=True)))
        made = made | part if adds else made - part
    for cell in np.random.default_rng(seed).integers(-32, 64, (20, 3)).tolist():
        made |= box(cell, cell)
    assert unit_edges(outline(made)) == expected_edges(made)


@given(st.integers(0, 10_000), st.floats(0.02, 0.98))
@settings(max_examples=10, deadline=None)
def test_edges_of_noise(seed, share):
    mask = np.random.default_rng(seed).random(CHUNK_SHAPE) < share
    made = Selection({(0, 0, 0): mask, (-1, 0, 0): True, (0, -1, 1): True})
    assert unit_edges(outline(made)) == expected_edges(made)


def test_a_box_has_few_segments():
    low, high = (-40, 5, -64), (70, 9, 63)
    segments = outline(box(low, high))
    assert segments.dtype == np.float32
    assert len(segments) == 4 * 5 + 4 * 1 + 4 * 4
    assert unit_edges(segments) == unit_edges(box_edges(low, high))


def test_voxels_that_meet_in_an_edge_alone_have_it_once():
    assert len(unit_edges(outline(box((0, 0, 0), (0, 0, 0)) | box((1, 1, 0), (1, 1, 0))))) == 23


def test_nothing_selected_has_no_edges():
    assert outline(Selection()).shape == (0, 2, 3)


def test_beyond_the_limit_there_is_the_box():
    made = box((0, 0, 0), (3, 3, 3)) | box((40, 40, 40), (44, 44, 44))
    assert len(outline(made, limit=24)) == 24
    assert np.array_equal(outline(made, limit=23), box_edges((0, 0, 0), (44, 44, 44)))


def test_the_limit_is_that_of_limits():
    checkered = np.indices(CHUNK_SHAPE).sum(axis=0) % 2 == 0
    n_in_chunk = len(outline(Selection({(0, 0, 0): checkered})))
    below = MAX_OUTLINE_SEGMENTS // n_in_chunk
    assert len(outline(Selection({(2 * x, 0, 0): checkered for x in range(below)}))) == below * n_in_chunk
    beyond = Selection({(2 * x, 0, 0): checkered for x in range(below + 1)})
    assert np.array_equal(outline(beyond), box_edges(*beyond.bounds()))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_faces_lie_between_selected_voxels_and_others(seed):
    rng = np.random.default_rng(seed)
    low = rng.integers(-40, 40, 3)
    mask = rng.random((9, 7, 5)) < rng.random()
    places = np.argwhere(mask) + low
    found = faces(reduce(or_, (box(tuple(p), tuple(p)) for p in places.tolist()), Selection()))
    padded = np.pad(mask, 1)
    assert len(found) == sum(int(np.count_nonzero(np.diff(padded, axis=axis))) for axis in range(3))
    selected = {tuple(p) for p in places.tolist()}
    for corners in found:
        (axis,) = np.flatnonzero(np.ptp(corners, axis=0) == 0)
        above = corners.min(axis=0).astype(int)
        below = above - np.eye(3, dtype=int)[axis]
        assert (tuple(above.tolist()) in selected) != (tuple(below.tolist()) in selected)
        assert np.ptp(corners, axis=0).sum() == 2
