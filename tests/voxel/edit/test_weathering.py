# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground eroded in worlds, held to the heights that erosion gives."""

import numpy as np
import pytest

from voxelwright.voxel.edit.selection import Selection, box, solid
from voxelwright.voxel.edit.weathering import weather
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.generate.erosion import erode
from voxelwright.voxel.generate.preset import Erosion
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.limits import MAX_WORLD_EDGE

SLIDES = Erosion("thermal", 2.0, 0.5, 1.0)
RAIN = Erosion("hydraulic", 3.0, 0.5, 1.0)


def ground(seed):
    """(70, 50) heights of steep hills, and voxels of them from (−12, −12, −12) on: stone, with snow on top."""
    rng = np.random.default_rng(seed)
    heights = (rng.random((10, 10)).repeat(7, 0).repeat(5, 1) * 40).astype(int) + 5
    z = np.arange(50)
    voxels = np.where(z < heights[:, :, None], np.uint16(0x0100), np.uint16(0))
    voxels[z == heights[:, :, None] - 1] = 0x0210
    return heights, voxels


@pytest.mark.parametrize("stages", [[SLIDES], [RAIN], [RAIN, SLIDES]])
def test_the_ground_gets_the_eroded_heights(stages, world_of, applied):
    heights, voxels = ground(1)
    world = world_of(voxels)
    eroded = finish(erode((heights - 1).astype(np.float32), stages, 7))
    expected = np.maximum(np.floor(eroded + np.float32(0.5)).astype(int) + 1, 0)
    after = applied(world, finish(weather(world, solid(world), stages, 7)), (-12, -12, -12), (58, 38, 78))
    assert np.array_equal(np.count_nonzero(after, axis=2), expected)
    assert np.count_nonzero(expected != heights) > 500
    for x, y in np.argwhere(expected > heights)[:50]:
        assert (after[x, y, heights[x, y] - 1 : expected[x, y]] == 0x0210).all(), "what rises is as its top"


def test_only_selected_columns_change(world_of, applied):
    _, voxels = ground(2)
    world = world_of(voxels)
    part = box((0, 0, -12), (30, 20, 37))
    after = applied(world, finish(weather(world, part, [SLIDES])), (-12, -12, -12), (58, 38, 38))
    changed = after != voxels
    assert changed[12:43, 12:33].any()
    changed[12:43, 12:33] = False
    assert not changed.any()


def test_what_is_not_ground_or_too_wide(world_of):
    _, voxels = ground(3)
    world = world_of(voxels)
    assert not finish(weather(world, Selection(), [SLIDES]))
    assert not finish(weather(world, box((0, 0, 36), (9, 9, 37)), [SLIDES]))
    assert not finish(weather(world, box((0, 0, 900), (MAX_WORLD_EDGE - 1, 0, 900)), []))
    with pytest.raises(VoxelwrightError, match="within 4096 voxels along x and y"):
        finish(weather(world, box((0, 0, 900), (MAX_WORLD_EDGE, 0, 900)), []))
