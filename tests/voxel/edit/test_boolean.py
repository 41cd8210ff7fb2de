# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds combined; colours made a palette; where things may be added."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.voxel.edit.boolean import OPERATIONS, boolean
from voxelwright.voxel.edit.colors import palette_of_colors
from voxelwright.voxel.edit.selection import box, everywhere
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.world import new_world

LOW, HIGH = (-12, -12, -12), (12, 12, 12)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_worlds_are_combined_within_a_selection(operation, world_of, blobs, applied):
    a, b = blobs(np.random.default_rng(1)), blobs(np.random.default_rng(2))
    world, other = world_of(a), world_of(b)
    within = np.zeros((24, 24, 24), bool)
    within[3:20, 5:22, 1:15] = True
    changed = {"union": np.where(b, b, a), "difference": np.where(b, 0, a), "intersect": np.where(b, a, 0)}[operation]
    edit = boolean(world, other, operation, box((-9, -7, -11), (7, 9, 2)))
    assert np.array_equal(applied(world, edit, LOW, HIGH), np.where(within, changed, a))
    assert edit
    assert np.array_equal(applied(world, boolean(world, other, operation), LOW, HIGH), changed)


def test_there_are_three_ways(world_of):
    world = world_of(np.zeros((24, 24, 24), np.uint16))
    with pytest.raises(VoxelwrightError, match="one of union, difference, intersect"):
        boolean(world, world, "xor", everywhere(world))


def test_everywhere_is_a_chunk_wider_than_the_world(palette):
    world = new_world({(0, 0, 0): 0x0100, (5, 0, 0): 0x0100}, palette)
    found = everywhere(world)
    assert found.count == 2 * 27 * 32**3
    assert found.bounds() == ((-32, -32, -32), (6 * 32 + 31, 63, 63))


@given(st.integers(0, 2**32), st.integers(1, 3000), st.integers(1, 255))
def test_colors_become_few(seed, n, limit):
    rng = np.random.default_rng(seed)
    colors = rng.integers(0, 256, (n, 3)).astype(np.uint8) & np.uint8(rng.choice([0x80, 0xE0, 0xFF]))
    palette, entries = palette_of_colors(colors, limit)
    own = np.array([palette.materials[entry].color for entry in entries.tolist()])
    n_distinct = len(np.unique(colors, axis=0))
    assert len(palette.items()) == min(limit, n_distinct)
    if n_distinct <= limit:
        assert np.array_equal(own, colors)
    for entry, material in palette.items():
        mean = colors[entries == entry].mean(axis=0)
        assert np.abs(mean - material.color).max() <= 0.5 + 1e-9
        assert material.name == "#{:02x}{:02x}{:02x}".format(*material.color)


def test_colors_that_are_far_apart_stay_apart():
    rng = np.random.default_rng(1)
    middles = np.array([(20, 20, 20), (230, 30, 30), (30, 230, 40), (240, 240, 240)])
    of = rng.integers(0, 4, 2000)
    colors = (middles[of] + rng.integers(-9, 10, (2000, 3))).astype(np.uint8)
    _, entries = palette_of_colors(colors, 4)
    assert len(set(zip(of.tolist(), entries.tolist(), strict=True))) == 4
