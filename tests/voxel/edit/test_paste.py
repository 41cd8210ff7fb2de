# SPDX-License-Identifier: GPL-3.0-or-later
"""Pasting, held to a plain dictionary of cells; and the merging of palettes."""

import numpy as np
import pytest

from voxelwright.voxel.edit.paste import paste
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import FLAG_CUSTOM, FLAG_EMISSIVE, FLAG_SMOOTH, FLAG_TRANSPARENT
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, chunks_of_cells, new_world

RED = Material("red", (220, 30, 20))
GREEN = Material("green", (20, 200, 40), smooth=True)
GLASS = Material("glass", (180, 200, 220), opacity=0.3)
LAMP = Material("lamp", (255, 240, 200), emission=5.0)


def world_of(cells, materials):
    """A world of {cell: material index}."""
    palette = Palette.of(materials)
    voxels = np.array([palette.voxel(index) for index in cells.values()], np.uint16)
    return new_world(chunks_of_cells(np.array(list(cells), np.int64), voxels, 1000), palette)


def materials_of(world):
    """{cell: material} of a world."""
    low, high = world.bounds()
    region = world.region(low, [h + 1 for h in high])
    at = np.argwhere(region)
    materials = [world.palette.materials[index] for index in region[tuple(at.T)] >> 8]
    return dict(zip(map(tuple, (at + low).tolist()), materials, strict=True))


def random_cells(rng, indices, n=400):
    cells = rng.integers(-40, 40, (n, 3))
    return {tuple(cell): int(index) for cell, index in zip(cells.tolist(), rng.choice(indices, n), strict=True)}


def pasted(world, other, offset):
    world.apply(paste(world, other, offset))
    return world


@pytest.mark.parametrize("offset", [(0, 0, 0), (32, -64, 0), (1, -1, 31), (-37, 5, 100), (33, 65, -95)])
def test_solid_voxels_are_written_and_air_leaves_what_is_there(offset):
    rng = np.random.default_rng(3)
    world = world_of(random_cells(rng, [1, 2]), {1: RED, 2: GREEN})
    other = world_of(random_cells(rng, [1, 7]), {1: GLASS, 7: RED})
    expected = materials_of(world)
    expected |= {
        tuple(c + o for c, o in zip(cell, offset, strict=True)): material
        for cell, material in materials_of(other).items()
    }
    assert materials_of(pasted(world, other, offset)) == expected


def test_uniform_chunks_are_pasted_whole_and_in_pieces():
    other = new_world({(0, 0, 0): RED.voxel(1)}, Palette.of({1: RED}))
    world = pasted(World(), other, (-32, 64, 0))
    assert world.coords() == [(-1, 2, 0)]
    assert world.chunk((-1, 2, 0)) == RED.voxel(1)
    world = pasted(World(), other, (5, 0, -1))
    assert world.coords() == [(0, 0, -1), (0, 0, 0), (1, 0, -1), (1, 0, 0)]
    assert world.material_counts()[1] == 32**3
    assert world.bounds() == ((5, 0, -1), (36, 31, 30))


def test_the_edit_is_taken_back_by_its_inverse():
    rng = np.random.default_rng(4)
    world = world_of(random_cells(rng, [1]), {1: RED})
    before = materials_of(world)
    edit = paste(world, world_of(random_cells(rng, [1]), {1: GLASS}), (3, 3, 3))
    world.apply(edit)
    assert materials_of(world) != before
    world.apply(edit.inverse())
    assert materials_of(world) == before
    assert world.palette == Palette.of({1: RED})


def test_pasting_nothing_or_the_same_changes_nothing():
    world = world_of({(0, 0, 0): 1}, {1: RED})
    assert not paste(world, World(Palette.of({5: GLASS})), (0, 0, 0))
    assert not paste(world, world_of({(0, 0, 0): 9}, {9: RED}), (0, 0, 0))


def test_an_equal_material_keeps_its_index_and_others_take_the_lowest_free():
    world = world_of({(0, 0, 0): 2, (0, 0, 1): 4}, {2: RED, 4: GREEN})
    other = world_of({(1, 0, 0): 2, (2, 0, 0): 3, (3, 0, 0): 9}, {2: GLASS, 3: RED, 9: LAMP, 10: GREEN})
    pasted(world, other, (0, 0, 0))
    assert world.palette == Palette.of({1: GLASS, 2: RED, 3: LAMP, 4: GREEN})
    assert [world.voxel(x, 0, 0) >> 8 for x in range(4)] == [2, 1, 2, 3]


def test_voxels_have_the_flags_of_their_material_and_keep_metadata():
    other = world_of({(0, 0, 0): 1, (1, 0, 0): 2, (2, 0, 0): 3}, {1: GREEN, 2: GLASS, 3: LAMP})
    chunk = other.chunk((0, 0, 0)).copy()
    chunk[0, 0, 0] = 1 << 8 | FLAG_TRANSPARENT | FLAG_CUSTOM | 0xB
    other = new_world({(0, 0, 0): chunk}, other.palette)
    world = pasted(world_of({(9, 9, 9): 1}, {1: RED}), other, (0, 0, 0))
    assert world.voxel(0, 0, 0) == 2 << 8 | FLAG_SMOOTH | FLAG_CUSTOM | 0xB
    assert world.voxel(1, 0, 0) == 3 << 8 | FLAG_TRANSPARENT
    assert world.voxel(2, 0, 0) == 4 << 8 | FLAG_EMISSIVE


def test_beyond_255_materials_the_nearest_color_is_taken():
    greys = {i: Material(f"grey {i}", (i, i, i)) for i in range(1, 254)}
    full = {**greys, 254: Material("yellow", (250, 240, 20))}
    world = world_of({(0, 0, 0): 1}, full)
    wanted = {
        1: Material("first", (0, 0, 255)),
        2: Material("lemon", (240, 250, 60)),
        3: Material("ash", (101, 100, 99)),
    }
    wanted[4] = greys[7]
    world = pasted(world, world_of({(i, 0, 0): i for i in wanted}, wanted), (0, 0, 0))
    assert world.palette == Palette.of({**full, 255: wanted[1]})
    assert [world.voxel(x, 0, 0) >> 8 for x in range(1, 5)] == [255, 254, 100, 7]


def test_nearest_is_by_eye_and_not_by_bytes():
    """To the eye a dark blue is nearer to a bright blue than to black, though its bytes are as near to black's."""
    full = {i: Material(f"white {i}", (255, 255, 255)) for i in range(1, 254)}
    full |= {254: Material("black", (0, 0, 0)), 255: Material("blue", (0, 0, 255))}
    navy = world_of({(0, 0, 0): 1}, {1: Material("navy", (0, 0, 120))})
    world = pasted(world_of({(0, 0, 0): 1}, full), navy, (0, 0, 0))
    assert world.voxel(0, 0, 0) >> 8 == 255


def test_a_voxel_without_material_is_refused():
    other = new_world({(0, 0, 0): 5 << 8}, Palette())
    with pytest.raises(VoxelwrightError, match="material 5"):
        paste(World(), other, (0, 0, 0))
