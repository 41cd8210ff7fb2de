# SPDX-License-Identifier: GPL-3.0-or-later
"""Many colours as a palette."""

import numpy as np
from numpy.typing import NDArray

from ..palette import Material, Palette

MAX_COLORS = 255


def palette_of_colors(colors: NDArray[np.uint8], limit: int = MAX_COLORS) -> tuple[Palette, NDArray[np.int64]]:
    """A palette of at most limit (8 to 255) plain materials for colors (n, 3) uint8 sRGB, and (n,) the entry of each.

    Where there are more colours, those that are alike in their highest bits become their mean.
    """
    for n_bits in range(8, 0, -1):
        keys = colors >> np.uint8(8 - n_bits)
        _, entries, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        if len(counts) <= limit:
            break
    entries = entries.reshape(-1)
    sums = np.stack([np.bincount(entries, colors[:, channel], len(counts)) for channel in range(3)], axis=1)
    means = np.rint(sums / counts[:, None]).astype(np.int64).tolist()
    materials = {
        number + 1: Material(f"#{red:02x}{green:02x}{blue:02x}", (red, green, blue), texture="plain")
        for number, (red, green, blue) in enumerate(means)
    }
    return Palette.of(materials), entries + 1
