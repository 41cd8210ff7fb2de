# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import islice, product

import numpy as np
import pytest

from voxelwright.voxel.generate.noise import fbm2, fbm3, perlin2, perlin3, permutation

TABLE = permutation(1)
SEEDS = [0, 1, 2, -1, -(1 << 31), (1 << 64) - 1, 10**30, -(10**30)]


def points(n_axes, n=500, seed=1):
    """Positions near and far, lattice points and their closest neighbours, as floats."""
    rng = np.random.default_rng(seed)
    anywhere = rng.uniform(-40, 40, (n, n_axes))
    far = rng.uniform(-1e7, 1e7, (n // 5, n_axes))
    lattice = rng.integers(-300, 300, (n // 5, n_axes)).astype(np.float64)
    below = np.where(rng.random(lattice.shape) < 0.5, np.nextafter(lattice, -np.inf), lattice)
    halves = lattice + rng.choice([0.0, 0.25, 0.5], lattice.shape)
    return np.concatenate([anywhere, far, lattice, below, halves, [[-0.0] * n_axes]]).tolist()


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


# --- Noise -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, -7])
def test_noise_equals_plain_python_to_the_last_bit(plain, seed):
    table, entries = permutation(seed), plain.permutation(seed)
    for x, y in points(2):
        assert perlin2(x, y, table).hex() == plain.perlin2(x, y, entries).hex(), (x, y)
    for x, y, z in points(3):
        assert perlin3(x, y, z, table).hex() == plain.perlin3(x, y, z, entries).hex(), (x, y, z)


@pytest.mark.parametrize(
    ("octaves", "lacunarity", "gain"), [(1, 2.0, 0.5), (5, 2.05, 0.47), (12, 4.0, 1.0), (3, 1.0, 0.0)]
)
def test_fractals_equal_plain_python_to_the_last_bit(plain, octaves, lacunarity, gain):
    how = octaves, lacunarity, gain
    entries = plain.permutation(1)
    for x, y in points(2, 50):
        assert fbm2(x, y, *how, TABLE).hex() == plain.fbm(plain.perlin2, (x, y), *how, entries).hex()
    for x, y, z in points(3, 50):
        assert fbm3(x, y, z, *how, TABLE).hex() == plain.fbm(plain.perlin3, (x, y, z), *how, entries).hex()


def test_noise_is_frozen():
    # A change here changes every generated world: raise the version of the generator and say so in the changelog.
    assert perlin2(0.3, 0.7, TABLE).hex() == "-0x1.c86aa99186d60p-4"
    assert perlin2(-12.25, 1000.5, TABLE).hex() == "-0x1.4e67f0071880fp-1"
    assert perlin3(0.3, 0.7, 0.9, TABLE).hex() == "0x1.39aa0b9da3b02p-2"
    assert perlin3(-12.25, 3.1, 1000.5, TABLE).hex() == "0x1.17369b17481b3p-2"
    assert fbm2(0.3, 0.7, 5, 2.0, 0.5, TABLE).hex() == "0x1.a8ab1dcb0ae49p-7"
    assert fbm3(-0.3, 10.7, 0.1, 3, 2.1, 0.45, TABLE).hex() == "-0x1.07da8fadb1968p-4"


def test_noise_is_zero_at_lattice_points():
    for x, y, z in product((-257, -256, -2, -1, 0, 1, 255, 256, 1000), repeat=3):
        assert perlin2(float(x), float(y), TABLE) == 0
        assert perlin3(float(x), float(y), float(z), TABLE) == 0


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
    flat_range, solid_range = (
        most_that_corners_can_give(plain.gradients_2) * 2**0.5,
        most_that_corners_can_give(plain.gradients_3),
    )
    assert flat_range == pytest.approx(1, abs=1e-12)
    assert 1.0355 < solid_range < 1.0363
    rng = np.random.default_rng(2)
    flat = np.array([perlin2(x + 0.5, y + 0.5, TABLE) for x, y in product(range(256), range(0, 256, 4))])
    assert np.abs(flat).max() == pytest.approx(1, abs=1e-15)
    assert -flat.min() == pytest.approx(1, abs=1e-15)
    solid = np.array([perlin3(*p, TABLE) for p in rng.uniform(-200, 200, (20_000, 3))])
    assert 0.7 < solid.max() < 1.0363
    assert 0.7 < -solid.min() < 1.0363
    assert abs(solid.mean()) < 0.01


def test_gradients_are_bounded_everywhere_and_across_zero():
    # A step of 10⁻⁶ changes little, over lattice planes and negative ones too: no seam anywhere.
    step = 1e-6
    rng = np.random.default_rng(3)
    for axis in range(3):
        for plane in (-257, -256, -1, 0, 1, 3, 256):
            for position in rng.uniform(-20, 20, (50, 3)):
                position[axis] = plane - step / 2
                beyond = position.copy()
                beyond[axis] += step
                assert abs(perlin3(*beyond, TABLE) - perlin3(*position, TABLE)) < 5 * step
                if axis < 2:
                    assert abs(perlin2(*beyond[:2], TABLE) - perlin2(*position[:2], TABLE)) < 5 * step


def test_noise_repeats_after_256():
    for x, y, z in (np.floor(np.array(points(3, 50)[:50]) * 64) / 64).tolist():
        assert perlin2(x + 256, y - 512, TABLE) == perlin2(x, y, TABLE)
        assert perlin3(x - 256, y, z + 256, TABLE) == perlin3(x, y, z, TABLE)


def test_octaves_do_not_share_their_zeros():
    lattice = list(product(range(-5, 5), repeat=2))
    assert sum(fbm2(float(x), float(y), 2, 2.0, 0.5, TABLE) == 0 for x, y in lattice) < len(lattice) / 10
    assert fbm3(0.0, 0.0, 0.0, 2, 2.0, 0.5, TABLE) != 0


def test_one_octave_is_the_noise_itself():
    assert fbm2(0.3, 0.7, 1, 2.0, 0.5, TABLE) == perlin2(0.3, 0.7, TABLE)
    assert fbm3(0.3, 0.7, 0.9, 1, 2.0, 0.5, TABLE) == perlin3(0.3, 0.7, 0.9, TABLE)
