# SPDX-License-Identifier: GPL-3.0-or-later
"""Small random worlds across the corner of eight chunks, and their voxels as one array."""

import numpy as np
import pytest

from voxelwright.voxel.layout import CHUNK_SHAPE, FACE_NORMALS
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, chunks_of_cells, edit_of_chunks

_PALETTE = Palette.of(
    {
        1: Material("stone", (128, 126, 124)),
        2: Material("snow", (250, 250, 250), smooth=True),
        3: Material("glass", (180, 200, 220), opacity=0.3),
        5: Material("lamp", (255, 240, 200), emission=5.0),
    }
)


def _world_of(array, low=(-12, -12, -12)):
    """A world whose voxels from low on are array (nx, ny, nz) uint16."""
    world = World(_PALETTE)
    at = np.argwhere(array)
    if len(at):
        world.apply(edit_of_chunks(world, chunks_of_cells(at + np.array(low), array[tuple(at.T)], 1000)))
    return world


def _blobs(rng, size=24):
    """(size, size, size) uint16: solid and air in lumps, of four materials, some voxels with metadata."""
    lumps = rng.random((size // 3 + 1,) * 3).repeat(3, 0).repeat(3, 1).repeat(3, 2)[:size, :size, :size]
    solid = 0.7 * lumps + 0.3 * rng.random((size,) * 3) > 0.5
    voxels = np.array([0x0100, 0x0210, 0x0320, 0x0540], np.uint16)
    of = rng.integers(0, 4, (size // 4 + 1,) * 3).repeat(4, 0).repeat(4, 1).repeat(4, 2)[:size, :size, :size]
    metadata = rng.choice(np.array([0, 0, 0x0003, 0x0080], np.uint16), (size,) * 3)
    return np.where(solid, voxels[of] | metadata, np.uint16(0))


def _cells_of(made):
    """The set of a selection's cells."""
    cells = set()
    for coord in made.coords():
        at = np.argwhere(np.broadcast_to(made.mask(coord), CHUNK_SHAPE)) + 32 * np.array(coord)
        cells |= set(map(tuple, at.tolist()))
    return cells


def _beside(cell):
    """The six cells that share a face with a cell."""
    return {tuple(a + int(b) for a, b in zip(cell, normal, strict=True)) for normal in FACE_NORMALS}


@pytest.fixture(scope="session")
def palette():
    """Stone, smooth snow, glass and a lamp, at 1, 2, 3 and 5."""
    return _PALETTE


@pytest.fixture(scope="session")
def world_of():
    """world_of(array, low): a world."""
    return _world_of


@pytest.fixture(scope="session")
def blobs():
    """blobs(rng, size): voxels as an array."""
    return _blobs


@pytest.fixture(scope="session")
def applied():
    """applied(world, edit, low, high): the voxels of a box after the edit, which is then taken back. The world is seen
    to be as it was, and the edit to hold only chunks that change."""

    def voxels_after(world, edit, low, high):
        before = {coord: world.chunk(coord) for coord in world.coords()}
        world.apply(edit)
        voxels = world.region(low, high)
        world.apply(edit.inverse())
        assert world.coords() == sorted(before)
        assert all(np.array_equal(world.chunk(coord), chunk) for coord, chunk in before.items())
        assert all(not np.array_equal(delta.before, delta.after) for delta in edit.deltas)
        return voxels

    return voxels_after


@pytest.fixture(scope="session")
def cells_of():
    """cells_of(selection): the set of its cells."""
    return _cells_of


@pytest.fixture(scope="session")
def beside():
    """beside(cell): the six cells that share a face with it."""
    return _beside
