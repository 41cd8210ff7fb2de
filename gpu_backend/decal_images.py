# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of decals as the GPU has them: all of one size, so that they can be layers of one texture."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..voxel.palette import linear_to_srgb, srgb_to_linear

EDGE = 512
"""Texels along each edge."""


@dataclass(frozen=True, eq=False)
class DecalImage:
    """texels (512, 512, 4) uint8, row 0 at the bottom: colours in sRGB with straight alpha, or a normal map as it is.
    Equal only to itself."""

    texels: NDArray[np.uint8]


def color_image(pixels: NDArray[np.float32], *, linear: bool) -> DecalImage:
    """Of pixels (height, width, 4) with straight alpha, row 0 at the bottom; in linear light, or in sRGB."""
    alpha = np.clip(pixels[..., 3:], 0.0, 1.0)
    light = pixels[..., :3] if linear else srgb_to_linear(np.clip(pixels[..., :3], 0.0, 1.0))
    resized = _resized(np.concatenate([np.clip(light, 0.0, 1.0) * alpha, alpha], axis=2))
    alpha = resized[..., 3:]
    # What is not seen at all has the mean colour: smaller levels of the texture mix it with what is.
    mean = resized[..., :3].sum(axis=(0, 1)) / max(float(alpha.sum()), 1e-6)
    straight = np.where(alpha > 1e-4, resized[..., :3] / np.maximum(alpha, 1e-4), mean)
    return DecalImage(_as_bytes(np.concatenate([linear_to_srgb(np.clip(straight, 0.0, 1.0)), alpha], axis=2)))


def normal_image(pixels: NDArray[np.float32]) -> DecalImage:
    """Of the pixels (height, width, 4) of a normal map, whose numbers are taken as they are."""
    return DecalImage(_as_bytes(_resized(np.clip(pixels, 0.0, 1.0))))


def _resized(pixels: NDArray[Any]) -> NDArray[np.float32]:
    """(512, 512, 4) float32: averaged where there are more pixels, else between them."""
    return _resized_rows(_resized_rows(pixels.astype(np.float32)).swapaxes(0, 1)).swapaxes(0, 1)


def _resized_rows(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Pixels (n, …) as (512, …)."""
    edges = np.linspace(0, len(pixels), EDGE + 1)
    if len(pixels) >= EDGE:
        # A texel is what its stretch of rows sums up to, of which the first and the last may be parts.
        whole = np.minimum(edges.astype(np.intp), len(pixels) - 1)
        part = (edges - whole).astype(np.float32).reshape(-1, *(1,) * (pixels.ndim - 1))
        sums = np.concatenate([np.zeros_like(pixels[:1], np.float64), np.cumsum(pixels, axis=0, dtype=np.float64)])
        up_to = sums[whole] + part * pixels[whole]
        return ((up_to[1:] - up_to[:-1]) * (EDGE / len(pixels))).astype(np.float32)
    middles = np.clip((edges[:-1] + edges[1:]) / 2 - 0.5, 0, len(pixels) - 1)
    low = middles.astype(np.intp)
    part = (middles - low).astype(np.float32).reshape(-1, *(1,) * (pixels.ndim - 1))
    high = np.minimum(low + 1, len(pixels) - 1)
    return pixels[low] + part * (pixels[high] - pixels[low])


def _as_bytes(values: NDArray[Any]) -> NDArray[np.uint8]:
    return (np.clip(values, 0.0, 1.0) * 255 + 0.5).astype(np.uint8)
