# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tops have topings, as a reference in plain loops says, and how they lie on smooth ground."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SIZE, FLAG_SMOOTH, MATERIAL_SHIFT
from voxelwright.voxel.mesh.smooth import mesh_smooth
from voxelwright.voxel.palette import TOPINGS, Material, Palette
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.topings.collect import DENSITY_STEPS, collect_topings
from voxelwright.voxel.topings.surface import MAX_SLOPE, follow_surface
from voxelwright.voxel.world import World, chunks_of_cells, new_world

PALETTE = Palette.of(
    {
        1: Material("stone", (120, 120, 120), toping="stone"),
        2: Material("grass", (90, 140, 60), toping="grass"),
        3: Material("dirt", (120, 80, 40)),
        4: Material("water", (40, 90, 160), opacity=0.6),
        5: Material("meadow", (90, 150, 60), toping="flowers", toping_density=0.5),
        6: Material("kerb", (120, 120, 120), toping="stone", toping_priority=3),
        7: Material("snow", (250, 250, 250), smooth=True, toping="snow"),
    }
)
NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def hash_of(x, y, z):
    bits = (x * 0x8DA6B343 ^ y * 0xD8163841 ^ z * 0xCB1AB31F) & 0xFFFFFFFF
    bits = (bits ^ bits >> 16) * 0x7FEB352D & 0xFFFFFFFF
    bits = (bits ^ bits >> 15) * 0x846CA68B & 0xFFFFFFFF
    return bits ^ bits >> 16


def reference(world):
    """{chunk: [(x, y, z of the instance, bits)]}, in the order of the instances, voxel by voxel."""
    voxels = {}
    for coord in world.coords():
        chunk = world.chunk(coord)
        dense = np.full((32, 32, 32), chunk) if isinstance(chunk, int) else chunk
        for cell in np.argwhere(dense >> MATERIAL_SHIFT > 0).tolist():
            place = tuple(CHUNK_SIZE * c + k for c, k in zip(coord, cell, strict=True))
            voxels[place] = int(dense[tuple(cell)]) >> MATERIAL_SHIFT
    materials = world.palette.materials

    def rank(index):
        entry = materials[index]
        return (-1, 0) if entry is None or entry.toping == "none" else (
            entry.toping_priority, TOPINGS.index(entry.toping)
        )  # fmt: skip

    found = {}
    for (x, y, z), index in voxels.items():
        entry, hashed = materials[index], hash_of(x, y, z)
        if entry is None or entry.toping == "none" or (x, y, z + 1) in voxels:
            continue
        if (hashed & 4095) >= round(entry.toping_density * 4096):
            continue
        variant = 0
        for k, (dx, dy) in enumerate(NEIGHBOURS):
            other = voxels.get((x + dx, y + dy, z))
            if other is not None and (x + dx, y + dy, z + 1) not in voxels:
                variant |= (other == index or rank(other) > rank(index)) << k
        seed = hashed >> 12
        coord = (x >> 5, y >> 5, z >> 5)
        bits = index | variant << 8 | seed << 12
        local = (x & 31, y & 31, z & 31)
        found.setdefault(coord, []).append(((index, variant, seed & 3, local), bits))
    return {
        coord: [((x + 0.5, y + 0.5, z + 1.0), bits) for (*_, (x, y, z)), bits in sorted(entries)]
        for coord, entries in sorted(found.items())
    }


def as_dict(topings):
    ends = np.cumsum(topings.counts)
    listed = list(zip(topings.instances["position"].tolist(), topings.instances["bits"].tolist(), strict=True))
    return {
        tuple(coord): [(tuple(p), bits) for p, bits in listed[end - n : end]]
        for coord, end, n in zip(topings.coords.tolist(), ends.tolist(), topings.counts.tolist(), strict=True)
    }


def world_of(cells, voxels):
    chunks = chunks_of_cells(np.array(cells, np.int64).reshape(-1, 3), np.array(voxels, np.uint16), 1000)
    return new_world(chunks, PALETTE)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.tuples(*[st.sampled_from([-70, -33, -3, 0, 30, 61])] * 3),
    st.floats(0.2, 0.9),
    st.sampled_from([None, None, 0x0100, 0x0210]),
)
def test_instances_are_those_of_plain_loops(seed, corner, share, uniform):
    """Random boxes across borders, of all kinds, with a uniform chunk beside them or without."""
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((6, 5, 6)) < share, rng.integers(1, 9, (6, 5, 6)) << 8, 0)
    cells = np.argwhere(dense > 0) + corner
    world = world_of(cells, dense[dense > 0])
    if uniform is not None:
        chunks = {coord: world.chunk(coord) for coord in world.coords()}
        x, y, z = (c >> 5 for c in corner)
        world = new_world({**chunks, (x, y, z - 1): uniform, (x + 1, y, z): uniform}, PALETTE)
    assert as_dict(finish(collect_topings(world))) == reference(world)


def test_chunks_asked_for_are_those_of_the_whole():
    rng = np.random.default_rng(1)
    cells = np.unique(rng.integers(-40, 40, (4000, 3)), axis=0)
    world = world_of(cells, rng.integers(1, 4, len(cells)) << 8)
    whole = as_dict(finish(collect_topings(world)))
    some = [(0, 0, 0), (-1, -2, 1), (9, 9, 9), (-2, 0, -1)]
    assert as_dict(finish(collect_topings(world, coords=some))) == {c: whole[c] for c in sorted(some) if c in whole}


@pytest.mark.parametrize(("above", "grows"), [(0, True), (0x0420, False), (0x0300, False)])
def test_nothing_grows_under_water_or_ground(above, grows):
    cells, voxels = ([[0, 0, 31]], [0x0200]) if not above else ([[0, 0, 31], [0, 0, 32]], [0x0200, above])
    assert len(finish(collect_topings(world_of(cells, voxels))).instances) == grows


@pytest.mark.parametrize(
    ("here", "beside", "connected"),
    [
        (2, 2, True),  # the same
        (1, 2, True),  # stone gives way to grass
        (2, 1, False),
        (2, 3, False),  # dirt has none
        (2, 6, True),  # unless stone has a higher priority
        (6, 2, False),
        (1, 6, True),
    ],
)
def test_of_two_that_meet_one_gives_way(here, beside, connected):
    topings = finish(collect_topings(world_of([[31, 0, 0], [32, 0, 0]], [here << 8, beside << 8])))
    assert (topings.types[0], topings.variants[0]) == (here, int(connected))


def test_density_is_the_share_of_tops():
    world = new_world({(x, y, 0): 0x0500 for x in range(4) for y in range(4)}, PALETTE)
    n = len(finish(collect_topings(world)).instances)
    assert abs(n / (16 * 1024) - 0.5) < 0.02
    world.palette = Palette.of({5: replace(PALETTE.materials[5], toping_density=0.0)})
    assert not len(finish(collect_topings(world)).instances)
    assert DENSITY_STEPS == 4096


def test_a_world_without_topings_is_not_even_read():
    world = new_world({(0, 0, 0): 0x0300}, PALETTE)
    assert not len(finish(collect_topings(world)).instances)
    assert not len(finish(collect_topings(World())).instances)


# --- Smooth ground ----------------------------------------------------------------------------------------------


def smooth_hill(smoothing):
    """Smooth snow on a gentle slope along x, and a block of grass beside it."""
    x, y, z = np.meshgrid(np.arange(-20, 20), np.arange(-3, 9), np.arange(-6, 8), indexing="ij")
    solid = z <= np.floor(x * 0.3)
    cells = np.stack([x[solid], y[solid], z[solid]], axis=1)
    voxels = np.full(len(cells), 0x0700 | FLAG_SMOOTH)
    world = world_of([*cells.tolist(), [30, 0, 0]], [*voxels.tolist(), 0x0200])
    world.settings = Settings(smoothing)
    return world


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_on_smooth_ground_they_stand_in_the_middle_of_the_tops_quad(smoothing):
    world = smooth_hill(smoothing)
    flat, mesh = finish(collect_topings(world)), finish(mesh_smooth(world))
    topings = follow_surface(flat, mesh)
    grass = topings.types == 2
    assert (topings.instances[grass] == flat.instances[grass]).all()
    assert (topings.slopes[grass] == 0).all()
    # Each lies on one of the mesh's quads, within its own column, by less than a voxel from where it was.
    points = topings.instances["position"] + topings.coords[topings.chunk_of_instance] * CHUNK_SIZE
    middles = mesh.world_positions()[mesh.quads].mean(axis=1)
    for point in points[~grass]:
        assert np.abs(middles - point).max(axis=1).min() < 1e-5
    moved = np.abs(topings.instances["position"] - flat.instances["position"])[~grass]
    assert 0 < moved.max() < 0.5
    inner = (np.abs(points[:, 0]) < 12) & (points[:, 1] > 0) & (points[:, 1] < 6) & ~grass
    assert np.abs(topings.slopes[inner][:, 1]).max() < 0.3
    if smoothing:
        assert abs(topings.slopes[inner][:, 0].mean() - 0.3) < 0.05
    assert np.abs(topings.slopes).max() <= MAX_SLOPE


def test_every_smooth_top_is_found():
    rng = np.random.default_rng(2)
    cells = np.unique(rng.integers(-6, 6, (900, 3)), axis=0)
    world = world_of(cells, rng.choice([0x0700 | FLAG_SMOOTH, 0x0100], len(cells)))
    flat, mesh = finish(collect_topings(world)), finish(mesh_smooth(world))
    topings = follow_surface(flat, mesh)
    away = (topings.instances["position"] != flat.instances["position"]).any(axis=1)
    tilted = (topings.slopes != 0).any(axis=1)
    snow = topings.types == 7
    assert not (away | tilted)[~snow].any()
    middles = mesh.world_positions()[mesh.quads].mean(axis=1)
    points = (topings.instances["position"] + topings.coords[topings.chunk_of_instance] * CHUNK_SIZE)[snow]
    assert all(np.abs(middles - point).max(axis=1).min() < 1e-5 for point in points)
