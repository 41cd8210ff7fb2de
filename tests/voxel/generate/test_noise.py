# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels over grids and at points, held to plain Python; float32 beside float64, so to 5·10⁻⁶ of the range."""

import hashlib
import math
from itertools import islice, product

import numpy as np
import pytest

from voxelwright.voxel.generate.noise import BILLOW, PLAIN, RIDGED, fractal2, fractal3, permutation, turn_of
from voxelwright.voxel.generate.point_noise import (
    cellular2_at,
    cellular3_at,
    perlin2_at,
    point_fractal2,
    simplex2_at,
    simplex3_at,
    simplex_fractal3,
)

TABLE = permutation(1)
STILL = (1.0, 0.0)
SEEDS = [0, 1, 2, -1, -(1 << 31), (1 << 64) - 1, 10**30, -(10**30)]
SHAPES = {"plain": PLAIN, "ridged": RIDGED, "billow": BILLOW}
NEAR = 5e-6


def grid2(corner, shape, frequency, octaves=1, lacunarity=2.0, gain=0.5, kind=PLAIN, shown=12, turn=STILL, table=TABLE):
    out = np.empty(shape, np.float32)
    fractal2(out, *corner, *frequency, octaves, shown, lacunarity, gain, kind, table, *turn)
    return out


def grid3(corner, shape, frequency, octaves=1, lacunarity=2.0, gain=0.5, kind=PLAIN, shown=12, turn=STILL, table=TABLE):
    out = np.empty(shape, np.float32)
    fractal3(out, *corner, *frequency, octaves, shown, lacunarity, gain, kind, table, *turn)
    return out


# --- Permutations ----------------------------------------------------------------------------------------------


def test_splitmix64_gives_its_published_numbers(plain):
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert list(islice(plain.splitmix64(1234567), 4)) == published


@pytest.mark.parametrize("seed", SEEDS)
def test_permutations(plain, seed):
    table = permutation(seed)
    assert table.dtype == np.int64
    assert sorted(table[:256].tolist()) == list(range(256))
    assert np.array_equal(table[:256], table[256:])
    assert table[:256].tolist() == plain.permutation(seed)


def test_seeds_give_different_permutations():
    tables = {permutation(seed).tobytes() for seed in range(-500, 500)}
    assert len(tables) == 1000


def test_a_shuffle_moves_everything_everywhere():
    # Entry 0 lands on any place about equally often: 20 in the mean here, and never beyond 5 standard deviations.
    places = np.bincount([permutation(seed)[:256].tolist().index(0) for seed in range(5120)], minlength=256)
    assert places.max() < 20 + 5 * 20**0.5
    assert np.count_nonzero(places == 0) == 0


def test_permutations_are_frozen():
    assert permutation(0)[:8].tolist() == [99, 179, 124, 78, 196, 203, 221, 113]
    assert permutation(1)[:8].tolist() == [86, 84, 62, 52, 122, 157, 182, 140]
    assert permutation(-1)[:8].tolist() == [190, 241, 208, 236, 154, 126, 200, 4]


# --- Turns -----------------------------------------------------------------------------------------------------


def test_turns_are_cosine_and_sine():
    for phase in [*np.linspace(-3, 3, 241).tolist(), 1e-9, 0.999999999, 1e6 + 0.37]:
        cosine, sine = turn_of(phase)
        assert cosine == pytest.approx(math.cos(2 * math.pi * phase), abs=1e-9)
        assert sine == pytest.approx(math.sin(2 * math.pi * phase), abs=1e-9)


def test_whole_turns_are_exact():
    for phase in (-2.0, -1.0, 0.0, -0.0, 1.0, 7.0):
        assert turn_of(phase) == (1.0, 0.0)


# --- Grids held to points --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, -7])
@pytest.mark.parametrize("frequency", [(1 / 37, 1 / 37), (0.5, 1 / 3), (1 / 5.3, 1 / 700)])
def test_flat_grids_equal_plain_python(plain, seed, frequency):
    entries, table = plain.permutation(seed), permutation(seed)
    for corner in ((0, 0), (-29, 1001), (-64, -32)):
        values = grid2(corner, (19, 23), frequency, table=table)
        for x, y in product(range(19), range(23)):
            position = (corner[0] + x) * frequency[0], (corner[1] + y) * frequency[1]
            assert values[x, y] == pytest.approx(plain.perlin(position, entries), abs=NEAR)


@pytest.mark.parametrize("seed", [1, -7])
@pytest.mark.parametrize("frequency", [(1 / 37, 1 / 37, 1 / 37), (0.5, 1 / 3, 1 / 7.7), (1 / 5.3, 1 / 700, 0.5)])
def test_solid_grids_equal_plain_python(plain, seed, frequency):
    entries, table = plain.permutation(seed), permutation(seed)
    for corner in ((0, 0, 0), (-29, 1001, -3), (-64, -32, 4000)):
        values = grid3(corner, (7, 6, 13), frequency, table=table)
        for at in product(range(7), range(6), range(13)):
            position = tuple((c + a) * f for c, a, f in zip(corner, at, frequency, strict=True))
            assert values[at] == pytest.approx(plain.perlin(position, entries), abs=NEAR)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("octaves", "lacunarity", "gain", "shown"),
    [(5, 2.05, 0.47, 12), (12, 4.0, 1.0, 12), (3, 1.0, 0.0, 12), (6, 2.0, 0.5, 2)],
)
def test_fractals_equal_plain_python(plain, shape, octaves, lacunarity, gain, shown):
    entries, f = plain.permutation(1), 1 / 23.0
    how = octaves, lacunarity, gain, SHAPES[shape], shown
    flat, solid = grid2((-5, 8), (9, 11), (f, f), *how), grid3((-5, 8, 3), (4, 5, 6), (f, f, f), *how)

    def expected(position):
        return plain.fractal(
            lambda p: plain.perlin(p, entries), position, octaves, lacunarity, gain, shape, shown, finest=0.5 / f
        )

    for x, y in product(range(9), range(11)):
        assert flat[x, y] == pytest.approx(expected(((x - 5) * f, (y + 8) * f)), abs=NEAR)
    for x, y, z in product(range(4), range(5), range(6)):
        assert solid[x, y, z] == pytest.approx(expected(((x - 5) * f, (y + 8) * f, (z + 3) * f)), abs=NEAR)


@pytest.mark.parametrize("phase", [0.1, 0.37, -0.25])
def test_phases_turn_gradients(plain, phase):
    entries, turn, f = plain.permutation(1), turn_of(phase), 1 / 6.1
    flat, solid = grid2((3, -8), (9, 11), (f, f), turn=turn), grid3((3, -8, 1), (5, 5, 5), (f, f, f), turn=turn)
    for x, y in product(range(9), range(11)):
        assert flat[x, y] == pytest.approx(plain.perlin(((x + 3) * f, (y - 8) * f), entries, phase), abs=NEAR)
    for x, y, z in product(range(5), repeat=3):
        position = (x + 3) * f, (y - 8) * f, (z + 1) * f
        assert solid[x, y, z] == pytest.approx(plain.perlin(position, entries, phase), abs=NEAR)


# --- Points ----------------------------------------------------------------------------------------------------


def points(n_axes, n=300):
    """Positions near and far, and on lattice lines."""
    rng = np.random.default_rng(1)
    anywhere = rng.uniform(-40, 40, (n, n_axes))
    far = rng.uniform(-1e5, 1e5, (n // 5, n_axes))
    halves = rng.integers(-300, 300, (n // 5, n_axes)) + rng.choice([0.0, 0.25, 0.5], (n // 5, n_axes))
    return [tuple(p) for p in np.concatenate([anywhere, far, halves]).tolist()]


@pytest.mark.parametrize("phase", [0.0, 0.3])
def test_noise_at_points_equals_plain_python(plain, phase):
    entries, turn = plain.permutation(1), turn_of(phase)
    for p in points(2):
        assert perlin2_at(*p, TABLE, *turn) == pytest.approx(plain.perlin(p, entries, phase), abs=NEAR)
        assert simplex2_at(*p, TABLE, *turn) == pytest.approx(plain.simplex(p, entries, phase), abs=2e-5)
    for p in points(3):
        assert simplex3_at(*p, TABLE, *turn) == pytest.approx(plain.simplex(p, entries, phase), abs=2e-5)


@pytest.mark.parametrize("phase", [0.0, 0.3])
def test_cellular_noise_equals_plain_python(plain, phase):
    entries, turn = plain.permutation(1), turn_of(phase)
    for number, measure in enumerate(("f1", "f2", "border")):
        differing = 0
        for p in points(2, 200):
            differing += abs(cellular2_at(*p, number, TABLE, *turn) - plain.cellular(p, measure, entries, phase)) > 1e-5
        for p in points(3, 40):
            differing += abs(cellular3_at(*p, number, TABLE, *turn) - plain.cellular(p, measure, entries, phase)) > 1e-5
        # The nearest point is always among the neighbouring cells; the second hardly ever is not.
        assert differing <= (0 if measure == "f1" else 3)


def test_fractals_at_points_are_sums(plain):
    entries = plain.permutation(1)
    xs, ys = np.array(points(2)).T.copy()
    out = np.empty(len(xs), np.float32)
    for simplex, shape in ((False, "plain"), (True, "plain"), (False, "ridged"), (True, "billow")):
        point_fractal2(out, xs, ys, 4, 3, 2.1, 0.45, simplex, SHAPES[shape], TABLE, *STILL)
        noise = plain.simplex if simplex else plain.perlin
        for x, y, value in zip(xs, ys, out, strict=True):
            expected = plain.fractal(lambda p, n=noise: n(p, entries), (x, y), 4, 2.1, 0.45, shape, shown=3)
            assert value == pytest.approx(expected, abs=5e-5)
    solid, f = np.empty((3, 4, 5), np.float32), 1 / 7.0
    simplex_fractal3(solid, -3, 9, 2, f, f, f, 3, 3, 2.0, 0.5, TABLE, *STILL)
    for x, y, z in product(range(3), range(4), range(5)):
        position = (x - 3) * f, (y + 9) * f, (z + 2) * f
        expected = plain.fractal(lambda p: plain.simplex(p, entries), position, 3, 2.0, 0.5)
        assert solid[x, y, z] == pytest.approx(expected, abs=5e-5)


# --- Properties ------------------------------------------------------------------------------------------------


def digest(values):
    return hashlib.sha256(values.tobytes()).hexdigest()[:16]


def test_noise_is_frozen():
    # A change here changes every generated world: say so in the changelog.
    made = [
        grid2((-40, 7), (50, 60), (1 / 9.7, 1 / 31), 5, 2.1, 0.45),
        grid2((-40, 7), (50, 60), (1 / 9.7, 1 / 31), 5, 2.1, 0.45, RIDGED, turn=turn_of(0.3)),
        grid3((-40, 7, 3), (20, 30, 40), (1 / 9.7, 1 / 31, 1 / 12), 5, 2.1, 0.45),
        np.array([simplex2_at(*p, TABLE, *STILL) for p in points(2)], np.float32),
        np.array([simplex3_at(*p, TABLE, *STILL) for p in points(3)], np.float32),
        np.array([cellular2_at(*p, 2, TABLE, *STILL) for p in points(2)], np.float32),
        np.array([cellular3_at(*p, 0, TABLE, *STILL) for p in points(3)], np.float32),
    ]
    assert [digest(values) for values in made] == FROZEN


FROZEN = [
    "42d255b385fc6fa8",
    "14c98f3c84c393ee",
    "4d487ed26f777082",
    "e02337c0e5f0e04f",
    "2dafabe12d7e1df0",
    "afa4bcc069869a02",
    "2901850e1f73ddf9",
]


def test_a_grid_is_a_crop_of_a_larger_one_to_the_last_bit():
    f = 1 / 9.7, 1 / 31, 1 / 3
    flat = grid2((-40, 7), (90, 100), f[:2], 6, 2.1, 0.45, turn=turn_of(0.2))
    solid = grid3((-40, 7, -9), (40, 50, 60), f, 6, 2.1, 0.45, turn=turn_of(0.2))
    for x, y, z, nx, ny, nz in (
        (0, 0, 0, 1, 1, 1),
        (13, 5, 31, 20, 33, 17),
        (39, 49, 59, 1, 1, 1),
        (7, 0, 2, 3, 50, 8),
    ):
        part = grid2((x - 40, y + 7), (nx, ny), f[:2], 6, 2.1, 0.45, turn=turn_of(0.2))
        assert part.tobytes() == np.ascontiguousarray(flat[x : x + nx, y : y + ny]).tobytes()
        part = grid3((x - 40, y + 7, z - 9), (nx, ny, nz), f, 6, 2.1, 0.45, turn=turn_of(0.2))
        assert part.tobytes() == np.ascontiguousarray(solid[x : x + nx, y : y + ny, z : z + nz]).tobytes()


def test_noise_is_zero_at_lattice_points():
    corner = np.array([-257, -256, -1, 0, 255, 256, 1000])
    for x, y in product(corner.tolist(), repeat=2):
        assert not grid2((2 * x, 2 * y), (3, 3), (0.5, 0.5))[::2, ::2].any()
        assert not grid3((2 * x, 2 * y, 2 * x), (3, 3, 3), (0.5, 0.5, 0.5))[::2, ::2, ::2].any()


def most_that_corners_can_give(gradients):
    """The greatest sum in a cell, over a grid of 41 points an axis, if every corner had its best gradient."""
    n_axes = len(gradients[0])
    position = np.stack(np.meshgrid(*[np.linspace(0, 1, 41)] * n_axes, indexing="ij"), axis=-1)
    faded = position**3 * (position * (position * 6 - 15) + 10)
    total = 0
    for corner in product((0, 1), repeat=n_axes):
        weight = np.where(np.array(corner) == 1, faded, 1 - faded).prod(axis=-1)
        total += weight * ((position - corner) @ np.array(gradients).T).max(axis=-1)
    return total.max()


def test_noise_stays_in_its_range(plain):
    assert most_that_corners_can_give(plain.gradients_2) == pytest.approx(1, abs=1e-12)
    assert 1.0355 < most_that_corners_can_give(plain.gradients_3) < 1.0363
    flat = grid2((0, 0), (500, 500), (0.5, 0.5))
    solid = grid3((0, 0, 0), (60, 200, 60), (0.23, 0.23, 0.23))
    assert np.abs(flat).max() == pytest.approx(1, abs=1e-6)
    assert 0.7 < solid.max() < 1.0363
    assert 0.7 < -solid.min() < 1.0363
    assert abs(solid.mean()) < 0.01
    rng = np.random.default_rng(1)
    for at, n_axes in ((simplex2_at, 2), (simplex3_at, 3)):
        values = [at(*p, TABLE, *STILL) for p in rng.uniform(-200, 200, (50_000, n_axes)).tolist()]
        assert 0.9 < max(values) <= 1.0005
        assert 0.9 < -min(values) <= 1.0005


def test_ridged_and_billow_keep_from_0_to_1():
    for kind in (RIDGED, BILLOW):
        values = grid2((0, 0), (300, 300), (1 / 9, 1 / 9), 5, kind=kind)
        assert values.min() >= 0
        assert values.max() <= 1 + 1e-6
        assert values.max() - values.min() > 0.6


def test_octaves_do_not_share_their_zeros():
    values = grid2((-20, -20), (40, 40), (0.5, 0.5), 2, lacunarity=1.0)
    assert np.count_nonzero(values[::2, ::2] == 0) < 40


def test_octaves_that_voxels_cannot_show_are_left_out():
    assert np.array_equal(grid2((0, 0), (9, 9), (0.2, 0.2), 3), grid2((0, 0), (9, 9), (0.2, 0.2), 3, shown=2))
    assert not np.array_equal(grid2((0, 0), (9, 9), (0.2, 0.2), 3), grid2((0, 0), (9, 9), (0.2, 0.2), 3, shown=1))


def test_noise_flows_smoothly_and_comes_back():
    f = 1 / 17, 1 / 17
    start = grid2((0, 0), (64, 64), f, 3, turn=turn_of(0.0))
    assert start.tobytes() == grid2((0, 0), (64, 64), f, 3, turn=turn_of(1.0)).tobytes()
    last, moved = start, 0.0
    for step in range(1, 41):
        now = grid2((0, 0), (64, 64), f, 3, turn=turn_of(step / 40))
        assert np.abs(now - last).max() < 0.25
        moved = max(moved, np.abs(now - start).max())
        last = now
    assert moved > 0.5
