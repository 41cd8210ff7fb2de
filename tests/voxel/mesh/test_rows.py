# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from voxelwright.voxel.kernels import kernel
from voxelwright.voxel.mesh.rows import (
    LANES,
    N_WORDS,
    ROW,
    keep_high_bytes,
    load_voxel,
    row_equal_to,
    row_not_zero,
    row_with_bits,
    rows_equal,
    transpose_bits,
)


@kernel
def ask(voxels, others, words, place, out):
    """Every question of rows.py about the rows at an offset of place values into each array."""
    voxels_at = np.int64(voxels.ctypes.data) + 2 * place
    others_at = np.int64(others.ctypes.data) + place
    out[0] = row_with_bits(voxels_at, np.uint16(0x0012))
    out[1] = row_equal_to(others_at, np.uint8(200))
    out[2] = rows_equal(others_at, others_at + ROW)
    out[3] = row_not_zero(np.int64(words.ctypes.data) + 4 * place)
    out[4] = load_voxel(voxels_at)


def bits(flags):
    return sum(1 << k for k in np.flatnonzero(flags).tolist())


def test_comparisons_of_rows():
    rng = np.random.default_rng(1)
    for place in [0, 1, 2, 3, 5, 31]:  # aligned and not
        voxels = rng.integers(0, 1 << 16, 64, dtype=np.uint16)
        others = rng.choice([0, 1, 200, 255], 128).astype(np.uint8)
        words = (rng.integers(0, 2, 64) * rng.integers(0, 1 << 32, 64)).astype(np.uint32)
        out = np.empty(5, np.int64)
        ask(voxels, others, words, place, out)
        row = slice(place, place + ROW)
        assert out.tolist() == [
            bits(voxels[row] & 0x12),
            bits(others[row] == 200),
            bits(others[row] == others[place + ROW : place + 2 * ROW]),
            bits(words[row]),
            voxels[place],
        ]


@kernel
def narrow(voxels, materials, place):
    keep_high_bytes(np.int64(voxels.ctypes.data), np.int64(materials.ctypes.data) + place)


def test_high_bytes_are_kept_and_nothing_else_is_written():
    voxels = np.random.default_rng(2).integers(0, 1 << 16, ROW, dtype=np.uint16)
    materials = np.full(80, 77, np.uint8)
    narrow(voxels, materials, 13)
    assert np.array_equal(materials[13 : 13 + ROW], voxels >> 8)
    assert (np.delete(materials, np.arange(13, 13 + ROW)) == 77).all()


def test_bits_are_transposed_in_each_lane():
    source = np.random.default_rng(3).integers(0, 1 << 32, N_WORDS, dtype=np.uint32)
    target = np.empty_like(source)
    transpose_bits(source, target)
    shifts = np.arange(ROW, dtype=np.uint32)

    def unpacked(words):
        return words.reshape(ROW, LANES)[:, None] >> shifts[None, :, None] & 1

    assert np.array_equal(unpacked(target), unpacked(source).swapaxes(0, 1))
