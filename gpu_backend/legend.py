# SPDX-License-Identifier: GPL-3.0-or-later
"""The legend of a view, drawn into its picture: a row of colour and words for each entry."""

import numpy as np
from numpy.typing import NDArray

from ..voxel.palette import linear_to_srgb
from .views import LEGENDS, View

_GLYPHS = {
    "A": "7e11117e", "B": "7f494936", "C": "3e414122", "D": "7f41413e", "E": "7f494941", "F": "7f090901",
    "G": "3e41497a", "H": "7f08087f", "I": "417f41", "J": "2040403f", "K": "7f081463", "L": "7f404040",
    "M": "7f020c027f", "N": "7f06187f", "O": "3e41413e", "P": "7f090906", "Q": "3e41615e", "R": "7f091966",
    "S": "26494932", "T": "01017f0101", "U": "3f40403f", "V": "0f3040300f", "W": "3f4038403f", "X": "6314081463",
    "Y": "0708700807", "Z": "6151494543", "+": "08083e0808", "-": "08080808", " ": "0000",
}  # fmt: skip
"""A byte a column of dots, bit 0 the top one of seven."""

_DOTS_HIGH = 7
_ROW_DOTS = 11
_SWATCH_DOTS = 9
_MARGIN_DOTS = 4
_BACKGROUND = 24
_INK = 235
_PICTURE_HEIGHT_A_DOT = 360
"""Dots are one pixel wide in pictures of up to this height, and grow with it."""


def with_legend(picture: NDArray[np.uint8], view: View) -> NDArray[np.uint8]:
    """A copy of a picture (height, width, 4) with the view's legend in its upper left corner, as far as it fits."""
    entries = LEGENDS[view]
    if not entries:
        return picture
    texts = [_text(words) for _, words in entries]
    box = np.zeros((len(entries) * _ROW_DOTS + _MARGIN_DOTS, max(t.shape[1] for t in texts) + 20, 3), np.uint8)
    box[:] = _BACKGROUND
    for index, ((color, _), text) in enumerate(zip(entries, texts, strict=True)):
        top = _MARGIN_DOTS + index * _ROW_DOTS
        box[top : top + _DOTS_HIGH, _MARGIN_DOTS : _MARGIN_DOTS + _SWATCH_DOTS] = _srgb(color)
        left = 2 * _MARGIN_DOTS + _SWATCH_DOTS
        box[top : top + _DOTS_HIGH, left : left + text.shape[1]][text] = _INK
    scale = max(1, round(picture.shape[0] / _PICTURE_HEIGHT_A_DOT))
    box = box.repeat(scale, axis=0).repeat(scale, axis=1)[: picture.shape[0], : picture.shape[1]]
    result = picture.copy()
    result[: box.shape[0], : box.shape[1], :3] = box
    return result


def _text(words: str) -> NDArray[np.bool_]:
    """(7, width) bool: the dots of a line of capitals."""
    columns: list[int] = []
    for letter in words:
        columns += [*bytes.fromhex(_GLYPHS[letter]), 0]
    return (np.array(columns) >> np.arange(_DOTS_HIGH)[:, None] & 1).astype(np.bool_)


def _srgb(linear: tuple[float, float, float]) -> NDArray[np.uint8]:
    return np.round(255 * linear_to_srgb(np.array(linear))).astype(np.uint8)
