# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain held to a plain reading of its recipe, column by column; and the same whatever the way it is made."""

import hashlib
import math
from dataclasses import replace

import numba
import numpy as np
import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.generate import terrain
from voxelwright.voxel.generate.preset import Caves, Fractal, Heightmap, Preset, Stratum, parse_toml, preset_from_toml
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette, palette_from_table
from voxelwright.voxel.storage import world_to_bytes

NAMES = ("sand", "grass", "dirt", "stone", "snow", "cliff", "ice")
PALETTE = Palette.of({i + 1: Material(name, (i, i, i), smooth=name == "snow") for i, name in enumerate(NAMES)})
VOXEL = {name: PALETTE.voxel(i + 1) for i, name in enumerate(NAMES)}
INF = float("inf")
STRATA = (
    Stratum(8.0, "sand", "sand", depth=2),
    Stratum(16.0, "grass", "dirt", depth=3, steep=0.6, cliff="cliff"),
    Stratum(20.0, "stone", "stone", depth=0),
    Stratum(INF, "snow", "ice", depth=1, steep=0.9, cliff="stone"),
)
HILLS = Preset(
    name="Hills",
    description="",
    palette="",
    rock="stone",
    heightmap=Heightmap(13.0, 14.0, Fractal(24.0, 3, 2.0, 0.5)),
    strata=STRATA,
    caves=Caves(0.08, Fractal(12.0, 2, 2.0, 0.5), floor=3),
)
SIZE = (37, 33, 18)


def generate(preset=HILLS, size=SIZE, seed=1, palette=PALETTE):
    return finish(terrain.generate(preset, palette, size, seed))


def voxels_of(world, size):
    return world.region((0, 0, 0), size)


@pytest.fixture(scope="module")
def bundled(project_root):
    """A function that reads a preset of the extension: (preset, palette)."""

    def read(name):
        folder = project_root / "presets"
        preset = preset_from_toml((folder / "worlds" / f"{name}.toml").read_text("utf-8"), name)
        text = (folder / "palettes" / f"{preset.palette}.toml").read_text("utf-8")
        return preset, palette_from_table(parse_toml(text, preset.palette))

    return read


# --- What is made ----------------------------------------------------------------------------------------------


def plain_height(plain, heightmap, x, y, table):
    f = heightmap.fractal
    frequency = 1.0 / f.wavelength
    noise = plain.fbm(plain.perlin2, (x * frequency, y * frequency), f.octaves, f.lacunarity, f.gain, table)
    if heightmap.sharpness != 1:
        t = min(max(noise * 0.5 + 0.5, 0.0), 1.0)
        noise = t / (t + heightmap.sharpness * (1.0 - t)) * 2.0 - 1.0
    return heightmap.base + heightmap.amplitude * noise


def plain_is_cave(plain, caves, x, y, z, table):
    if caves is None or z < caves.floor:
        return False
    f = caves.fractal
    frequency = 1.0 / f.wavelength
    position = (x * frequency, y * frequency, z * frequency)
    return abs(plain.fbm(plain.perlin3, position, f.octaves, f.lacunarity, f.gain, table)) < caves.threshold


def plain_column(heights, x, y, strata):
    """(top, surface name, soil name, depth) from a function of columns."""
    height = heights(x, y)
    slope = max(abs(heights(x + 1, y) - heights(x - 1, y)), abs(heights(x, y + 1) - heights(x, y - 1))) * 0.5
    stratum = next(s for s in strata if height < s.below)
    names = (stratum.cliff, stratum.cliff) if slope > stratum.steep else (stratum.surface, stratum.soil)
    return max(math.floor(height), 1), *names, stratum.depth


def plain_world(plain, preset, size, seed):
    """(size) uint16 of a preset's voxels, and how many columns each surface has."""
    table, cave_table = plain.permutation(seed), plain.permutation(seed + 1)
    cache = {
        (x, y): plain_height(plain, preset.heightmap, x, y, table)
        for x in range(-1, size[0] + 1)
        for y in range(-1, size[1] + 1)
    }
    voxels = np.zeros(size, np.uint16)
    surfaces = {}
    for x in range(size[0]):
        for y in range(size[1]):
            top, surface, soil, depth = plain_column(lambda *at: cache[at], x, y, preset.strata)
            surfaces[surface] = surfaces.get(surface, 0) + 1
            for z in range(min(top, size[2])):
                if not plain_is_cave(plain, preset.caves, x, y, z, cave_table):
                    name = surface if z == top - 1 else soil if z >= top - 1 - depth else preset.rock
                    voxels[x, y, z] = VOXEL[name]
    return voxels, surfaces


@pytest.mark.parametrize(
    ("preset", "seed"),
    [
        (HILLS, 1),
        (HILLS, -5),
        (replace(HILLS, caves=None, heightmap=replace(HILLS.heightmap, sharpness=2.5)), 3),
        (replace(HILLS, caves=None, heightmap=replace(HILLS.heightmap, sharpness=0.25, base=0.0)), 3),
    ],
    ids=["hills", "another seed", "sharp", "flat and low"],
)
def test_a_world_equals_plain_python_voxel_for_voxel(plain, preset, seed):
    expected, surfaces = plain_world(plain, preset, SIZE, seed)
    world = generate(preset, seed=seed)
    assert np.array_equal(voxels_of(world, SIZE), expected)
    if preset is HILLS and seed == 1:
        assert {"sand", "grass", "cliff", "stone", "snow"} <= set(surfaces), "the recipe must show every rule"
        assert expected[:, :, -1].any(), "and reach the ceiling"
        assert (expected == 0)[:, :, 3:8].any(), "and have caves"


def test_nothing_lies_outside_the_size():
    for size in ((1, 1, 1), (32, 32, 32), (33, 31, 9), (5, 70, 40)):
        world = generate(size=size)
        low, high = world.bounds()
        assert low == (0, 0, 0)
        assert all(h < n for h, n in zip(high, size, strict=True))
        assert high[:2] == (size[0] - 1, size[1] - 1)
        assert world.material_counts()[1:].sum() == np.count_nonzero(voxels_of(world, size))


def test_a_world_stands_on_the_ground_everywhere():
    deep = replace(HILLS, heightmap=replace(HILLS.heightmap, base=0.0), caves=None)
    assert voxels_of(generate(deep), SIZE)[:, :, 0].all(), "one voxel remains where the height is below 1"


def test_the_worlds_palette_is_the_given_one():
    assert generate().palette == PALETTE


# --- Caves -----------------------------------------------------------------------------------------------------


def test_caves_only_take_away_and_leave_the_floor():
    solid, hollow = (voxels_of(generate(replace(HILLS, caves=caves)), SIZE) for caves in (None, HILLS.caves))
    assert np.all((hollow == solid) | (hollow == 0))
    assert np.count_nonzero(hollow) < np.count_nonzero(solid)
    assert np.array_equal(hollow[:, :, :3], solid[:, :, :3])


def test_caves_of_the_greatest_threshold_take_all_but_the_floor():
    # Two octaves of 3D noise stay below 1 in this world.
    hollow = voxels_of(generate(replace(HILLS, caves=replace(HILLS.caves, threshold=1.0, floor=2))), SIZE)
    assert np.count_nonzero(hollow[:, :, 2:]) == 0
    assert hollow[:, :, 0].all()


def test_caves_of_no_threshold_take_nothing():
    hollow = generate(replace(HILLS, caves=replace(HILLS.caves, threshold=0.0, floor=0)))
    assert world_to_bytes(hollow) == world_to_bytes(generate(replace(HILLS, caves=None)))


# --- The same, whatever the way --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rolling_hills", "alpine"])
def test_a_smaller_world_is_a_crop_of_a_larger_one(bundled, name):
    preset, palette = bundled(name)
    large = generate(preset, (192, 192, 256), 7, palette)
    for size in ((100, 60, 256), (33, 192, 50)):
        small = generate(preset, size, 7, palette)
        assert np.array_equal(voxels_of(small, size), voxels_of(large, size))
        assert set(small.coords()) <= set(large.coords())


def reverse(coords):
    return coords[::-1]


def shuffle(coords):
    return [coords[i] for i in np.random.default_rng(1).permutation(len(coords))]


@pytest.mark.parametrize("n_batch", [1, 3, 1000])
@pytest.mark.parametrize("order", [reverse, shuffle, list])
def test_chunks_do_not_depend_on_order_or_batches(monkeypatch, n_batch, order):
    size = (70, 50, 64)
    expected = world_to_bytes(generate(size=size))
    coords = terrain._coords(size)
    monkeypatch.setattr(terrain, "BATCH_CHUNKS", n_batch)
    monkeypatch.setattr(terrain, "_coords", lambda _: order(coords))
    assert world_to_bytes(generate(size=size)) == expected


def test_chunks_do_not_depend_on_the_number_of_threads():
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("this machine has one thread")
    size = (96, 64, 64)
    before = numba.get_num_threads()
    made = set()
    try:
        for n_threads in (1, 2, numba.config.NUMBA_NUM_THREADS):
            numba.set_num_threads(n_threads)
            made.add(world_to_bytes(generate(size=size)))
    finally:
        numba.set_num_threads(before)
    assert len(made) == 1


def test_seeds_give_different_worlds():
    made = {world_to_bytes(generate(seed=seed)) for seed in (0, 1, 2, -1, 10**30)}
    assert len(made) == 5
    assert world_to_bytes(generate(seed=1 << 64)) == world_to_bytes(generate(seed=0)), "64 bits of a seed count"


@pytest.mark.parametrize(
    ("name", "seed", "digest"),
    [
        ("rolling_hills", 1, "b32b2683418d9d598da968256d9656e82cbe08f8a1550a078c23a6c04c3b2428"),
        ("alpine", 1, "358a9decb5c5c27371132183130066c0db93d1470c0284fff9a44289285377bd"),
    ],
)
def test_bundled_presets_are_frozen(bundled, name, seed, digest):
    # Users expect their seed to give their world again. Whoever means to change it writes the new digest here and a
    # line into the changelog.
    preset, palette = bundled(name)
    size = (70, 50, 128)
    assert hashlib.sha256(voxels_of(generate(preset, size, seed, palette), size).tobytes()).hexdigest() == digest


# --- Jobs and limits -------------------------------------------------------------------------------------------


def test_progress_rises_from_0_to_1():
    seen = []
    finish(terrain.generate(HILLS, PALETTE, (160, 160, 96), 1), seen.append)
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == 1
    assert len(fractions) > 2
    assert all(progress.what for progress in seen)


def test_a_job_that_is_closed_leaves_nothing_behind():
    size = (100, 100, 96)
    expected = world_to_bytes(generate(size=size))
    n_slices = sum(1 for _ in terrain.generate(HILLS, PALETTE, size, 1))
    for n in range(n_slices):
        job = terrain.generate(HILLS, PALETTE, size, 1)
        for _ in range(n):
            next(job)
        job.close()
        with pytest.raises(StopIteration):
            next(job)
    assert world_to_bytes(generate(size=size)) == expected


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((0, 10, 10), r"must be 1 to 4096 voxels on each axis, not \(0, 10, 10\)"),
        ((10, 10, -3), "must be 1 to 4096 voxels on each axis"),
        ((10, 4097, 10), "must be 1 to 4096 voxels on each axis"),
        ((10**30, 10, 10), "must be 1 to 4096 voxels on each axis"),
        ((4096, 4096, 129), "4096×4096×129 voxels are 81920 chunks; the limit is 65536. Make it smaller"),
    ],
)
def test_sizes_beyond_the_limits_are_refused_at_once(size, message):
    job = terrain.generate(HILLS, PALETTE, size, 1)
    with pytest.raises(VoxelwrightError, match=message) as error:
        next(job)
    assert str(error.value).endswith(".")


def test_the_largest_sizes_are_not_refused():
    for size in ((4096, 4096, 128), (4096, 1, 4096), (1, 1, 1)):
        terrain.check_size(size)


@pytest.mark.parametrize("changes", [{"rock": "gold"}, {"strata": (Stratum(INF, "gold", "dirt"),)}])
def test_materials_that_the_palette_lacks_are_named(changes):
    with pytest.raises(VoxelwrightError, match='no material "gold"'):
        generate(replace(HILLS, **changes))


# --- Ground below given heights --------------------------------------------------------------------------------


def ground(heights, strata=STRATA[-1:], low=0.0, high=100.0):
    return finish(terrain.ground(np.array(heights, np.float64), strata, "stone", PALETTE, low, high))


def test_columns_have_their_heights_exactly():
    rng = np.random.default_rng(1)
    heights = rng.uniform(0, 70, (45, 70))
    heights[0, :5] = [0.0, 0.999, 1.0, 1.999, 2.0]
    heights[1, :3] = [31.999, 32.0, 33.0]
    voxels = ground(heights).region((0, 0, 0), (45, 70, 80))
    tops = np.maximum(np.floor(heights), 1).astype(int)
    assert np.array_equal(voxels > 0, np.arange(80) < tops[:, :, None])


def test_the_highest_column_is_whole():
    for top in (1.0, 5.7, 32.0, 64.5):
        assert ground([[0.0, top]]).bounds() == ((0, 0, 0), (0, 1, int(top) - 1))


def test_strata_are_fractions_of_the_range():
    strata = (Stratum(0.25, "sand", "sand"), Stratum(0.5, "grass", "dirt"), Stratum(INF, "snow", "ice"))
    heights = [[20.0, 29.99], [30.0, 39.9], [40.0, 60.0]]  # a quarter of 20 … 60 is at 30, a half at 40
    world = ground(heights, strata, 20.0, 60.0)
    surfaces = [[world.voxel(x, y, int(heights[x][y]) - 1) for y in range(2)] for x in range(3)]
    names = [["sand", "sand"], ["grass", "grass"], ["snow", "snow"]]
    assert surfaces == [[VOXEL[name] for name in row] for row in names]


@pytest.mark.parametrize(("steep", "cliffs"), [(1.0, [4, 5]), (0.7, [3, 4, 5, 6])])
def test_steep_ground_is_cliff_down_to_its_depth(steep, cliffs):
    # Level, then rising by 1.5 a voxel. Where the rise begins, and at the world's edge, the mean of both sides is 0.75.
    strata = (Stratum(INF, "grass", "dirt", depth=2, steep=steep, cliff="cliff"),)
    heights = np.array([[10.0 + max(0, x - 3) * 1.5] * 3 for x in range(7)])
    for world, axes in ((ground(heights, strata), (0, 1, 2)), (ground(heights.T, strata), (1, 0, 2))):
        voxels = voxels_of(world, (7, 3, 15) if axes[0] == 0 else (3, 7, 15)).transpose(axes)
        for x in range(7):
            top = int(heights[x, 1])
            names = ["cliff"] * 3 if x in cliffs else ["dirt", "dirt", "grass"]
            assert voxels[x, 1, top - 4 : top].tolist() == [VOXEL[name] for name in ("stone", *names)]


def test_a_slope_of_exactly_steep_is_not_steep():
    strata = (Stratum(INF, "grass", "dirt", steep=1.0, cliff="cliff"),)
    assert ground([[float(5 + x)] for x in range(5)], strata).voxel(2, 0, 6) == VOXEL["grass"]


def test_heightmaps_beyond_the_limits_are_refused_before_any_work():
    with pytest.raises(VoxelwrightError, match="1 to 4096 voxels on each axis"):
        terrain.ground(np.zeros((4097, 1)), STRATA, "stone", PALETTE, 0.0, 100.0)
    with pytest.raises(VoxelwrightError, match="81920 chunks; the limit is 65536"):
        terrain.ground(np.full((4096, 4096), 129.0), STRATA, "stone", PALETTE, 0.0, 100.0)
