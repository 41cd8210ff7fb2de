# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.legend import with_legend
from voxelwright.gpu_backend.views import LEGENDS, View

GREY = 128
WITH_LEGEND = [view for view in View if LEGENDS[view]]


def _grey(height: int, width: int) -> NDArray[np.uint8]:
    picture = np.full((height, width, 4), GREY, np.uint8)
    picture[..., 3] = 255
    return picture


def _srgb(linear: tuple[float, float, float]) -> NDArray[np.float64]:
    values = np.array(linear)
    return 255 * np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("view", WITH_LEGEND)
def test_every_entry_has_its_colour_and_words(view: View) -> None:
    picture = _grey(200, 300)
    legend = with_legend(picture, view)
    assert (picture[..., :3] == GREY).all()  # it is a copy
    assert (legend[..., 3] == 255).all()
    found = [
        np.argwhere((np.abs(legend[..., :3] - _srgb(color)) <= 1).all(axis=2)).min(axis=0) for color, _ in LEGENDS[view]
    ]
    rows = [row for row, _ in found]
    assert rows == sorted(set(rows))
    for row in rows:
        line = legend[row : row + 7, 17:, :3]
        assert (line > 200).all(axis=2).sum() > 10


@pytest.mark.parametrize("view", WITH_LEGEND)
def test_it_lies_in_the_upper_left_and_changes_nothing_else(view: View) -> None:
    changed = (with_legend(_grey(300, 400), view)[..., :3] != GREY).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert rows.min() == columns.min() == 0
    assert changed[: rows.max() + 1, : columns.max() + 1].mean() > 0.99
    assert rows.max() < 80 and columns.max() < 250


@pytest.mark.parametrize("view", [View.LIT, View.QUADS])
def test_views_without_entries_have_none(view: View) -> None:
    np.testing.assert_array_equal(with_legend(_grey(40, 60), view), _grey(40, 60))


@pytest.mark.parametrize(("height", "width"), [(1, 1), (5, 400), (300, 6)])
def test_what_does_not_fit_is_cut(height: int, width: int) -> None:
    for view in View:
        assert with_legend(_grey(height, width), view).shape == (height, width, 4)


def test_it_grows_with_the_picture() -> None:
    small, large = (with_legend(_grey(h, 3 * h), View.FACES)[..., 0] != GREY for h in (360, 1080))
    np.testing.assert_array_equal(small.repeat(3, axis=0).repeat(3, axis=1), large)
