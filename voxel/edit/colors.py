# SPDX-License-Identifier: GPL-3.0-or-later
"""Many colours as a palette."""

import numpy as np
from numpy.typing import NDArray

from ..palette import Material, Palette


def palette_of_colors(colors: NDArray[np.uint8], limit: int = 255) -> tuple[Palette, NDArray[np.int64]]:
    """A palette of at most limit (1 to 255) plain materials for colors (n, 3) uint8 sRGB, and (n,) the entry of each.

    Where there are more colours, those near to each other become their mean.
    """
    distinct, which, counts = np.unique(colors, axis=0, return_inverse=True, return_counts=True)
    entry_of = np.empty(len(distinct), np.int64)
    materials: dict[int, Material] = {}
    for entry, box in enumerate(_boxes(distinct.astype(np.int64), counts, limit), start=1):
        entry_of[box] = entry
        mean = np.rint(np.average(distinct[box], axis=0, weights=counts[box]))
        red, green, blue = mean.astype(np.int64).tolist()
        materials[entry] = Material(f"#{red:02x}{green:02x}{blue:02x}", (red, green, blue), texture="plain")
    return Palette.of(materials), entry_of[which.reshape(-1)]


def _boxes(distinct: NDArray[np.int64], counts: NDArray[np.int64], limit: int) -> list[NDArray[np.int64]]:
    """The places in distinct (n, 3) of the colours that go together: again and again the widest box of colours is cut
    across at its mean, weighted by counts (n,): as in median cut (P. Heckbert 1982), but lumps stay whole."""
    boxes = [np.arange(len(distinct))]
    widths = [np.ptp(distinct, axis=0)]
    while len(boxes) < min(limit, len(distinct)):
        widest = int(np.argmax([width.max() for width in widths]))
        box, width = boxes.pop(widest), widths.pop(widest)
        along = distinct[box, width.argmax()]
        is_above = along > np.average(along, weights=counts[box])
        for part in (box[~is_above], box[is_above]):
            boxes.append(part)
            widths.append(np.ptp(distinct[part], axis=0))
    return boxes
