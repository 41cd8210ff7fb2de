# SPDX-License-Identifier: GPL-3.0-or-later
"""Sculpting, held to plain loops over voxels."""

from collections import Counter

import numpy as np
import pytest

from voxelwright.voxel.edit import sculpt, shapes
from voxelwright.voxel.edit.dabs import dab
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import FACE_NORMALS
from voxelwright.voxel.world import new_world

LOW, HIGH = (-16, -16, -16), (16, 16, 16)
BRUSH = shapes.sphere(8, "linear").at((1, 0, -2))


def weights():
    """(32, 32, 32): those of BRUSH."""
    x, y, z = np.meshgrid(*[np.arange(-16, 16)] * 3, indexing="ij")
    d = np.sqrt((x - 1.0) ** 2 + y**2 + (z + 2.0) ** 2) / 8
    return np.maximum(0, 1 - d).astype(np.float32)


def moved(before, amounts, face):
    """The voxels after surfaces were moved by whole amounts (32, 32, 32), up where positive."""
    after = before.copy()
    normal = FACE_NORMALS[face]
    for at in np.argwhere(amounts):
        amount = amounts[tuple(at)]
        air = before[tuple(at)] >> 8 == 0
        if air != (amount > 0):
            continue
        for step in range(1, abs(amount) + 1):
            there = before[tuple(at - np.sign(amount) * step * normal)]
            if (there >> 8 == 0) != air:
                after[tuple(at)] = there if air else 0
                break
    return after


def rounded(amounts):
    return np.floor(amounts + 0.5).astype(int)


@pytest.mark.parametrize("face", range(6))
def test_raise_and_lower(face, world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(1)))
    before = world.region(LOW, HIGH)
    amounts = rounded(3.5 * weights())
    for action, sign in ((sculpt.raise_(3.5, face), 1), (sculpt.lower(3.5, face), -1)):
        after = applied(world, dab(world, action, BRUSH), LOW, HIGH)
        assert np.array_equal(after, moved(before, sign * amounts, face))


def test_flatten_moves_to_the_plane(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(2)))
    before = world.region(LOW, HIGH)
    amounts = rounded(4 * weights())
    x, y, z = np.meshgrid(*[np.arange(-16, 16) + 0.5] * 3, indexing="ij")
    for normal, face in (((0, 0, 1), 4), ((0.31, -1, 0.23), 3)):
        above = (x - 1) * normal[0] + (y - 0.25) * normal[1] + (z + 2) * normal[2] > 0
        after = applied(world, dab(world, sculpt.flatten((1, 0.25, -2), normal, 4), BRUSH), LOW, HIGH)
        assert np.array_equal(after, moved(before, np.where(above, -amounts, amounts), face))


def test_flattened_ground_is_flat(world_of):
    rng = np.random.default_rng(3)
    heights = rng.integers(4, 12, (24, 24))
    world = world_of(np.where(np.arange(24) < heights[:, :, None], np.uint16(0x0100), np.uint16(0)))
    world.apply(dab(world, sculpt.flatten((0, 0, -4), strength=8), shapes.cube(12).at((0, 0, -4), between=True)))
    inside = world.region((-12, -12, -12), (12, 12, 12)) >> 8
    assert (inside.sum(axis=2) == 8).all()


def test_noise_raises_and_lowers(world_of, applied):
    ground = np.zeros((24, 24, 24), np.uint16)
    ground[:, :, :12] = 0x0100
    world = world_of(ground)
    flat = shapes.cube(10).at((0, 0, 0), between=True)
    after = applied(world, dab(world, sculpt.roughen(4, 8, seed=1), flat), (-10, -10, -10), (10, 10, 10))
    heights = np.count_nonzero(after, axis=2)
    assert heights.min() < 9
    assert heights.max() > 11
    assert abs(heights - 10).max() <= 4
    other = applied(world, dab(world, sculpt.roughen(4, 8, seed=2), flat), (-10, -10, -10), (10, 10, 10))
    assert not np.array_equal(after, other)


def around(voxels, at, reach):
    x, y, z = at
    return voxels[x - reach : x + reach + 1, y - reach : y + reach + 1, z - reach : z + reach + 1].ravel().tolist()


def beside(voxels, at):
    return [int(voxels[tuple(at + normal)]) for normal in FACE_NORMALS]


def most_frequent(voxels):
    counts = Counter(voxel >> 8 for voxel in voxels if voxel >> 8)
    best = min(material for material, n in counts.items() if n == max(counts.values()))
    return min(voxel for voxel in voxels if voxel >> 8 == best)


@pytest.mark.parametrize("strength", [1.0, 0.6])
def test_smooth(strength, world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(4)))
    before = world.region(LOW, HIGH)
    expected = before.copy()
    given = np.sqrt(1 - (1 - weights()) ** 2)
    for at in np.argwhere(given):
        near = around(before, at, 2)
        solid = before[tuple(at)] >> 8 != 0
        n_same = sum((voxel >> 8 != 0) == solid for voxel in near)
        if 2 * n_same < 125 * np.sqrt(strength * given[tuple(at)]):
            expected[tuple(at)] = 0 if solid else most_frequent(near)
    after = applied(world, dab(world, sculpt.smooth(strength), shapes.sphere(8, "round").at((1, 0, -2))), LOW, HIGH)
    assert np.array_equal(after, expected)
    assert np.count_nonzero(after != before) > 20


def test_grow_and_erode(world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(5)))
    before = world.region(LOW, HIGH)
    brush = shapes.sphere(8).at((1, 0, -2))
    grown, eroded = before.copy(), before.copy()
    for at in np.argwhere(weights() > 0):
        near = beside(before, at)
        if before[tuple(at)] >> 8 == 0 and any(voxel >> 8 for voxel in near):
            grown[tuple(at)] = most_frequent(near)
        if not all(voxel >> 8 for voxel in near):
            eroded[tuple(at)] = 0
    inside = weights() > 0
    for action, expected in ((sculpt.grow(), grown), (sculpt.erode(), eroded)):
        after = applied(world, dab(world, action, brush), LOW, HIGH)
        assert np.array_equal(after[inside], expected[inside])


def test_strength_is_the_chance_to_grow_and_erode(world_of):
    ground = np.zeros((24, 24, 24), np.uint16)
    ground[:, :, :12] = 0x0100
    world = world_of(ground)
    for action in (sculpt.grow(0.4), sculpt.erode(0.4)):
        edit = dab(world, action, shapes.cube(11).at((0, 0, 0), between=True))
        n = sum(np.count_nonzero(delta.before != delta.after) for delta in edit.deltas)
        assert 0.3 < n / 22**2 < 0.5


def test_where_there_is_no_surface_nothing_changes(palette):
    world = new_world({(x, y, z): 0x0100 for x in range(3) for y in range(3) for z in range(3)}, palette)
    for action in (sculpt.raise_(), sculpt.lower(), sculpt.smooth(), sculpt.grow(), sculpt.erode(), sculpt.roughen()):
        assert not dab(world, action, shapes.sphere(9).at((48, 48, 48)))
        assert not dab(world, action, shapes.sphere(9).at((-48, 48, 48)))


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: sculpt.smooth(-0.1), "strength must be a number from 0 to 1"),
        (lambda: sculpt.raise_(float("nan")), "number of voxels from 0 to 32"),
        (lambda: sculpt.roughen(1, 1.5), "at least 2 voxels"),
        (lambda: sculpt.flatten((0, 0, 0), (0, 0, 0)), "normal that is not zero"),
    ],
)
def test_what_is_no_sculpting_is_refused(made, sentence):
    with pytest.raises(VoxelwrightError, match=sentence):
        made()
