# SPDX-License-Identifier: GPL-3.0-or-later
"""Selections, held to Python's sets of cells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.edit import actions, patterns, selection, shapes
from voxelwright.voxel.edit.dabs import dab
from voxelwright.voxel.edit.selection import Selection, box
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.world import new_world

CORNERS = st.tuples(*[st.integers(-40, 40)] * 3)
BOXES = st.lists(st.tuples(CORNERS, st.tuples(*[st.integers(0, 12)] * 3)), max_size=3)


def selected(cells):
    """The selection of a set of cells."""
    masks = {}
    for x, y, z in cells:
        mask = masks.setdefault((x >> 5, y >> 5, z >> 5), np.zeros(CHUNK_SHAPE, bool))
        mask[x & 31, y & 31, z & 31] = True
    return Selection(masks)


def of_boxes(boxes):
    made = Selection()
    for low, size in boxes:
        made |= box(low, tuple(a + b for a, b in zip(low, size, strict=True)))
    return made


def world_cells(world, rule):
    low, high = (-16, -16, -16), (16, 16, 16)
    return set(map(tuple, (np.argwhere(rule(world.region(low, high) >> 8)) - 16).tolist()))


def test_boxes(cells_of):
    assert cells_of(box((1, -2, 33), (-1, 0, 31))) == {
        (x, y, z) for x in (-1, 0, 1) for y in (-2, -1, 0) for z in (31, 32, 33)
    }
    whole = box((0, 0, 0), (31, 31, 63))
    assert [whole.mask((0, 0, z)) for z in range(3)] == [True, True, False]


@given(BOXES, BOXES)
@settings(max_examples=40, deadline=None)
def test_algebra(cells_of, boxes, others):
    one, other = of_boxes(boxes), of_boxes(others)
    a, b = cells_of(one), cells_of(other)
    for made, cells in ((one | other, a | b), (one & other, a & b), (one - other, a - b)):
        assert cells_of(made) == cells
        assert made == selected(cells)
        assert made.count == len(cells)
        assert bool(made) == bool(cells)
        if cells:
            assert made.bounds() == (tuple(np.min([*cells], axis=0)), tuple(np.max([*cells], axis=0)))
        else:
            assert made.bounds() is None
    assert (one - other) | (one & other) == one
    assert (one | other) - other == one - other


@given(BOXES, st.tuples(*[st.sampled_from([-64, -37, -1, 0, 5, 32])] * 3))
@settings(max_examples=40, deadline=None)
def test_shifted(cells_of, boxes, offset):
    made = of_boxes(boxes)
    moved = made.shifted(offset)
    assert cells_of(moved) == {tuple(a + b for a, b in zip(cell, offset, strict=True)) for cell in cells_of(made)}
    assert moved.shifted(tuple(-o for o in offset)) == made


@given(BOXES, st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_grown_and_shrunk(cells_of, beside, boxes, n_voxels):
    made = of_boxes(boxes)
    grown = shrunk = cells_of(made)
    for _ in range(n_voxels):
        grown = grown | {near for cell in grown for near in beside(cell)}
        shrunk = {cell for cell in shrunk if beside(cell) <= shrunk}
    assert cells_of(made.grown(n_voxels)) == grown
    assert cells_of(made.shrunk(n_voxels)) == shrunk


def test_whole_chunks_grow_and_shrink():
    whole = box((0, 0, 0), (95, 95, 95))
    assert whole.grown(2).shrunk(2) == whole
    assert whole.shrunk(5) == box((5, 5, 5), (90, 90, 90))


def test_of_a_world(world_of, blobs, cells_of, beside):
    world = world_of(blobs(np.random.default_rng(1)))
    solid = world_cells(world, lambda m: m != 0)
    assert cells_of(selection.solid(world)) == solid
    assert cells_of(selection.by_material(world, 1, 5)) == world_cells(world, lambda m: (m == 1) | (m == 5))
    assert not selection.by_material(world, 0)
    exposed = {cell for cell in solid if not beside(cell) <= solid}
    assert cells_of(selection.surface(world)) == exposed
    part = box((-9, -9, -9), (3, 3, 3))
    assert cells_of(selection.surface(world, part)) == exposed & cells_of(part)
    assert cells_of(selection.inverted(world, part)) == solid - cells_of(part)


def test_of_uniform_chunks(palette):
    world = new_world({(x, 0, 0): 0x0100 for x in range(3)}, palette)
    assert selection.solid(world).mask((1, 0, 0)) is True
    assert selection.by_material(world, 2) == Selection()
    assert selection.by_material(world, 1) == box((0, 0, 0), (95, 31, 31))
    assert selection.surface(world).count == 96 * 32 * 32 - 94 * 30 * 30


def test_edits_limited_to_a_selection(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(2)))
    action, brush = actions.fill(patterns.only(2)), shapes.sphere(9).at((0, 0, 0))
    part = box((-5, -4, 0), (6, 3, 9))
    whole = dab(world, action, brush)
    low, high = (-16, -16, -16), (16, 16, 16)
    expected = applied(world, dab(world, action, brush, within=part), low, high)
    assert np.array_equal(applied(world, selection.limited(whole, part), low, high), expected)
    assert not selection.limited(whole, box((20, 20, 20), (25, 25, 25)))


def test_masks_are_checked_and_kept_from_changes():
    mask = np.zeros(CHUNK_SHAPE, bool)
    mask[1, 2, 3] = True
    made = Selection({(0, 0, 0): mask, (1, 0, 0): np.ones(CHUNK_SHAPE, bool), (2, 0, 0): np.zeros(CHUNK_SHAPE, bool)})
    assert made.coords() == [(0, 0, 0), (1, 0, 0)]
    assert made.mask((1, 0, 0)) is True
    with pytest.raises(ValueError, match="read-only"):
        mask[0, 0, 0] = True
    with pytest.raises(ValueError, match="bool array of the shape"):
        Selection({(0, 0, 0): np.ones((32, 32), bool)})


def test_too_large_a_box_is_refused():
    with pytest.raises(VoxelwrightError, match="do it in parts"):
        box((0, 0, 0), (10_000_000, 10_000_000, 10_000_000))
