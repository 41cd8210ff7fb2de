# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own image loader as an independent judge of the PNG reader and writer, 16-bit grey above all."""

from pathlib import Path

import numpy as np
import pytest

from voxelwright.voxel.formats.heightmap import read_heightmap
from voxelwright.voxel.formats.png import write_png

bpy = pytest.importorskip("bpy")

FAULT = Path(__file__).parents[3] / "shared" / "data" / "heightmaps" / "jacksboro-fault.png"


def blender_pixels(path):
    """(width, height, 4) float64 indexed [x, y], y up, in the file's own values of 0 … 1."""
    image = bpy.data.images.load(str(path))
    try:
        image.colorspace_settings.name = "Non-Color"
        width, height = image.size
        pixels = np.empty(width * height * 4, np.float32)
        image.pixels.foreach_get(pixels)
    finally:
        bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4).transpose(1, 0, 2).astype(np.float64)


def assert_same(pixels, samples):
    """Equal as whole numbers, with no more between than float32 rounds."""
    values = pixels * np.iinfo(samples.dtype).max
    np.testing.assert_allclose(values, samples, rtol=0, atol=0.01)


@pytest.mark.skipif(not FAULT.is_file(), reason="the sample heightmap is not here")
def test_blender_reads_the_sample_heightmap_alike():
    assert_same(blender_pixels(FAULT)[:, :, 0], read_heightmap(FAULT.read_bytes()).samples)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_blender_reads_written_grey_alike(dtype, tmp_path):
    """All 65536 values: Blender too keeps 16 bits."""
    image = np.arange(256 * 256).reshape(256, 256).astype(dtype)
    path = tmp_path / "grey.png"
    path.write_bytes(write_png(image))
    assert_same(blender_pixels(path)[:, :, 0], image[::-1].T)


@pytest.mark.parametrize("n_channels", [3, 4])
def test_blender_reads_written_colors_alike(n_channels, tmp_path):
    image = np.random.default_rng(5).integers(0, 256, (20, 31, n_channels)).astype(np.uint8)
    path = tmp_path / "colors.png"
    path.write_bytes(write_png(image))
    assert_same(blender_pixels(path)[:, :, :n_channels], image[::-1].transpose(1, 0, 2))
