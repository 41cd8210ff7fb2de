# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done throughout worlds: many times over, by slope, and scattered."""

import numpy as np
import pytest

from voxelwright.voxel import limits
from voxelwright.voxel.edit import actions, patterns, scatter, sculpt
from voxelwright.voxel.edit.clipboard import copy
from voxelwright.voxel.edit.dabs import throughout
from voxelwright.voxel.edit.selection import Selection, box, solid
from voxelwright.voxel.edit.slope import paint_slope
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.world import World, new_world

LOW, HIGH = (-16, -16, -16), (16, 16, 16)
ALL = box(LOW, (15, 15, 15))


def test_an_action_done_many_times(world_of, blobs):
    world, other = (world_of(blobs(np.random.default_rng(1))) for _ in range(2))
    for action in (sculpt.smooth(), sculpt.erode()):
        world.apply(throughout(world, action, ALL, times=3))
        for _ in range(3):
            other.apply(throughout(other, action, ALL))
        assert np.array_equal(world.region(LOW, HIGH), other.region(LOW, HIGH))
    assert not throughout(world, actions.remove(), ALL, times=0)
    throughout(world, actions.remove(), Selection(), times=limits.MAX_ACTION_TIMES)
    with pytest.raises(VoxelwrightError, match="may be done 0 to 100 times"):
        throughout(world, actions.remove(), ALL, times=limits.MAX_ACTION_TIMES + 1)


def slope_at(is_solid, at):
    """The slope of the voxel at a place of a bool array, None where it has none."""
    x, y, z = at
    if not is_solid[x, y, z]:
        return None
    sides = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    if is_solid[x, y, z + 1]:
        return 4.0 if any(not is_solid[i, j, z] for i, j in sides) else None
    heights = []
    for i, j in sides:
        height = 0
        while height < 4 and is_solid[i, j, z] and is_solid[i, j, z + height + 1]:
            height += 1
        while height > -4 and not is_solid[i, j, z] and not is_solid[i, j, z + height]:
            height -= 1
        heights.append(height)
    return min(4.0, np.hypot(heights[0] - heights[1], heights[2] - heights[3]) / 2)


@pytest.mark.parametrize(("least", "most"), [(0, 0.6), (0.6, 1.7), (1.7, 4)])
def test_painting_by_slope(least, most, world_of, blobs, applied):
    world = world_of(blobs(np.random.default_rng(2)))
    wide = world.region((-24, -24, -24), (24, 24, 24))
    expected = wide.copy()
    for at in np.ndindex(32, 32, 32):
        place = tuple(c + 8 for c in at)
        slope = slope_at(wide >> 8 != 0, place)
        if slope is not None and least <= slope <= most:
            expected[place] = 0x0210 | (wide[place] & 0x008F)
    edit = throughout(world, paint_slope(patterns.only(2), least, most), ALL)
    assert np.array_equal(applied(world, edit, (-24, -24, -24), (24, 24, 24)), expected)
    assert np.count_nonzero(expected != wide) > 100


def test_slopes_that_are_none_are_refused():
    for least, most in ((-0.1, 1), (2, 1), (0, 4.5)):
        with pytest.raises(VoxelwrightError, match="Slopes must be from 0 to 4"):
            paint_slope(patterns.only(2), least, most)


def tree(palette):
    """An L of 3 × 2 × 4 voxels, copied."""
    voxels = np.zeros((32, 32, 32), np.uint16)
    voxels[4, 4, 4:8] = voxels[5:7, 4, 7] = voxels[4, 5, 7] = 0x0540
    world = new_world({(0, 0, 0): voxels}, palette)
    return copy(world, solid(world))


def test_scattered_things_stand_on_the_ground(palette):
    world = new_world({(x, y, 0): 0x0100 for x in range(2) for y in range(-1, 1)}, palette)
    world.apply(scatter.scatter(world, [tree(palette)], solid(world), spacing=8, seed=3))
    above = world.region((-8, -40, 32), (72, 40, 40)) == 0x0540
    trunks = np.argwhere(above[:, :, 0])
    assert len(trunks) == 64
    assert above.any(axis=(0, 1)).tolist() == [True] * 4 + [False] * 4
    assert above[:, :, 1].sum() == above[:, :, 2].sum() == 64, "no two grow into each other's trunks"
    again = scatter.scatter(new_world({(0, 0, 0): 0x0100}, palette), [tree(palette)], box((0, 0, 0), (31, 31, 31)), 8)
    other = scatter.scatter(
        new_world({(0, 0, 0): 0x0100}, palette), [tree(palette)], box((0, 0, 0), (31, 31, 31)), 8, seed=1
    )
    assert not np.array_equal(again.deltas[-1].after, other.deltas[-1].after)


def test_some_places_are_taken_by_chance(palette):
    world = new_world({(x, y, 0): 0x0100 for x in range(4) for y in range(4)}, palette)
    dot = copy(world, box((0, 0, 0), (0, 0, 0)))
    for chance in (0.0, 0.3, 1.0):
        edit = scatter.scatter(world, [dot], solid(world), 4, chance)
        n = sum(np.count_nonzero(delta.after) for delta in edit.deltas if delta.coord[2] == 1)
        assert abs(n / 1024 - chance) < 0.05
    assert not scatter.scatter(world, [dot], Selection(), 4)


def test_scattering_at_the_limit_and_beyond(palette, monkeypatch):
    world = new_world({(0, 0, 0): 0x0100}, palette)
    dot = copy(world, box((0, 0, 0), (0, 0, 0)))
    monkeypatch.setattr(scatter, "MAX_SCATTERED", 64)
    assert scatter.scatter(world, [dot], solid(world), 4)
    monkeypatch.setattr(scatter, "MAX_SCATTERED", 63)
    with pytest.raises(VoxelwrightError, match="There are 64 places; at most 63 things"):
        scatter.scatter(world, [dot], solid(world), 4)
    with pytest.raises(VoxelwrightError, match="nothing to scatter"):
        scatter.scatter(world, [], solid(world), 4)
    with pytest.raises(VoxelwrightError, match="a spacing of 1 voxel or more"):
        scatter.scatter(World(palette), [dot], Selection(), 0)
    assert limits.MAX_SCATTERED == 4096
