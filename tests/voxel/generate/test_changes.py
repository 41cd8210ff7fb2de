# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from voxelwright.voxel.generate.changes import changed_chunks
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.world import new_world, same_chunk

COORDS = [(x, 0, 0) for x in range(6)]


def batch():
    """A batch with room for more: arrays at 0, 1, 2 and 5, chunks of one value at 3 and 4."""
    voxels = np.random.default_rng(4).integers(0, 1 << 16, (8, *CHUNK_SHAPE)).astype(np.uint16)
    return voxels, np.array([-1, -1, -1, 256, 0, -1, -1, -1])


def test_without_a_world_all_chunks_are_new_and_their_own():
    voxels, uniform = batch()
    made = dict(changed_chunks(COORDS, voxels, uniform, None))
    expected = {coord: voxels[i].copy() if uniform[i] < 0 else int(uniform[i]) for i, coord in enumerate(COORDS)}
    voxels[:] = 0
    assert made.keys() == expected.keys()
    assert all(same_chunk(made[coord], expected[coord]) for coord in COORDS)
    assert not any(chunk.flags.writeable for chunk in made.values() if not isinstance(chunk, int))


def test_only_chunks_that_differ_are_given():
    voxels, uniform = batch()
    nearly = voxels[1].copy()
    nearly[31, 31, 31] ^= 1
    world = new_world({(0, 0, 0): voxels[0].copy(), (1, 0, 0): nearly, (2, 0, 0): 256, (3, 0, 0): 256}, Palette())
    assert dict(changed_chunks(COORDS, voxels, uniform, world)).keys() == {(1, 0, 0), (2, 0, 0), (5, 0, 0)}
    world = new_world({(3, 0, 0): voxels[3].copy(), (4, 0, 0): 512}, Palette())
    made = dict(changed_chunks(COORDS, voxels, uniform, world))
    assert made.keys() == set(COORDS)
    assert (made[3, 0, 0], made[4, 0, 0]) == (256, 0)
