# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from voxelwright.voxel.kernels import kernel
from voxelwright.voxel.mesh.bits import count_bits, lowest_bit
from voxelwright.voxel.mesh.vectors import add_quad_area, is_nearer, length_squared, write_scaled


@kernel
def _ask_bits(words, out):
    for i in range(len(words)):
        out[i, 0], out[i, 1] = lowest_bit(words[i]), count_bits(words[i])


@kernel
def _ask_quads(points, areas, rings, crosses, nearer):
    points_at, areas_at = np.int64(points.ctypes.data), np.int64(areas.ctypes.data)
    for i in range(len(rings)):
        a, b, c, d = rings[i]
        add_quad_area(points_at, areas_at, a, b, c, d, np.int64(crosses[i].ctypes.data))
        nearer[i] = is_nearer(points_at, a, c, b, d)


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


def test_areas_of_quads_are_exact():
    rng = np.random.default_rng(42)
    points, areas = np.zeros((40, 4), np.int32), np.zeros((40, 4), np.int32)
    points[:, :3] = rng.integers(-4096, 4097, (40, 3))
    rings = np.array([rng.permutation(40)[:4] for _ in range(300)])
    crosses, nearer = np.zeros((300, 3, 4), np.int32), np.zeros(300, np.int64)
    _ask_quads(points, areas, rings, crosses, nearer)
    a, b, c, d = points[rings][..., :3].transpose(1, 0, 2).astype(np.int64)
    expected = np.stack([np.cross(c - a, d - b), np.cross(b - a, c - a), np.cross(b - a, d - b)], axis=1)
    assert np.array_equal(crosses[..., :3], expected)
    assert np.array_equal(nearer, ((c - a) ** 2).sum(axis=1) <= ((d - b) ** 2).sum(axis=1))
    total = np.zeros((40, 3), np.int64)
    for ring, area in zip(rings, expected[:, 0], strict=True):
        total[ring] += area
    assert np.array_equal(areas[:, :3], total.astype(np.int32))
    assert not areas[:, 3].any()


def test_vectors_are_written_scaled_and_nowhere_else():
    vectors = np.random.default_rng(43).integers(-(2**30), 2**30, (9, 4)).astype(np.int32)
    scaled, lengths = np.full((10, 3), 7, np.float32), np.zeros(9, np.float32)
    _ask_vectors(vectors, scaled, lengths)
    floats = vectors[:, :3].astype(np.float32)
    assert np.array_equal(scaled[:9], floats * np.float32(0.25))
    assert np.all(scaled[9] == 7)
    np.testing.assert_allclose(lengths, (floats.astype(np.float64) ** 2).sum(axis=1), rtol=1e-6)
