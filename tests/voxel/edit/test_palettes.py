# SPDX-License-Identifier: GPL-3.0-or-later
"""Palettes changed: what is seen, what voxels become, and that it is taken back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.voxel.edit import palettes
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import new_world, same_chunk

KINDS = (
    Material("stone", (128, 126, 124)),
    Material("snow", (250, 250, 250), smooth=True),
    Material("glass", (180, 200, 220), opacity=0.3),
    Material("lamp", (255, 240, 200), emission=5.0),
)


@st.composite
def worlds(draw):
    """Worlds of some materials, at any indices, not all of them in use; two uniform chunks and a mixed one."""
    indices = draw(st.lists(st.sampled_from([1, 2, 3, 7, 100, 254, 255]), min_size=1, max_size=7, unique=True))
    palette = Palette.of({index: replace(KINDS[n % 4], name=f"{n}") for n, index in enumerate(indices)})
    used = draw(st.lists(st.sampled_from(indices), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    voxels = np.array([0, *(palette.voxel(index) for index in used)], np.uint16)
    mixed = rng.choice(voxels, (32, 32, 32)) | np.uint16(0x0081)
    mixed[mixed < 0x0100] = 0
    return new_world({(0, 0, 0): int(voxels[1]), (5, 0, -1): int(voxels[-1]), (-1, 2, 3): mixed}, palette)


def seen(world):
    """The material and the own bits of every voxel."""
    found = {}
    for coord in world.coords():
        voxels = np.broadcast_to(np.asarray(world.chunk(coord), np.uint16), (32, 32, 32))
        found[coord] = [(world.palette.materials[v >> 8], v & 0x00FF) for v in voxels[::5, ::3, ::3].ravel().tolist()]
    return found


def undone(world, edit):
    """Apply the edit and take it back: the world must be as it was. Then apply it again."""
    before, palette = {coord: world.chunk(coord) for coord in world.coords()}, world.palette
    world.apply(edit)
    world.apply(edit.inverse())
    assert world.palette == palette
    assert dict.fromkeys(before, True) == {c: same_chunk(world.chunk(c), before[c]) for c in world.coords()}
    world.apply(edit)


@given(worlds(), st.data())
def test_reordered_materials_are_seen_as_before(world, data):
    indices = [index for index, _ in world.palette.items()]
    index, steps = data.draw(st.sampled_from(indices)), data.draw(st.integers(-8, 8))
    before, names = seen(world), [material.name for _, material in world.palette.items()]
    material = world.palette.materials[index]
    edit, now = palettes.move_material(world, index, steps)
    undone(world, edit)
    assert seen(world) == before
    assert world.palette.materials[now] == material
    assert [i for i, _ in world.palette.items()] == indices
    place = names.index(material.name)
    names.insert(min(max(place + steps, 0), len(names) - 1), names.pop(place))
    assert [m.name for _, m in world.palette.items()] == names


@given(worlds())
def test_purged_palettes_have_what_is_seen(world):
    before = seen(world)
    undone(world, palettes.purge_materials(world))
    assert seen(world) == before
    counts = world.material_counts()
    assert all(counts[index] for index, _ in world.palette.items())
    assert not palettes.purge_materials(world)


@given(worlds(), st.data())
def test_merged_materials_are_seen_as_the_other(world, data):
    indices = [index for index, _ in world.palette.items()]
    index, into = data.draw(st.sampled_from(indices)), data.draw(st.sampled_from(indices))
    if index == into:
        with pytest.raises(VoxelwrightError, match="cannot be merged into itself"):
            palettes.merge_material(world, index, into)
        return
    gone, target = world.palette.materials[index], world.palette.materials[into]
    flags = target.voxel(0)
    expected = {
        coord: [(target, bits & 0x8F | flags) if material == gone else (material, bits) for material, bits in voxels]
        for coord, voxels in seen(world).items()
    }
    undone(world, palettes.merge_material(world, index, into))
    assert seen(world) == expected
    assert world.palette.materials[index] is None


@given(worlds(), st.data(), st.sampled_from(KINDS))
def test_voxels_become_what_their_material_is(world, data, kind):
    index = data.draw(st.sampled_from([index for index, _ in world.palette.items()]))
    was, material = world.palette.materials[index], replace(kind, name="new")
    before = seen(world)
    edit = palettes.set_material(world, index, material)
    undone(world, edit)
    expected = {
        coord: [(material, bits & 0x8F | material.voxel(0)) if m == was else (m, bits) for m, bits in voxels]
        for coord, voxels in before.items()
    }
    assert seen(world) == expected
    if was.voxel(0) == kind.voxel(0):
        assert not edit.deltas


def test_only_what_the_material_changes_changes_in_voxels():
    """A voxel may be smooth where its material is not, after everything was made smooth."""
    world = new_world({(0, 0, 0): 0x0110}, Palette.of({1: KINDS[0]}))
    world.apply(palettes.set_material(world, 1, replace(KINDS[0], emission=1.0)))
    assert world.chunk((0, 0, 0)) == 0x0150


def test_a_new_material_takes_the_lowest_index_and_a_free_name():
    world = new_world({}, Palette.of({1: KINDS[0], 3: KINDS[1]}))
    for expected in (2, 4, 5):
        edit, index = palettes.add_material(world, KINDS[0])
        undone(world, edit)
        assert index == expected
    assert [m.name for _, m in world.palette.items()] == ["stone", "stone.001", "snow", "stone.002", "stone.003"]
    world.apply(palettes.set_material(world, 2, replace(KINDS[1], color=(1, 2, 3))))
    assert world.palette.materials[2] == replace(KINDS[1], color=(1, 2, 3), name="snow.001")
    assert not palettes.set_material(world, 3, KINDS[1]), "its own name is not taken"


def test_long_names_stay_names():
    world = new_world({}, Palette.of({1: replace(KINDS[0], name="x" * 60)}))
    edit, _ = palettes.add_material(world, replace(KINDS[0], name="x" * 60))
    assert edit.palette_after.materials[2].name == "x" * 56 + ".001"


def test_a_full_palette_takes_no_other():
    world = new_world({}, Palette.of({i: replace(KINDS[0], name=f"{i}") for i in range(1, 256)}))
    with pytest.raises(VoxelwrightError, match=r"at most 255 materials; merge some, or purge unused ones\.$"):
        palettes.add_material(world, KINDS[0])


def test_one_material_stays_where_none_is_in_use():
    world = new_world({}, Palette.of({4: KINDS[0], 5: KINDS[1]}))
    world.apply(palettes.purge_materials(world))
    assert world.palette.items() == [(4, KINDS[0])]
    empty = new_world({}, Palette())
    assert not palettes.purge_materials(empty)


@pytest.mark.parametrize("index", [-1, 0, 2, 256])
def test_materials_that_are_not_there_are_refused(index):
    world = new_world({}, Palette.of({1: KINDS[0]}))
    for change in (
        lambda: palettes.set_material(world, index, KINDS[0]),
        lambda: palettes.move_material(world, index, 1),
        lambda: palettes.merge_material(world, index, 1),
        lambda: palettes.merge_material(world, 1, index),
    ):
        with pytest.raises(VoxelwrightError, match=f"The palette has no material {index}"):
            change()


def test_chunks_that_have_nothing_of_it_are_shared():
    world = new_world({(0, 0, 0): 0x0100, (1, 0, 0): 0x0200}, Palette.of({1: KINDS[0], 2: KINDS[0]}))
    edit = palettes.merge_material(world, 2, 1)
    assert [delta.coord for delta in edit.deltas] == [(1, 0, 0)]
