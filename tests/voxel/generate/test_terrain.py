# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain held to a plain reading of its recipe, column by column; and the same whatever the way it is made."""

import hashlib
import math
from dataclasses import replace

import numba
import numpy as np
import pytest

from voxelwright.addon import presets
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.generate import terrain
from voxelwright.voxel.generate.preset import Stratum, preset_from_toml
from voxelwright.voxel.generate.program import node_seed
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes

NAMES = ("sand", "grass", "dirt", "stone", "snow", "cliff", "ice", "water", "bark", "leaves")
PALETTE = Palette.of(
    {
        i + 1: Material(name, (i, i, i), smooth=name == "snow", opacity=0.5 if name == "water" else 1.0)
        for i, name in enumerate(NAMES)
    }
)
VOXEL = {name: PALETTE.voxel(i + 1) for i, name in enumerate(NAMES)}
HILLS = preset_from_toml(
    """
name = "Hills"
description = "For tests"
palette = "none"
heights = "ground"
rock = "stone"
water = {level = 9, material = "water"}
nodes.ground = {type = "perlin", wavelength = 24, octaves = 3, scale = 14, offset = 13}
nodes.moisture = {type = "perlin", wavelength = 17, octaves = 2}

[[strata]]
below = 8
surface = "sand"
soil = "sand"
depth = 2

[[strata]]
below = 16
node = "moisture"
at_least = 0.1
at_most = 0.5
surface = "ice"
soil = "dirt"

[[strata]]
below = 16
surface = "grass"
soil = "dirt"
steep = 0.6
cliff = "cliff"

[[strata]]
surface = "snow"
soil = "rock"
depth = 1

[[caves]]
threshold = 0.08
wavelength = 12
octaves = 2
floor = 3
cover = 4
mouths = 0.5

[[caves]]
kind = "caverns"
threshold = 0.45
wavelength = 9
octaves = 2
flatness = 2
floor = 2
""",
    "hills.toml",
)
BARE = replace(HILLS, caves=(), water=None)
SIZE = (37, 33, 19)
BUNDLED = presets.world_preset_names()


def generate(preset=HILLS, size=SIZE, seed=1, palette=PALETTE, **how):
    return finish(terrain.generate(preset, palette, size, seed, **how))


def voxels_of(world, size):
    return world.region((0, 0, 0), size)


def bundled(name, size, seed=1, **how):
    preset = presets.world_preset(name)
    return generate(preset, size, seed, presets.palette(preset.palette), **how)


# --- What is made ----------------------------------------------------------------------------------------------


class Plain:
    """A preset like HILLS, read column by column in plain Python."""

    def __init__(self, plain, preset, seed):
        self.plain, self.preset, self.seed = plain, preset, seed
        self.tables = {}

    def noise(self, name, position, values, stretch=(1, 1, 1)):
        table = self.tables.setdefault(name, self.plain.permutation(node_seed(self.seed, name)))
        scaled = tuple(p / (values["wavelength"] * s) for p, s in zip(position, stretch, strict=False))
        how = values["octaves"], values["lacunarity"], values["gain"]
        return self.plain.fractal(lambda p: self.plain.perlin(p, table), scaled, *how)

    def node(self, name, x, y):
        values = self.preset.nodes[name].values
        return self.noise(name, (x, y), values) * values["scale"] + values["offset"]

    def is_cave(self, x, y, z, top):
        level = self.preset.water.level if self.preset.water else 0
        for i, cave in enumerate(self.preset.caves):
            depth, cover, mouths = top - z, cave.cover, cave.mouths
            if z < cave.floor or (top <= level and depth <= 5):
                continue
            if top <= level:
                cover, mouths = max(cover, 5), 0
            width = mouths + (1 - mouths) * depth / cover if depth < cover else 1
            values = {key: getattr(cave, key) for key in ("wavelength", "octaves", "lacunarity", "gain")}
            noise = self.noise(f"cave {i}", (x, y, z), values, (1, 1, 1 / cave.flatness))
            if (
                noise > 1 - (1 - cave.threshold) * width
                if cave.kind == "caverns"
                else abs(noise) < cave.threshold * width
            ):
                return True
        return False

    def column(self, x, y):
        """(top, surface name, soil name, depth)."""
        height = self.node("ground", x, y)
        slope = max(
            abs(self.node("ground", x + 1, y) - self.node("ground", x - 1, y)),
            abs(self.node("ground", x, y + 1) - self.node("ground", x, y - 1)),
        )
        for s in self.preset.strata:
            if height < s.below and (not s.node or s.at_least <= self.node(s.node, x, y) <= s.at_most):
                break
        names = (s.cliff, s.cliff) if slope / 2 > s.steep else (s.surface, s.soil)
        return max(math.floor(height), 1), *names, s.depth

    def world(self, size):
        voxels = np.zeros(size, np.uint16)
        surfaces = set()
        for x in range(size[0]):
            for y in range(size[1]):
                top, surface, soil, depth = self.column(x, y)
                surfaces.add(surface)
                for z in range(size[2]):
                    if z < top and not self.is_cave(x, y, z, top):
                        name = surface if z == top - 1 else soil if z >= top - 1 - depth else "rock"
                        voxels[x, y, z] = VOXEL["stone" if name == "rock" else name]
                    elif z >= top and self.preset.water and z < self.preset.water.level:
                        voxels[x, y, z] = VOXEL["water"]
        return voxels, surfaces


@pytest.mark.parametrize(
    ("preset", "seed", "size"),
    [(HILLS, 1, SIZE), (HILLS, -5, (9, 34, 40)), (BARE, 3, SIZE)],
    ids=["hills", "another", "bare"],
)
def test_a_world_equals_plain_python_voxel_for_voxel(plain, preset, seed, size):
    expected, surfaces = Plain(plain, preset, seed).world(size)
    voxels = voxels_of(generate(preset, size, seed), size)
    assert np.array_equal(voxels, expected)
    if seed == 1:
        assert {"sand", "grass", "cliff", "ice", "snow"} <= surfaces, "the recipe must show every rule"
        assert expected[:, :, -1].any(), "and reach the ceiling"
        assert (expected == VOXEL["water"]).any(), "and have water"
        solid = voxels_of(generate(replace(preset, caves=()), seed=seed), SIZE)
        assert np.count_nonzero(expected != solid) > 100, "and have caves"


def test_layers_lie_on_each_other_and_tilt():
    layers = [{"material": "stone", "thickness": 2}, {"material": "ice", "thickness": 1}]
    flat = replace(BARE, layers=tuple(terrain.Layer(**layer) for layer in layers))
    voxels = voxels_of(generate(flat), SIZE)
    deep = voxels[:, :, 0:2]
    assert set(np.unique(deep)) <= {VOXEL[name] for name in ("stone", "sand", "dirt", "grass", "cliff", "ice", "snow")}
    rock = [("stone", "stone", "ice")[z % 3] for z in range(SIZE[2])]
    high = np.argmax(voxels[:, :, 15] > 0)
    x, y = divmod(int(high), SIZE[1])
    assert [voxels[x, y, z] for z in range(6)] == [VOXEL[name] for name in rock[:6]]
    tilted = voxels_of(generate(replace(flat, tilt="moisture")), SIZE)
    assert not np.array_equal(tilted, voxels)
    assert np.array_equal(tilted > 0, voxels > 0)


def test_nothing_lies_outside_the_size():
    for size in ((1, 1, 1), (32, 32, 32), (33, 31, 9), (5, 70, 40)):
        world = generate(BARE, size=size)
        low, high = world.bounds()
        assert low == (0, 0, 0)
        assert all(h < n for h, n in zip(high, size, strict=True))
        assert high[:2] == (size[0] - 1, size[1] - 1)
        assert world.material_counts()[1:].sum() == np.count_nonzero(voxels_of(world, size))


def test_a_world_stands_on_the_ground_everywhere():
    deep = replace(BARE, nodes={**BARE.nodes, "ground": sunk(BARE.nodes["ground"])})
    assert voxels_of(generate(deep), SIZE)[:, :, 0].all(), "one voxel remains where the height is below 1"


def sunk(node):
    return replace(node, values={**node.values, "offset": -50.0})


def test_the_worlds_palette_is_the_given_one():
    assert generate().palette == PALETTE


def test_heights_beyond_all_numbers_make_a_world_all_the_same():

    text = [f"nodes.n{i} = {{type = 'multiply', of = ['n{i - 1}', 'n{i - 1}']}}" for i in range(1, 9)]
    text = "\n".join(["nodes.n0 = {type = 'constant', value = 100000}", *text])
    text += "\nnodes.n9 = {type = 'multiply', of = ['n8'], scale = -1}\nnodes.none = {type = 'add', of = ['n8', 'n9']}"

    for name in ("n8", "n9", "none"):
        head = f"name = 'a'\ndescription = 'b'\npalette = 'c'\nrock = 'stone'\nheights = '{name}'\n"
        preset = preset_from_toml(head + text + "\n[[strata]]\nsurface = 'sand'\nsoil = 'sand'\n", "x")
        world = generate(preset, (40, 3, 5))
        assert voxels_of(world, (40, 3, 5))[:, :, 0].all()


# --- Density and features ----------------------------------------------------------------------------------------

ISLANDS = r"""
name = "Islands"
description = "For tests"
palette = "none"
heights = "top"
density = "solid"
rock = "stone"
cave_floor = "ice"
nodes.top = {type = "perlin", wavelength = 30, scale = 8, offset = 30}
nodes.depth = {type = "depth"}
nodes.holes = {type = "perlin", wavelength = 14, octaves = 2, space = "solid", scale = 20, offset = 4}
nodes.solid = {type = "minimum", of = ["depth", "holes"]}
strata = [{surface = "grass", soil = "dirt", depth = 2}]
features = [
    {stamps = ["post"], spacing = 6, on = ["grass"]},
    {stamps = ["cap", "post"], spacing = 5, on = ["grass"], place = "inside"},
]
stamps.post = {layers = ["t", "t", "t"], materials = {t = "bark"}}
stamps.cap = {layers = ["...\n.t.\n...", "lll\nlll\nll."], materials = {t = "bark", l = "leaves"}}
"""
PLAIN_ISLANDS = preset_from_toml(ISLANDS, "islands.toml")


def test_density_says_what_is_ground_and_how_deep(plain):
    size = (34, 12, 70)
    voxels = voxels_of(generate(replace(PLAIN_ISLANDS, features=()), size), size)
    reader = Plain(plain, PLAIN_ISLANDS, 1)
    values = PLAIN_ISLANDS.nodes["holes"].values
    inside = 0
    for x, y in ((0, 0), (33, 11), (31, 5), (32, 6), (7, 3)):
        top = reader.node("top", x, y)
        solid = [min(top - z - 0.5, reader.noise("holes", (x, y, z), values) * 20 + 4) > 0 for z in range(size[2] + 4)]
        for z in range(size[2]):
            if not solid[z]:
                assert voxels[x, y, z] == 0
                continue
            above = next(n for n in range(4) if n == 3 or not solid[z + n + 1])
            name = ("grass", "dirt", "dirt", "stone")[above]
            if above < 3 and z < math.floor(top) - 8:
                name, inside = "ice", inside + 1
            assert voxels[x, y, z] == VOXEL[name], (x, y, z)
    assert inside


def test_features_stand_whole_on_their_ground():
    size = (96, 70, 64)
    ground = voxels_of(generate(replace(PLAIN_ISLANDS, features=()), size), size)
    voxels = voxels_of(generate(PLAIN_ISLANDS, size), size)
    bark, leaves = voxels == VOXEL["bark"], voxels == VOXEL["leaves"]
    assert np.array_equal(np.where(bark | leaves, 0, voxels), ground), "they take air alone"
    assert bark.sum() > 150
    assert leaves.sum() > 60
    feet = bark & ~np.roll(bark, 1, axis=2)
    below = np.roll(ground, 1, axis=2)
    assert np.isin(below[feet & (np.roll(leaves, 1, axis=2) == 0)], [VOXEL["grass"], VOXEL["ice"]]).all()


def test_features_on_chunk_borders_are_whole():
    text = ISLANDS.replace('density = "solid"\n', "").replace(
        'nodes.top = {type = "perlin", wavelength = 30, scale = 8,',
        'nodes.top = {type = "perlin", wavelength = 30, scale = 0,',
    )
    preset = preset_from_toml(text.replace('stamps = ["post"], spacing = 6', 'stamps = ["cap"], spacing = 7'), "x")
    preset = replace(preset, features=preset.features[:1])
    for seed in range(3):
        voxels = voxels_of(generate(preset, (96, 96, 40), seed), (96, 96, 40))
        n_bark, n_leaves = np.count_nonzero(voxels == VOXEL["bark"]), np.count_nonzero(voxels == VOXEL["leaves"])
        assert n_bark > 100
        # A cap whose trunk's place is taken by another's leaves is the only one that is not whole.
        assert n_bark * 8 * 0.9 <= n_leaves <= n_bark * 8


# --- Erosion -----------------------------------------------------------------------------------------------------


def test_slides_keep_the_ground_and_rest_at_the_talus():
    from voxelwright.voxel.generate.erosion import erode
    from voxelwright.voxel.generate.preset import Erosion

    field = np.zeros((40, 50), np.float32)
    field[20, 20] = 60
    after = finish(erode(field, [Erosion("thermal", amount=20, strength=1.0, talus=1.0)], 1))
    assert after.sum() == pytest.approx(60, rel=1e-5)
    assert np.abs(np.diff(after, axis=0)).max() < 3.0
    assert field[20, 20] == 60, "the given field stays"
    gentle = np.tile(np.arange(50, dtype=np.float32) * 0.9, (40, 1))
    assert np.array_equal(finish(erode(gentle, [Erosion("thermal", talus=1.0)], 1)), gentle)


def test_rain_carves_channels_and_loses_little_inside():
    from voxelwright.voxel.generate.erosion import erode
    from voxelwright.voxel.generate.preset import Erosion

    rng = np.random.default_rng(1)
    slope = (np.arange(90)[:, None] * 0.6 + rng.normal(0, 0.3, (90, 90))).astype(np.float32)
    rained = [finish(erode(slope, [Erosion("hydraulic", amount=1.0)], seed)) for seed in (1, 1, 2)]
    assert rained[0].tobytes() == rained[1].tobytes() != rained[2].tobytes()
    change = rained[0] - slope
    assert np.isfinite(change).all()
    assert change[30:60, 30:60].min() < -0.5
    assert change.max() > 0.05
    assert np.abs(change).max() < 40


# --- The same, whatever the way --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in BUNDLED if not presets.world_preset(name).erosion])
def test_a_smaller_world_is_a_crop_of_a_larger_one(name):
    # But for features at its sides: what would stand out there is left out, and leaves room to others.
    large = voxels_of(bundled(name, (150, 130, 256), 7), (150, 130, 256))
    for size in ((100, 60, 256), (33, 130, 50)):
        small = voxels_of(bundled(name, size, 7), size)
        crop = large[: size[0], : size[1], : size[2]]
        margin = 20 if presets.world_preset(name).features else 0
        inner = np.s_[: size[0] - margin or None, : size[1] - margin or None]
        assert np.array_equal(small[inner], crop[inner])


def reverse(coords):
    return coords[::-1]


def shuffle(coords):
    return [coords[i] for i in np.random.default_rng(1).permutation(len(coords))]


@pytest.mark.parametrize("preset", [HILLS, PLAIN_ISLANDS], ids=["hills", "islands"])
@pytest.mark.parametrize("n_batch", [1, 3, 1000])
@pytest.mark.parametrize("order", [reverse, shuffle, list])
def test_chunks_do_not_depend_on_order_or_batches(monkeypatch, preset, n_batch, order):
    size = (70, 50, 64)
    expected = world_to_bytes(generate(preset, size))
    coords = terrain._coords(size)
    monkeypatch.setattr(terrain, "BATCH_CHUNKS", n_batch)
    monkeypatch.setattr(terrain, "_coords", lambda _: order(coords))
    assert world_to_bytes(generate(preset, size)) == expected


@pytest.mark.parametrize("name", ["hills", *BUNDLED])
def test_chunks_do_not_depend_on_the_number_of_threads(name):
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("this machine has one thread")
    before = numba.get_num_threads()
    made = set()
    try:
        for n_threads in (1, 2, numba.config.NUMBA_NUM_THREADS):
            numba.set_num_threads(n_threads)
            made.add(world_to_bytes(generate() if name == "hills" else bundled(name, (70, 40, 130))))
    finally:
        numba.set_num_threads(before)
    assert len(made) == 1


def test_seeds_give_different_worlds():
    made = {world_to_bytes(generate(seed=seed)) for seed in (0, 1, 2, -1, 10**30)}
    assert len(made) == 5
    assert world_to_bytes(generate(seed=1 << 64)) == world_to_bytes(generate(seed=0)), "64 bits of a seed count"


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_presets_are_frozen(name):
    # Users expect their seed to give their world again. Whoever means to change it writes the new digest here and a
    # line into the changelog.
    size = (70, 50, 256)
    assert hashlib.sha256(voxels_of(bundled(name, size), size).tobytes()).hexdigest()[:24] == DIGESTS[name]


DIGESTS = {
    "rolling_hills": "35c7688b7ea851a027e0a7e1",
    "alpine": "c0e96abbee2390be6cbcc7e8",
    "caverns": "787d25c8ed65a35d476a9b67",
    "dunes": "fb677f3a0ea9a7490787f997",
    "floating_islands": "35bd59b81e80f159a0e5cf02",
    "islands": "c0516a006550f84df17a0465",
    "mesas": "096cd146e752eecf778a91da",
    "terraces": "298585a78d62895bef563fed",
}


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_presets_are_not_cut_off(name):
    for seed in range(1, 5):
        highest = bundled(name, (128, 128, 256), seed).bounds()[1][2]
        assert 30 < highest < 255


# --- Phases ------------------------------------------------------------------------------------------------------


def test_a_phase_moves_the_ground_and_comes_back():
    start = world_to_bytes(generate())
    assert world_to_bytes(generate(phase=1.0)) == start
    assert world_to_bytes(generate(phase=0.02)) != start


def test_reduced_worlds_leave_out_what_takes_long():
    reduced = generate(reduced=True)
    assert reduced.bounds()[1][:2] == (SIZE[0] - 1, SIZE[1] - 1)
    assert (voxels_of(reduced, SIZE)[:, :, :2] > 0).all(), "no caves"
    islands = voxels_of(generate(PLAIN_ISLANDS, (40, 40, 64), reduced=True), (40, 40, 64))
    assert not np.isin(islands, [VOXEL["bark"], VOXEL["leaves"]]).any()


@pytest.mark.parametrize("preset", [HILLS, PLAIN_ISLANDS], ids=["hills", "islands"])
def test_regenerating_is_an_edit_of_what_changes(preset):
    size = (96, 64, 64)
    world = generate(preset, size)
    assert not finish(terrain.regenerate(world, preset, size, 1))
    for phase, reduced in ((0.01, True), (0.02, True), (0.02, False), (1.0, False)):
        edit = finish(terrain.regenerate(world, preset, size, 1, phase, reduced))
        assert all(not np.array_equal(d.before, d.after) for d in edit.deltas)
        world.apply(edit)
        expected = generate(preset, size, phase=phase, reduced=reduced)
        assert world_to_bytes(world) == world_to_bytes(expected)


# --- Jobs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", [HILLS, PLAIN_ISLANDS, presets.world_preset("alpine")], ids=["a", "b", "c"])
def test_progress_grows_from_0_to_1(preset):
    palette = PALETTE if preset in (HILLS, PLAIN_ISLANDS) else presets.palette("default")
    seen = []
    finish(terrain.generate(preset, palette, (100, 100, 100), 1), seen.append)
    fractions = [progress.fraction for progress in seen]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] < 0.3
    assert fractions[-1] == 1
    assert len(seen) >= 3


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((0, 5, 5), "1 to 4096 voxels on each axis"),
        ((5, -1, 5), "1 to 4096 voxels on each axis"),
        ((5, 5, 4097), "1 to 4096 voxels on each axis"),
        ((4096, 4096, 129), "4096×4096×129 voxels are 81920 chunks; the limit is 65536. Make it smaller"),
    ],
)
def test_sizes_beyond_the_limits_are_refused_at_once(size, message):
    for job in (terrain.generate(HILLS, PALETTE, size, 1), terrain.regenerate(generate(), HILLS, size, 1)):
        with pytest.raises(VoxelwrightError, match=message) as error:
            next(job)
        assert str(error.value).endswith(".")


def test_the_largest_sizes_are_not_refused():
    for size in ((4096, 4096, 128), (4096, 1, 4096), (1, 1, 1)):
        terrain.check_size(size)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"layers": (terrain.Layer("gold", 1),)}, "rock"),
        ({"strata": (Stratum("gold", "dirt"),)}, "strata.0.surface"),
        ({"strata": (Stratum("dirt", "gold"),)}, "strata.0.soil"),
        ({"strata": (Stratum("dirt", "dirt", steep=1.0, cliff="gold"),)}, "strata.0.cliff"),
        ({"cave_floor": "gold"}, "cave_floor"),
    ],
)
def test_materials_that_the_palette_lacks_are_named(changes, key):
    with pytest.raises(
        VoxelwrightError, match=rf'^hills\.toml: "{key}": the palette has no material "gold"; it has .*\.$'
    ):
        generate(replace(HILLS, **changes))


# --- Ground below given heights --------------------------------------------------------------------------------


SNOW = (Stratum("snow", "ice", depth=1),)


def ground(heights, strata=SNOW, low=0.0, high=100.0):
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
    strata = (Stratum("sand", "sand", below=0.25), Stratum("grass", "dirt", below=0.5), Stratum("snow", "ice"))
    heights = [[20.0, 29.99], [30.0, 39.9], [40.0, 60.0]]  # a quarter of 20 … 60 is at 30, a half at 40
    world = ground(heights, strata, 20.0, 60.0)
    surfaces = [[world.voxel(x, y, int(heights[x][y]) - 1) for y in range(2)] for x in range(3)]
    names = [["sand", "sand"], ["grass", "grass"], ["snow", "snow"]]
    assert surfaces == [[VOXEL[name] for name in row] for row in names]


@pytest.mark.parametrize(("steep", "cliffs"), [(1.0, [4, 5]), (0.7, [3, 4, 5, 6])])
def test_steep_ground_is_cliff_down_to_its_depth(steep, cliffs):
    # Level, then rising by 1.5 a voxel. Where the rise begins, and at the world's edge, the mean of both sides is 0.75.
    strata = (Stratum("grass", "dirt", depth=2, steep=steep, cliff="cliff"),)
    heights = np.array([[10.0 + max(0, x - 3) * 1.5] * 3 for x in range(7)])
    for world, axes in ((ground(heights, strata), (0, 1, 2)), (ground(heights.T, strata), (1, 0, 2))):
        voxels = voxels_of(world, (7, 3, 15) if axes[0] == 0 else (3, 7, 15)).transpose(axes)
        for x in range(7):
            top = int(heights[x, 1])
            names = ["cliff"] * 3 if x in cliffs else ["dirt", "dirt", "grass"]
            assert voxels[x, 1, top - 4 : top].tolist() == [VOXEL[name] for name in ("stone", *names)]


def test_a_slope_of_exactly_steep_is_not_steep():
    strata = (Stratum("grass", "dirt", steep=1.0, cliff="cliff"),)
    assert ground([[float(5 + x)] for x in range(5)], strata).voxel(2, 0, 6) == VOXEL["grass"]


def test_heightmaps_beyond_the_limits_are_refused_before_any_work():
    with pytest.raises(VoxelwrightError, match="1 to 4096 voxels on each axis"):
        terrain.ground(np.zeros((4097, 1)), HILLS.strata, "stone", PALETTE, 0.0, 100.0)
    with pytest.raises(VoxelwrightError, match="81920 chunks; the limit is 65536"):
        terrain.ground(np.full((4096, 4096), 129.0), HILLS.strata, "stone", PALETTE, 0.0, 100.0)
