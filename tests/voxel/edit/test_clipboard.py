# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies turned, mirrored, pasted and moved, held to numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.edit.clipboard import copy, move, paste_clip, transplant
from voxelwright.voxel.edit.hollow import hollow
from voxelwright.voxel.edit.selection import Selection, box, by_material, solid
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, new_world

LOW, HIGH = (-64, -64, -64), (64, 64, 64)
PLANES = {0: (1, 2), 1: (2, 0), 2: (0, 1)}


def voxels_of(clip):
    return clip.voxels.region(clip.low, [h + 1 for h in clip.high])


@given(
    st.integers(0, 1000),
    st.tuples(*[st.integers(-11, 11)] * 3),
    st.tuples(*[st.integers(-11, 11)] * 3),
    st.integers(0, 2),
    st.integers(-5, 5),
)
@settings(max_examples=30, deadline=None)
def test_turned_and_mirrored(world_of, blobs, seed, one, other, axis, quarters):
    world = world_of(blobs(np.random.default_rng(seed)))
    clip = copy(world, box(one, other))
    low = np.minimum(one, other)
    voxels = world.region(low, np.maximum(one, other) + 1)
    assert np.array_equal(voxels_of(clip), voxels)
    assert clip.size == voxels.shape
    turned = clip.turned(axis, quarters)
    assert np.array_equal(voxels_of(turned), np.rot90(voxels, quarters, PLANES[axis]))
    assert turned.size == voxels_of(turned).shape
    assert np.array_equal(voxels_of(clip.mirrored(axis)), np.flip(voxels, axis))
    back = clip.mirrored(axis).mirrored(axis).turned(axis).turned(axis).turned(axis).turned(axis)
    assert (back.low, back.high) == (clip.low, clip.high)
    assert np.array_equal(voxels_of(back), voxels)
    assert back.voxels.coords() == clip.voxels.coords()


@given(st.integers(0, 1000), st.tuples(*[st.integers(-50, 30)] * 3), st.integers(0, 2), st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_pasted_voxels_are_written_over(world_of, blobs, applied, seed, at, axis, quarters):
    rng = np.random.default_rng(seed)
    world = world_of(blobs(rng))
    clip = copy(world, box((-10, -3, -8), (2, 9, 11))).turned(axis, quarters)
    expected = world.region(LOW, HIGH)
    part = expected[tuple(slice(a + 64, a + 64 + n) for a, n in zip(at, clip.size, strict=True))]
    np.copyto(part, voxels_of(clip), where=voxels_of(clip) >> 8 != 0)
    assert np.array_equal(applied(world, paste_clip(world, clip, at), LOW, HIGH), expected)


def test_what_is_copied_pasted_where_it_was_changes_nothing(world_of, blobs):
    world = world_of(blobs(np.random.default_rng(1)))
    clip = copy(world, by_material(world, 1, 2))
    assert not paste_clip(world, clip, clip.low)
    assert not move(world, solid(world), (0, 0, 0))
    assert not transplant(world, solid(world), copy(world, solid(world)), copy(world, solid(world)).low)


def test_the_clip_stays_as_it_was_when_the_world_changes(world_of, blobs):
    world = world_of(blobs(np.random.default_rng(2)))
    part = box((-10, -3, -8), (2, 9, 11))
    clip = copy(world, part)
    before = voxels_of(clip)
    world.apply(move(world, part, (30, 0, 0)))
    assert np.array_equal(voxels_of(clip), before)
    assert np.array_equal(world.region((20, -3, -8), (33, 10, 12)), before)


def test_whole_chunks_are_shared(palette):
    world = new_world({(0, 0, 0): 0x0100, (1, 0, 0): np.random.default_rng(1).integers(
        1, 4, (32, 32, 32)).astype(np.uint16) << 8}, palette)  # fmt: skip
    clip = copy(world, box((0, 0, 0), (63, 31, 31)))
    assert clip.voxels.chunk((1, 0, 0)) is world.chunk((1, 0, 0))


@pytest.mark.parametrize("offset", [(3, -2, 1), (0, 0, 40), (-32, 32, 0)])
def test_moving(offset, world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(3)))
    part = by_material(world, 1) & box((-9, -9, -9), (6, 11, 11))
    expected = world.region(LOW, HIGH)
    mask = np.zeros(expected.shape, bool)
    mask[55:71, 55:76, 55:76] = expected[55:71, 55:76, 55:76] >> 8 == 1
    taken = np.where(mask, expected, 0)
    expected[mask] = 0
    there = np.roll(taken, offset, (0, 1, 2))
    expected = np.where(there, there, expected)
    assert np.array_equal(applied(world, move(world, part, offset), LOW, HIGH), expected)


def test_turned_in_place(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(4)))
    part = box((-8, -8, -8), (7, 7, 7))
    expected = world.region(LOW, HIGH)
    inside = expected[56:72, 56:72, 56:72]
    inside[...] = np.rot90(inside, 3)
    clip = copy(world, part).turned(2, 3)
    assert np.array_equal(applied(world, transplant(world, part, clip, (-8, -8, -8)), LOW, HIGH), expected)


def test_pasting_keeps_to_the_selection(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(5)))
    clip = copy(world, box((-10, -3, -8), (2, 9, 11)))
    before = world.region(LOW, HIGH)
    whole = applied(world, paste_clip(world, clip, (-3, -3, -3)), LOW, HIGH)
    part = applied(world, paste_clip(world, clip, (-3, -3, -3), within=box((0, 0, 0), (5, 6, 7))), LOW, HIGH)
    inside = np.zeros(before.shape, bool)
    inside[64:70, 64:71, 64:72] = True
    assert np.array_equal(part, np.where(inside, whole, before))
    assert not np.array_equal(part, before)


def test_between_worlds_materials_are_merged(palette):
    gold = Material("gold", (250, 200, 50), metallic=1.0)
    other = new_world({(0, 0, 0): gold.voxel(7)}, Palette.of({7: gold}))
    world = World(palette)
    world.apply(paste_clip(world, copy(other, box((0, 0, 0), (3, 3, 3))), (5, 5, 5)))
    assert world.palette.materials[4] == gold
    assert world.voxel(8, 8, 8) == gold.voxel(4)
    assert world.material_counts()[4] == 64


def test_hollow_leaves_a_shell(palette):
    world = new_world({(0, 0, 0): 0x0100}, palette)
    world.apply(hollow(world, solid(world), 3))
    assert np.count_nonzero(world.chunk((0, 0, 0))) == 32**3 - 26**3
    assert (world.region((3, 3, 3), (29, 29, 29)) == 0).all()


def test_hollow_is_what_lies_deep_in_the_selected_solid(world_of, blobs):
    world = world_of(blobs(np.random.default_rng(6)))
    before = world.region((-16, -16, -16), (16, 16, 16)) >> 8 != 0
    deep = before & np.logical_and.reduce([np.roll(before, way, axis) for axis in range(3) for way in (1, -1)])
    edit = hollow(world, box((-13, -13, -13), (13, 13, 13)))
    world.apply(edit)
    assert np.array_equal(world.region((-16, -16, -16), (16, 16, 16)) >> 8 != 0, before & ~deep)
    assert deep.any()


def test_nothing_selected_is_nothing_to_copy():
    with pytest.raises(VoxelwrightError, match="Nothing is selected"):
        copy(World(), Selection())
