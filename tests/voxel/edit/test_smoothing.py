# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from voxelwright.voxel.edit.smoothing import smooth_all
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, as_chunk, new_world

PALETTE = Palette.of({1: Material("earth", (120, 80, 40)), 2: Material("snow", (250, 250, 250), smooth=True)})


def mixed_world():
    dense = np.random.default_rng(1).choice(np.array([0, 0x0100, 0x0210, 0x01EF, 0x0003], np.uint16), CHUNK_SHAPE)
    snow = np.zeros(CHUNK_SHAPE, np.uint16)
    snow[:, :, :5] = 0x0210
    return new_world({(0, 0, 0): as_chunk(dense), (-1, 0, 0): 0x0100, (0, -2, 0): as_chunk(snow)}, PALETTE)


def test_every_solid_voxel_becomes_smooth_and_keeps_the_rest():
    world = mixed_world()
    before = world.region((-32, -64, 0), (32, 32, 32))
    world.apply(smooth_all(world))
    after = world.region((-32, -64, 0), (32, 32, 32))
    assert np.array_equal(after, np.where(before >> 8, before | 0x0010, before))
    assert world.palette == PALETTE


def test_what_is_smooth_already_is_no_change():
    world = mixed_world()
    assert (0, -2, 0) not in {delta.coord for delta in smooth_all(world).deltas}
    world.apply(smooth_all(world))
    assert not smooth_all(world)
    assert not smooth_all(World())


def test_uniform_chunks_stay_uniform():
    world = mixed_world()
    world.apply(smooth_all(world))
    assert world.chunk((-1, 0, 0)) == 0x0110
    almost = np.full(CHUNK_SHAPE, 0x0100, np.uint16)
    almost[0, 0, 0] = 0x0110
    world = new_world({(0, 0, 0): as_chunk(almost)}, PALETTE)
    world.apply(smooth_all(world))
    assert world.chunk((0, 0, 0)) == 0x0110


def test_smoothing_is_taken_back():
    world = mixed_world()
    before = world.region((-32, -64, 0), (32, 32, 32))
    edit = smooth_all(world)
    world.apply(edit)
    world.apply(edit.inverse())
    assert np.array_equal(world.region((-32, -64, 0), (32, 32, 32)), before)
