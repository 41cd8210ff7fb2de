# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels placed by one dab, held to numpy."""

import numpy as np
import pytest

from voxelwright.voxel.edit import actions, patterns, shapes
from voxelwright.voxel.edit.dabs import dab
from voxelwright.voxel.edit.selection import Selection, box
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.world import World, new_world

LOW, HIGH = (-16, -16, -16), (16, 16, 16)
SNOW = patterns.only(2)
KEPT = np.uint16(0x008F)

EXPECTED = {
    "add": (actions.add(SNOW), lambda v: np.where(v >> 8 == 0, 0x0210, v)),
    "remove": (actions.remove(), lambda _v: 0),
    "replace": (actions.replace(SNOW), lambda v: np.where(v >> 8, 0x0210, v)),
    "replace stone": (actions.replace(SNOW, material=1), lambda v: np.where(v >> 8 == 1, 0x0210, v)),
    "paint": (actions.paint(SNOW), lambda v: np.where(v >> 8, 0x0210 | (v & KEPT), v)),
    "paint lamps": (actions.paint(SNOW, material=5), lambda v: np.where(v >> 8 == 5, 0x0210 | (v & KEPT), v)),
    "fill": (actions.fill(SNOW), lambda _v: 0x0210),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_dab_changes_what_is_in_its_shape_alone(name, world_of, blobs, applied):
    action, rule = EXPECTED[name]
    world = world_of(blobs(np.random.default_rng(1)))
    before = world.region(LOW, HIGH)
    x, y, z = np.meshgrid(*[np.arange(-16, 16)] * 3, indexing="ij")
    inside = (x - 3) ** 2 + (y + 2) ** 2 + (z - 1) ** 2 <= 81
    after = applied(world, dab(world, action, shapes.sphere(9).at((3.5, -1.5, 1.5))), LOW, HIGH)
    assert np.array_equal(after, np.where(inside, rule(before), before))


def test_only_selected_voxels_change(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(2)))
    before = world.region(LOW, HIGH)
    ball = shapes.sphere(9).at((0, 0, 0))
    free = applied(world, dab(world, actions.fill(SNOW), ball), LOW, HIGH)
    limited = applied(world, dab(world, actions.fill(SNOW), ball, within=box((-3, -9, 0), (2, 9, 9))), LOW, HIGH)
    inside = np.zeros(before.shape, bool)
    inside[13:19, 7:26, 16:26] = True
    assert np.array_equal(limited, np.where(inside, free, before))
    assert not dab(world, actions.fill(SNOW), ball, within=Selection())


def test_weight_and_strength_are_chances(palette):
    world = World(palette)
    whole = shapes.box_between((-32, -32, -32), (31, 31, 31))
    for strength in (0.25, 0.5):
        edit = dab(world, actions.add(SNOW, strength), whole)
        n = sum(np.count_nonzero(delta.after) for delta in edit.deltas)
        assert abs(n / 64**3 - strength) < 0.005
    counts = [dab(world, actions.add(SNOW, 0.5, seed), shapes.sphere(9, "linear").at((0, 0, 0))) for seed in (1, 1, 2)]
    assert [np.array_equal(counts[0].deltas[0].after, other.deltas[0].after) for other in counts[1:]] == [True, False]
    assert not dab(world, actions.add(SNOW, 0), whole)


def test_mixes_have_their_shares(palette, applied):
    world = World(palette)
    mixed = patterns.mix({1: 1, 2: 2, 5: 1}, seed=3)
    voxels = applied(world, dab(world, actions.add(mixed), shapes.box_between(LOW, (47, 47, 47))), LOW, (48, 48, 48))
    shares = [np.mean(voxels == voxel) for voxel in (0x0100, 0x0210, 0x0540)]
    assert np.allclose(shares, [0.25, 0.5, 0.25], atol=0.005)


def test_gradients_go_by_height(palette, applied):
    world = World(palette)
    pattern = patterns.by_height([1, 2, 5], -6, 6)
    voxels = applied(world, dab(world, actions.add(pattern), shapes.box_between(LOW, (15, 15, 15))), LOW, HIGH)
    heights = np.arange(-16, 16)
    expected = np.where(heights < -2, 0x0100, np.where(heights < 2, 0x0210, 0x0540))
    assert (voxels == expected).all()
    scattered = patterns.by_height([1, 2], -10, 10, blend=1.0)
    voxels = applied(world, dab(world, actions.add(scattered), shapes.box_between(LOW, (15, 15, 15))), LOW, HIGH)
    snow = (voxels == 0x0210).mean(axis=(0, 1))
    assert snow[heights < -5].max() == 0
    assert snow[heights > 5].min() == 1
    assert (np.diff(snow[(heights > -5) & (heights < 5)]) > 0).all()


def test_noise_makes_patches(palette, applied):
    world = World(palette)
    pattern = patterns.by_noise([1, 2], 12, seed=4)
    voxels = applied(world, dab(world, actions.add(pattern), shapes.box_between(LOW, (15, 15, 15))), LOW, HIGH)
    snow = voxels == 0x0210
    assert 0.3 < snow.mean() < 0.7
    assert (snow[1:] == snow[:-1]).mean() > 0.8, "neighbours are mostly alike"


def test_a_uniform_chunk_that_is_filled_stays_uniform(palette):
    world = new_world({(0, 0, 0): 0x0100}, palette)
    edit = dab(world, actions.paint(SNOW), shapes.box_between((0, 0, 0), (31, 31, 31)))
    assert [delta.after for delta in edit.deltas] == [0x0210]


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: actions.add(SNOW, 1.1), "strength must be a number from 0 to 1"),
        (lambda: patterns.mix({}), "must place 1 to"),
        (lambda: patterns.mix({1: -1.0, 2: 3.0}), "share of 0 or more"),
        (lambda: patterns.mix({1: 0.0}), "share above 0"),
        (lambda: patterns.by_height([1], 4, 4), "end higher than it begins"),
        (lambda: patterns.by_noise([1], 1), "at least 2 voxels"),
        (lambda: dab(World(), actions.add(patterns.only(9)), shapes.sphere(2).at((0, 0, 0))), "no material 9"),
    ],
)
def test_what_is_no_action_is_refused(made, sentence):
    with pytest.raises(VoxelwrightError, match=sentence):
        made()
