# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected voxels, held to a search from cell to cell."""

import numpy as np
import pytest

from voxelwright.voxel.edit import patterns
from voxelwright.voxel.edit.connected import connected, extrude, fill_connected
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import FACE_AXIS, FACE_NORMALS
from voxelwright.voxel.world import World, new_world

LOW, HIGH = (-16, -16, -16), (16, 16, 16)


def moved(cell, way):
    return tuple(a + int(b) for a, b in zip(cell, way, strict=True))


def searched(beside, world, start, by, face):
    material = world.voxel(*start) >> 8

    def is_open(cell):
        if world.voxel(*cell) >> 8 != material:
            return False
        if by == "face":
            return material != 0 and world.voxel(*moved(cell, FACE_NORMALS[face])) >> 8 == 0
        return by == "material" or (material != 0 and any(world.voxel(*near) >> 8 == 0 for near in beside(cell)))

    def near(cell):
        if by == "face":
            return {c for c in beside(cell) if c[FACE_AXIS[face]] == cell[FACE_AXIS[face]]}
        if by == "material":
            return beside(cell)
        return {moved(cell, (x, y, z)) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)} - {cell}

    found, waiting = set(), [start]
    while waiting:
        cell = waiting.pop()
        if cell not in found and is_open(cell):
            found.add(cell)
            waiting += near(cell)
    return found


def starts(world, rng, n=12, face=None):
    """Some solid cells, with air before face where one is given."""
    solid = world.region(LOW, HIGH) >> 8 != 0
    if face is not None:
        solid &= ~np.roll(solid, -FACE_NORMALS[face], (0, 1, 2))
    at = np.argwhere(solid) - 16
    return [tuple(cell) for cell in at[rng.integers(0, len(at), n)].tolist()]


@pytest.mark.parametrize("by", ["face", "material", "surface"])
def test_connected_voxels_are_those_that_a_search_finds(by, world_of, blobs, cells_of, beside):
    rng = np.random.default_rng(1)
    world = world_of(blobs(rng))
    sizes = []
    for face in range(6):
        for start in starts(world, rng, 2) + starts(world, rng, 2, face):
            expected = searched(beside, world, start, by, face)
            assert cells_of(connected(world, start, by, face)) == expected
            sizes.append(len(expected))
    assert max(sizes) > 10


def test_a_hollow_is_found_from_its_air(palette):
    shell = np.full((32, 32, 32), 0x0100, np.uint16)
    shell[5:20, 6:8, 7:31] = 0
    world = new_world({(0, 0, 0): shell}, palette)
    hollow = connected(world, (6, 6, 8), "material")
    assert hollow.count == 15 * 2 * 24
    filled = fill_connected(world, (6, 6, 8), patterns.only(2), "material")
    world.apply(filled)
    assert world.voxel(19, 7, 30) == 0x0210
    assert world.material_counts()[:3].tolist() == [0, 32**3 - 720, 720]


def test_filling_paints(world_of, blobs, applied, beside):
    rng = np.random.default_rng(2)
    world = world_of(blobs(rng))
    before = world.region(LOW, HIGH)
    for start in starts(world, rng, 4):
        expected = before.copy()
        for cell in searched(beside, world, start, "material", 4):
            at = tuple(c + 16 for c in cell)
            expected[at] = 0x0540 | (expected[at] & 0x008F)
        assert np.array_equal(
            applied(world, fill_connected(world, start, patterns.only(5), "material"), LOW, HIGH), expected
        )


def test_long_ways_through_many_chunks(palette):
    voxels = np.zeros((96, 96, 32), np.uint16)
    voxels[:, ::2, 3] = 0x0100
    voxels[0, 1::4, 3] = voxels[95, 3::4, 3] = 0x0100
    world = new_world({(x, y, 0): voxels[32 * x : 32 * x + 32, 32 * y : 32 * y + 32].copy() for x in range(3)
                       for y in range(3)}, palette)  # fmt: skip
    assert connected(world, (50, 48, 3), "material").count == np.count_nonzero(voxels)


def test_more_than_the_limit_is_refused_with_its_number(palette):
    world = new_world({(x, 0, 0): 0x0100 for x in range(2)}, palette)
    assert connected(world, (0, 0, 0), "material", limit=65536).count == 65536
    with pytest.raises(VoxelwrightError, match="More than 65535 voxels are connected there; raise the limit"):
        connected(world, (0, 0, 0), "material", limit=65535)
    with pytest.raises(VoxelwrightError, match="More than 1000000 voxels"):
        connected(World(palette), (0, 0, 0), "material", limit=1_000_000)
    with pytest.raises(VoxelwrightError, match="one of face, material, surface"):
        connected(world, (0, 0, 0), "colour")


@pytest.mark.parametrize("face", range(6))
def test_extruding(face, world_of, blobs, applied, beside):
    rng = np.random.default_rng(3)
    world = world_of(blobs(rng))
    before = world.region(LOW, HIGH)
    normal = FACE_NORMALS[face]
    n_changed = 0
    for start in starts(world, rng, face=face):
        region = searched(beside, world, start, "face", face)
        voxel = world.palette.voxel(world.voxel(*start) >> 8)
        for n_voxels in (3, -3):
            expected = before.copy()
            for cell in region:
                at = np.array(cell) + 16 + (normal if n_voxels > 0 else 0)
                for _ in range(3):
                    if (before[tuple(at)] >> 8 == 0) != (n_voxels > 0):
                        break
                    expected[tuple(at)] = voxel if n_voxels > 0 else 0
                    at += normal * np.sign(n_voxels)
            n_changed += np.count_nonzero(expected != before)
            assert np.array_equal(applied(world, extrude(world, start, face, n_voxels), LOW, HIGH), expected)
    assert n_changed > 50


def test_extruding_nothing(palette):
    world = new_world({(0, 0, 0): 0x0100}, palette)
    assert not extrude(world, (5, 5, 31), 4, 0)
    assert not extrude(world, (5, 5, 5), 4, 3), "the voxel's face is not open"
    assert not extrude(world, (5, 5, 40), 4, 3), "air has no face"
