# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmaps: values kept, axes, notes, and heights of columns held to plain fractions."""

import math
import struct
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.formats.heightmap import Heightmap, heights, read_heightmap
from voxelwright.voxel.formats.png import SIGNATURE, write_png

FAULT = Path(__file__).parents[4] / "shared" / "data" / "heightmaps" / "jacksboro-fault.png"


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def plain_png(rows, depth, color_type, palette=None):
    """A PNG of unfiltered rows (h, w, c), for the kinds that write_png does not write."""
    rows = np.asarray(rows)
    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], depth, color_type, 0, 0, 0)
    raw = b"".join(b"\0" + row.astype(">u2" if depth == 16 else np.uint8).tobytes() for row in rows)
    colors = chunk(b"PLTE", bytes(palette)) if palette else b""
    return SIGNATURE + chunk(b"IHDR", head) + colors + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def grid(samples, dtype=np.uint16):
    return Heightmap(np.array(samples, dtype), ())


# --- Reading --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_grey_keeps_every_value(dtype):
    """All 256 and all 65536 values there are."""
    edge = 16 if dtype == np.uint8 else 256
    image = np.arange(edge * edge).reshape(edge, edge).astype(dtype)
    samples = read_heightmap(write_png(image)).samples
    assert samples.dtype == dtype
    assert samples.flags.c_contiguous
    np.testing.assert_array_equal(np.sort(samples.ravel()), np.arange(edge * edge))
    np.testing.assert_array_equal(samples.T[::-1], image)


def test_x_is_to_the_right_and_y_is_up():
    samples = read_heightmap(write_png(np.array([[1, 2, 3], [4, 5, 6]], np.uint16))).samples
    assert samples.shape == (3, 2)
    assert samples[0, 0] == 4, "the picture's lower left is the world's corner"
    assert samples[2, 0] == 6
    assert samples[0, 1] == 1, "the picture's first row is the far edge"


def test_notes():
    ramp = np.arange(6).reshape(2, 3)
    assert read_heightmap(write_png(ramp.astype(np.uint16))).notes == ()
    (terraced,) = read_heightmap(write_png(ramp.astype(np.uint8))).notes
    assert "256 levels" in terraced
    (terraced,) = read_heightmap(plain_png([[[0b01100000]]], 4, 0)).notes
    assert "16 levels" in terraced
    (colored,) = read_heightmap(plain_png(np.ones((2, 2, 3)), 16, 2)).notes
    assert "luminance" in colored
    (alpha,) = read_heightmap(plain_png(np.ones((2, 2, 2)), 16, 4)).notes
    assert "alpha" in alpha
    assert len(read_heightmap(plain_png(np.ones((2, 2, 4)), 8, 6)).notes) == 3
    notes = read_heightmap(plain_png([[[0], [1]]], 8, 3, palette=[9, 9, 9, 200, 200, 200])).notes
    assert len(notes) == 2
    for note in notes:
        assert note.endswith(".")
        assert ". " not in note.replace("Rec. ", "")


def test_luminance():
    colors = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]])
    np.testing.assert_array_equal(read_heightmap(plain_png(colors, 8, 2)).samples[:, 0], [54, 182, 18, 19])
    wide = read_heightmap(plain_png(colors * 257, 16, 2)).samples
    assert wide.dtype == np.uint16
    np.testing.assert_array_equal(wide[:, 0], [13933, 46871, 4732, round(257 * 18.596)])


def test_grey_saved_as_colors_keeps_every_value():
    values = np.arange(65536).reshape(256, 256, 1)
    samples = read_heightmap(plain_png(np.repeat(values, 3, axis=2), 16, 2)).samples
    np.testing.assert_array_equal(samples.T[::-1], values[:, :, 0])


def test_alpha_does_not_count():
    grey = np.arange(12).reshape(3, 4, 1)
    image = np.concatenate([grey, 7 * grey + 1], axis=2)
    np.testing.assert_array_equal(read_heightmap(plain_png(image, 16, 4)).samples.T[::-1], grey[:, :, 0])


def test_a_text_file_is_an_error():
    with pytest.raises(VoxelwrightError, match="not a PNG"):
        read_heightmap(b"this is no picture")


# --- Heights --------------------------------------------------------------------------------------------------


def test_scale_1_gives_the_samples_themselves():
    samples = np.random.default_rng(1).integers(236, 1077, (403, 344))
    samples[0, 0], samples[1, 0] = 236, 1076
    columns = heights(grid(samples), low=236, high=1076, scale=1)
    assert columns.shape == (403, 344)
    assert columns.dtype == np.float64
    np.testing.assert_allclose(columns, samples, rtol=0, atol=1e-12 * 1076)
    unit = heights(grid(samples), low=0, high=840, scale=1)
    np.testing.assert_allclose(unit, samples - 236, rtol=0, atol=1e-12 * 840)


def reference(samples, low, high, scale, full_range, top_of_type):
    """The same in fractions, straight from the definition."""
    nx, ny = samples.shape
    mx, my = (max(1, round(n * scale)) for n in samples.shape)
    bottom, top = (0, top_of_type) if full_range else (int(samples.min()), int(samples.max()))
    out = np.empty((mx, my))

    def sample(x, y):
        return Fraction(int(samples[min(max(x, 0), nx - 1), min(max(y, 0), ny - 1)]))

    for i in range(mx):
        for j in range(my):
            x = (Fraction(2 * i + 1, 2) * nx / mx) - Fraction(1, 2)
            y = (Fraction(2 * j + 1, 2) * ny / my) - Fraction(1, 2)
            x0, y0 = math.floor(x), math.floor(y)
            fx, fy = x - x0, y - y0
            value = (
                sample(x0, y0) * (1 - fx) * (1 - fy)
                + sample(x0 + 1, y0) * fx * (1 - fy)
                + sample(x0, y0 + 1) * (1 - fx) * fy
                + sample(x0 + 1, y0 + 1) * fx * fy
            )
            t = (value - bottom) / (top - bottom) if top > bottom else Fraction(0)
            out[i, j] = float(Fraction(low) * (1 - t) + Fraction(high) * t)
    return out


@given(
    size=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    dtype=st.sampled_from([np.uint8, np.uint16]),
    span=st.tuples(st.floats(0, 4095), st.floats(0.001, 4096)).map(lambda s: (s[0], min(4096.0, s[0] + s[1]))),
    scale=st.floats(0.05, 4),
    full_range=st.booleans(),
    seed=st.integers(0, 1 << 32),
)
@settings(max_examples=100, deadline=None)
def test_heights_are_those_of_the_definition(size, dtype, span, scale, full_range, seed):
    samples = np.random.default_rng(seed).integers(0, np.iinfo(dtype).max + 1, size)
    low, high = span
    columns = heights(grid(samples, dtype), low=low, high=high, scale=scale, full_range=full_range)
    want = reference(samples, low, high, scale, full_range, np.iinfo(dtype).max)
    np.testing.assert_allclose(columns, want, rtol=0, atol=1e-9)
    assert low <= columns.min()
    assert columns.max() <= high


def test_lowest_and_highest_sample_get_exactly_low_and_high():
    for low, high in ((0.1, 0.7), (1 / 3, 2000 / 7), (0, 4096)):
        columns = heights(grid([[236, 700, 1076]]), low=low, high=high, scale=1)
        assert (columns[0, 0], columns[0, 2]) == (low, high)


def test_full_range_measures_by_the_type():
    columns = heights(grid([[0, 32768, 65535]]), low=10, high=75.535, scale=1, full_range=True)
    np.testing.assert_allclose(columns, [[10, 42.768, 75.535]], atol=1e-12)
    columns = heights(grid([[51, 51]], np.uint8), low=0, high=255, scale=1, full_range=True)
    np.testing.assert_allclose(columns, [[51, 51]], atol=1e-12)


@pytest.mark.parametrize("scale", [0.3, 1, 2.7])
@pytest.mark.parametrize("value", [0, 40_000, 65535])
def test_a_flat_image_is_low(value, scale):
    columns = heights(grid(np.full((5, 4), value)), low=0.7, high=9, scale=scale)
    assert columns.shape == (round(5 * scale), round(4 * scale))
    assert (columns == 0.7).all()


def test_scaling_is_symmetric_and_keeps_the_edges():
    columns = heights(grid([[0], [100]]), low=0, high=100, scale=4)[:, 0]
    np.testing.assert_array_equal(columns[:8], [0, 0, 12.5, 37.5, 62.5, 87.5, 100, 100])
    np.testing.assert_array_equal(columns + columns[::-1], np.full(8, 100))


def test_a_ramp_stays_a_ramp():
    ramp = np.repeat(np.arange(200)[:, None], 3, axis=1)
    columns = heights(grid(ramp), low=0, high=199, scale=3.3)
    assert (np.diff(columns[:, 0]) >= 0).all()


def test_at_least_one_column():
    assert heights(grid([[1, 2]]), low=0, high=1, scale=0.01).shape == (1, 1)


def test_equal_to_the_bit_on_every_machine():
    """The same steps in Python's own floats: a fused multiplication anywhere would differ."""
    samples = np.random.default_rng(6).integers(0, 65536, (31, 23)).tolist()
    low, high = 1 / 3, 200.1
    bottom, top = min(map(min, samples)), max(map(max, samples))

    def split(i, n, m):
        below, rest = divmod((2 * i + 1) * n - m, 2 * m)
        return max(below, 0), min(below + 1, n - 1), rest / (2 * m)

    def between(a, b, weight):
        return a + (b - a) * weight

    def height(i, j):
        (x0, x1, wx), (y0, y1, wy) = split(i, 31, 42), split(j, 23, 32)
        near, far = between(samples[x0][y0], samples[x1][y0], wx), between(samples[x0][y1], samples[x1][y1], wx)
        t = (between(near, far, wy) - bottom) / (top - bottom)
        return min(max(low * (1.0 - t) + high * t, low), high)

    want = [[height(i, j) for j in range(32)] for i in range(42)]
    np.testing.assert_array_equal(heights(grid(samples), low=low, high=high, scale=1.37), want)


GOOD = {"low": 0, "high": 10, "scale": 1}
BAD = [
    ({"low": -1}, "The lowest height must be a number from 0 to 4096, not -1."),
    ({"low": math.nan}, "The lowest height must be a number from 0 to 4096, not nan."),
    ({"high": math.inf}, "The highest height must be a number from 0 to 4096, not inf."),
    ({"high": 4096.5}, "The highest height must be a number from 0 to 4096, not 4096.5."),
    ({"high": "tall"}, "The highest height must be a number from 0 to 4096, not tall."),
    ({"low": 10}, "The lowest height, 10, must be below the highest height, 10."),
    ({"low": 11}, "The lowest height, 11, must be below the highest height, 10."),
    ({"scale": 0}, "The scale must be a number from 0.01 to 100, not 0."),
    ({"scale": 101}, "The scale must be a number from 0.01 to 100, not 101."),
    ({"scale": math.nan}, "The scale must be a number from 0.01 to 100, not nan."),
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_values_out_of_range(change, sentence):
    with pytest.raises(VoxelwrightError) as error:
        heights(grid([[1, 2]]), **{**GOOD, **change})
    assert str(error.value) == sentence


def test_a_world_too_large():
    wide = grid(np.zeros((6000, 1)))
    with pytest.raises(VoxelwrightError, match=r"take 6000 × 1 columns.*a scale of 0\.682 or less"):
        heights(wide, low=0, high=1, scale=1)
    assert heights(wide, low=0, high=1, scale=0.682).shape == (4092, 1)


# --- A real one -----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not FAULT.is_file(), reason="the sample heightmap is not here")
def test_the_jacksboro_fault():
    heightmap = read_heightmap(FAULT.read_bytes())
    samples = heightmap.samples
    assert (samples.shape, samples.dtype, heightmap.notes) == ((403, 344), np.uint16, ())
    assert (samples.min(), samples.max(), len(np.unique(samples))) == (236, 1076, 817)
    columns = heights(heightmap, low=0, high=840, scale=1)
    np.testing.assert_allclose(columns, samples.astype(np.float64) - 236, rtol=0, atol=1e-9)
