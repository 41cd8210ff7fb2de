# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from voxelwright.voxel.kernels import kernel
from voxelwright.voxel.mesh.bits import count_bits, lowest_bit
from voxelwright.voxel.mesh.vectors import add_quad, length_squared, write_point, write_quad, write_scaled


@kernel
def _ask_bits(words, out):
    for i in range(len(words)):
        out[i, 0], out[i, 1] = lowest_bit(words[i]), count_bits(words[i])


@kernel
def _ask_quads(points, areas, rings, splits):
    points_at, areas_at = np.int64(points.ctypes.data), np.int64(areas.ctypes.data)
    for i in range(len(rings)):
        a, b, c, d = rings[i]
        splits[i] = add_quad(points_at, areas_at, a, b, c, d)


@kernel
def _ask_rows(numbers, shifts, quads, points):
    for i in range(len(numbers)):
        a, b, c, d = numbers[i]
        write_quad(np.int64(quads.ctypes.data), i, i & 1, 5, a, b, c, d)
        write_point(np.int64(points.ctypes.data), i, np.int64(shifts.ctypes.data), d, a, b, c)


@kernel
def _ask_vectors(vectors, scaled, lengths):
    for i in range(len(vectors)):
        write_scaled(np.int64(vectors.ctypes.data), i, np.float32(0.25), np.int64(scaled.ctypes.data))
        lengths[i] = length_squared(np.int64(vectors.ctypes.data), i)


def test_bits_equal_those_of_python():
    rng = np.random.default_rng(41)
    words = np.concatenate([1 << np.arange(63), [-1, -(2**63)], rng.integers(-(2**63), 2**63 - 1, 100)])
    out = np.zeros((len(words), 2), np.int64)
    _ask_bits(words, out)
    for word, (lowest, count) in zip(words.tolist(), out.tolist(), strict=True):
        assert lowest == (word & -word).bit_length() - 1
        assert count == (word % 2**64).bit_count()


def test_quads_have_exact_areas_and_the_split_that_folds_nothing():
    rng = np.random.default_rng(42)
    points, areas = np.zeros((40, 4), np.int32), np.zeros((40, 4), np.int32)
    points[:, :3] = rng.integers(-4096, 4097, (40, 3))
    rings = np.array([rng.permutation(40)[:4] for _ in range(300)])
    splits = np.zeros(300, np.int64)
    _ask_quads(points, areas, rings, splits)
    a, b, c, d = points[rings][..., :3].transpose(1, 0, 2).astype(np.int64)
    whole, abc, abd = np.cross(c - a, d - b), np.cross(b - a, c - a), np.cross(b - a, d - b)
    ac_holds, bd_holds = ((part * np.sign(whole) > 0) & (abs(part) < abs(whole)) for part in (abc, abd))
    bd_shorter = ((c - a) ** 2).sum(axis=1) > ((d - b) ** 2).sum(axis=1)
    expected = ~ac_holds | (bd_holds & bd_shorter[:, None])
    assert np.array_equal(splits[:, None] >> np.arange(3) & 1, expected)
    assert 0.2 < expected.mean() < 0.8
    total = np.zeros((40, 3), np.int64)
    for ring, area in zip(rings, whole, strict=True):
        total[ring] += area
    assert np.array_equal(areas[:, :3], total.astype(np.int32))
    assert not areas[:, 3].any()


def test_quads_and_points_are_written_where_they_belong():
    rng = np.random.default_rng(44)
    numbers = rng.integers(0, 2**31, (9, 4))
    numbers[:, 3] %= 5
    shifts = rng.integers(-4096, 4097, (5, 4)).astype(np.int32)
    shifts[:, 3] = 0
    quads, points = np.full((10, 4), 7, np.uint32), np.full((10, 4), 7, np.int32)
    _ask_rows(numbers, shifts, quads, points)
    assert np.array_equal(points[:9, :3], (numbers[:, :3] + shifts[numbers[:, 3], :3]).astype(np.int32))
    assert not points[:9, 3].any()
    numbers[1::2] = np.roll(numbers[1::2], -1, axis=1)
    assert np.array_equal(quads[:9], numbers + 5)
    assert np.all(quads[9] == 7)
    assert np.all(points[9] == 7)


def test_vectors_are_written_scaled_and_nowhere_else():
    vectors = np.random.default_rng(43).integers(-(2**30), 2**30, (9, 4)).astype(np.int32)
    scaled, lengths = np.full((10, 3), 7, np.float32), np.zeros(9, np.float32)
    _ask_vectors(vectors, scaled, lengths)
    floats = vectors[:, :3].astype(np.float32)
    assert np.array_equal(scaled[:9], floats * np.float32(0.25))
    assert np.all(scaled[9] == 7)
    np.testing.assert_allclose(lengths, (floats.astype(np.float64) ** 2).sum(axis=1), rtol=1e-6)
