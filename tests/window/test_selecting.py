# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

YELLOW, BLUE = (255, 191, 51), (89, 204, 255)
"""What is selected, and what is being placed."""


@pytest.fixture(scope="module")
def seen(request: pytest.FixtureRequest, window):
    """What scripts/selecting.py saw."""
    return window("selecting", "vulkan", timeout=300)


def _n_pixels(seen, name: str, color: tuple[int, int, int]) -> int:
    """How many pixels of a photograph of the world have a colour."""
    picture = seen.photograph(name, seen["picture"]).astype(int)
    return int((np.abs(picture - color).max(axis=2) < 12).sum())


def test_selected_voxels_are_outlined(seen) -> None:
    assert seen["failed"] == []
    n_without = _n_pixels(seen, "nothing selected", YELLOW)
    assert n_without < 20
    assert _n_pixels(seen, "selected", YELLOW) > n_without + 200
    assert _n_pixels(seen, "turned", YELLOW) > n_without + 100
    assert _n_pixels(seen, "without overlays", YELLOW) == 0


@pytest.mark.parametrize("name", ["selecting", "pasting", "moving"])
def test_each_is_one_undo_step_and_comes_back(seen, name: str) -> None:
    after, before, again = seen[name]
    expected = {"selecting": None, "pasting": seen["before pasting"], "moving": seen["before moving"]}[name]
    assert again == after
    assert after != before
    assert expected is None or before == expected


def test_what_is_placed_follows_the_mouse_and_changes_nothing_before_the_click(seen) -> None:
    assert seen["while placing"] == [True, seen["before pasting"]]
    for name in ("placing", "placing, turned"):
        assert _n_pixels(seen, name, BLUE) > 200
    assert _n_pixels(seen, "placed", BLUE) == 0
    assert seen["pasting"][0][1][0] == seen["before pasting"][1][0]


def test_esc_gives_up(seen) -> None:
    assert seen["given up"] == [False, seen["pasting"][0]]


def test_a_decal_follows_the_mouse_is_placed_made_larger_and_undone(seen) -> None:
    assert seen["decal under the mouse"] == seen["decals after giving up"] == ["Painted Line Decal"]
    assert sorted(map(abs, seen["decal turned to"])) == [0, 0, 1]
    before, after, undone = seen["half-extent before, after and undone"]
    assert after > 1.3 * before
    assert undone == before
    assert seen["decals undone"] == []
    assert seen["drawing"] == ""
    yellow = [_n_painted(seen, name) for name in ("without decals", "decal", "decal hidden")]
    assert yellow[1] > yellow[0] + 100
    assert yellow[0] == yellow[2]


def _n_painted(seen, name: str) -> int:
    red, green, blue = seen.photograph(name, seen["picture"]).astype(int).transpose(2, 0, 1)
    return int(((red > green + 10) & (green > red * 0.7) & (blue < green * 0.5)).sum())
