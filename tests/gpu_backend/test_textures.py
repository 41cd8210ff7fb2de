# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from voxelwright.gpu_backend.textures import MEAN, PATTERNS, SIZE, texture_layer
from voxelwright.voxel.palette import TEXTURES

BRIGHTNESS, HEIGHT = 0, 1

every_texture = pytest.mark.parametrize("name", TEXTURES)
every_pattern = pytest.mark.parametrize("name", [name for name in TEXTURES if name != "plain"])


def test_every_texture_of_the_palette_has_a_pattern() -> None:
    assert tuple(PATTERNS) == TEXTURES


@every_texture
def test_layers_are_bytes_of_one_size_and_made_once(name: str) -> None:
    layer = texture_layer(name)
    assert (layer.shape, layer.dtype) == ((SIZE, SIZE, 2), np.uint8)
    assert texture_layer(name) is layer
    assert not layer.flags.writeable


@every_texture
def test_the_same_bytes_every_time(name: str) -> None:
    again = texture_layer.__wrapped__(name)
    np.testing.assert_array_equal(again, texture_layer(name))


@every_texture
def test_brightness_is_the_mean_to_the_last_byte(name: str) -> None:
    assert texture_layer(name)[..., BRIGHTNESS].sum(dtype=np.int64) == MEAN * SIZE * SIZE


@every_pattern
def test_patterns_are_equally_strong(name: str) -> None:
    assert 0.17 < texture_layer(name)[..., BRIGHTNESS].std() / 256 < 0.195


@every_pattern
def test_all_heights_are_equally_frequent(name: str) -> None:
    counts = np.bincount(texture_layer(name)[..., HEIGHT].reshape(-1), minlength=256)
    np.testing.assert_allclose(counts, SIZE * SIZE / 256, atol=16)


def test_plain_is_plain() -> None:
    assert (texture_layer("plain") == MEAN).all()


@every_pattern
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("channel", [BRIGHTNESS, HEIGHT])
def test_tiles_have_no_seam(name: str, axis: int, channel: int) -> None:
    """From the last row to the first, values change no more than between the rows within."""
    values = texture_layer(name)[..., channel].astype(np.float64)
    steps = np.abs(values - np.roll(values, 1, axis)).mean(axis=1 - axis)
    assert steps[0] <= 1.1 * steps[1:].max()
    assert steps[0] <= 2 * np.median(steps[1:])


@every_pattern
def test_patterns_fade_evenly_with_distance(name: str) -> None:
    """Seen from so far that a tile is 4 × 4 pixels, no spot stands out: it would repeat with every tile."""
    brightness = texture_layer(name)[..., BRIGHTNESS].astype(np.float64)
    far = brightness.reshape(4, 64, 4, 64).mean(axis=(1, 3))
    assert far.std() < 0.45 * brightness.std()
