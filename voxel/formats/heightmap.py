# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap images: a PNG becomes a grid of samples, and the samples become heights of world columns."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..limits import IMAGE_SCALE_RANGE, MAX_WORLD_EDGE
from .png import GREY, GREY_ALPHA, RGB_ALPHA, Image, Samples, read_png


@dataclass(frozen=True, slots=True)
class Heightmap:
    """Samples of a height field.

    samples (nx, ny) uint8 or uint16, indexed [x, y]: x to the right of the image, y up, so that the image's first
    row is the far edge (+Y). notes: one sentence for the user on each thing that was not taken as it is.
    """

    samples: Samples
    notes: tuple[str, ...]


def read_heightmap(data: bytes) -> Heightmap:
    """A heightmap from the bytes of a PNG file.

    Grey of 8 and 16 bits keeps every value; colours become grey of the same depth. Raises VoxelwrightError where
    data is no PNG, is damaged, or is larger than the limits.
    """
    image = read_png(data)
    n_channels = image.samples.shape[2]
    grey = image.samples[:, :, 0] if n_channels <= 2 else _luminance(image.samples)
    return Heightmap(np.ascontiguousarray(grey[::-1].T), _notes(image))


def heights(
    heightmap: Heightmap, *, low: float, high: float, scale: float, full_range: bool = False
) -> NDArray[np.float64]:
    """Heights of the columns of a world, (round(nx · scale), round(ny · scale)) float64, in voxels.

    The lowest sample gets the height low and the highest one high (in voxels, 0 ≤ low < high ≤ MAX_WORLD_EDGE);
    with full_range 0 gets low and the largest value of the samples' type gets high. Where all samples are equal,
    everything is low. scale is voxels a sample: each sample covers scale × scale columns, and heights are
    bilinear between the samples' centres, constant beyond the outermost ones; at 1 they are the samples
    themselves. The results are equal on every machine. Raises VoxelwrightError for values out of range.
    """
    low = _number("The lowest height", low, 0, MAX_WORLD_EDGE)
    high = _number("The highest height", high, 0, MAX_WORLD_EDGE)
    if low >= high:
        raise VoxelwrightError(f"The lowest height, {low:g}, must be below the highest height, {high:g}.")
    samples = heightmap.samples
    n_columns = _scaled_size(samples.shape, _number("The scale", scale, *IMAGE_SCALE_RANGE))
    bottom, top = (0, np.iinfo(samples.dtype).max) if full_range else (int(samples.min()), int(samples.max()))
    if bottom == top:
        return np.full(n_columns, low)
    t = _resample(samples, n_columns)
    t -= bottom
    t /= top - bottom
    # Both ends are exact in this form; the clip takes away what rounding may add in between.
    return np.clip(low * (1.0 - t) + high * t, low, high, out=t)


def _luminance(colors: Samples) -> Samples:
    """(h, w) grey of the same type from (h, w, 3 or 4) colours, by the weights of Rec. 709, rounded.

    Whole numbers, so that grey saved as RGB keeps its values exactly: 65535 · 10000 fits 32 bits.
    """
    total = np.full(colors.shape[:2], 5000, np.uint32)
    for channel, weight in enumerate((2126, 7152, 722)):
        total += colors[:, :, channel].astype(np.uint32) * np.uint32(weight)
    total //= 10000
    return total.astype(colors.dtype)


def _notes(image: Image) -> tuple[str, ...]:
    notes = []
    header = image.header
    if header.color_type not in (GREY, GREY_ALPHA):
        notes.append("The image is in colour; its luminance (Rec. 709) was taken as the height.")
    if header.color_type in (GREY_ALPHA, RGB_ALPHA):
        notes.append("The image has an alpha channel, which was ignored.")
    if header.bit_depth <= 8:
        # A palette of few bits may still hold colours of any luminance.
        n_levels = 1 << header.bit_depth if header.color_type == GREY else 256
        notes.append(
            f"The image has at most {n_levels} levels of height and will look terraced where it is stretched over "
            "more voxels; 16-bit grey is better."
        )
    return tuple(notes)


def _number(what: str, value: float, low: float, high: float) -> float:
    if not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise VoxelwrightError(f"{what} must be a number from {low:g} to {high:g}, not {value}.")
    return float(value)


def _scaled_size(size: tuple[int, ...], scale: float) -> tuple[int, int]:
    nx, ny = (max(1, round(n * scale)) for n in size)
    if max(nx, ny) > MAX_WORLD_EDGE:
        fitting = math.floor(MAX_WORLD_EDGE / max(size) * 1000) / 1000
        raise VoxelwrightError(
            f"At the scale {scale:g} the heightmap of {size[0]} × {size[1]} samples would take {nx} × {ny} columns, "
            f"and a world has at most {MAX_WORLD_EDGE} a side; use a scale of {fitting:g} or less."
        )
    return nx, ny


def _resample(samples: Samples, size: tuple[int, int]) -> NDArray[np.float64]:
    """Samples at the centres of the columns, bilinear, (size) float64; the edges of both grids coincide."""
    x, x_next, wx = _neighbours(samples.shape[0], size[0])
    y, y_next, wy = _neighbours(samples.shape[1], size[1])
    near = _between(samples[np.ix_(x, y)], samples[np.ix_(x_next, y)], wx[:, None])
    far = _between(samples[np.ix_(x, y_next)], samples[np.ix_(x_next, y_next)], wx[:, None])
    return _between(near, far, wy)


def _neighbours(n_samples: int, n_columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """For each column the sample below its centre, the one above, and the weight of the latter.

    The place (i + ½) · n_samples / n_columns − ½ is split by whole numbers, so that no rounding enters.
    """
    place = (2 * np.arange(n_columns, dtype=np.int64) + 1) * n_samples - n_columns
    below, rest = np.divmod(place, 2 * n_columns)
    last = n_samples - 1
    return below.clip(0, last), (below + 1).clip(0, last), rest / (2 * n_columns)


def _between(a: NDArray[Any], b: NDArray[Any], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """a + (b − a) · weight, which is exactly a where a and b are equal or the weight is 0."""
    result = b.astype(np.float64)
    result -= a
    result *= weight
    result += a
    return result
