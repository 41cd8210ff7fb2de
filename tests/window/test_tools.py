# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools of the toolbar, used with a mouse and keys in a real window."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def seen(window):
    """What scripts/tools.py saw."""
    return window("tools", "opengl", timeout=600)


def test_the_first_press_compiles_the_tools(seen) -> None:
    assert seen["compiled"]


@pytest.mark.parametrize("tool", ["sculpt", "build", "paint", "box", "line", "extrude", "stamp"])
def test_escape_leaves_the_world_as_it_was(seen, tool: str) -> None:
    changed_meanwhile, as_before = seen[f"{tool}, Esc"]
    assert changed_meanwhile
    assert as_before


@pytest.mark.parametrize("tool", ["sculpt", "build", "paint", "box", "line", "fill", "extrude", "stamp"])
def test_a_gesture_is_one_step_of_undo(seen, tool: str) -> None:
    changes, n_edits, undone, redone = seen[tool]
    assert changes
    assert n_edits == 1
    assert undone
    assert redone


def test_the_select_tool_adds_and_undo_takes_it_back(seen) -> None:
    assert seen["selected box"] > 50
    assert seen["selected face too"] > seen["selected box"]
    assert seen["selection undone"] == seen["selected box"]
    assert seen["copied"] == ["FINISHED"]


def test_pick_makes_the_material_under_the_mouse_the_active_one(seen) -> None:
    assert seen["picked"] == 2


def test_keys_set_the_brush(seen) -> None:
    assert seen["radius"] == 4.0
    assert seen["strength"] == 1.0
    assert seen["removed"] > 20


def test_symmetry_builds_on_both_sides(seen) -> None:
    n_added, is_symmetric = seen["symmetric"]
    assert n_added > 60
    assert is_symmetric


@pytest.mark.parametrize("tool", ["sculpt", "build", "paint", "box", "fill", "extrude", "stamp", "pick"])
def test_cursors_are_drawn(seen, tool: str) -> None:
    """White lines over the world, which has none itself; of Pick they are those of one voxel."""
    assert _white(seen.photograph(f"{tool} cursor", seen["world"])) > (5 if tool == "pick" else 30)


def test_planes_of_symmetry_are_drawn(seen) -> None:
    picture = seen.photograph("symmetry cursor", seen["viewport"]).astype(int)
    reddish = (picture[..., 0] > picture[..., 1] + 60) & (picture[..., 0] > picture[..., 2] + 50)
    without = seen.photograph("radius", seen["viewport"]).astype(int)
    before = (without[..., 0] > without[..., 1] + 60) & (without[..., 0] > without[..., 2] + 50)
    assert (reddish & ~before).sum() > 100


def _white(picture: np.ndarray) -> int:
    return int((picture.min(axis=2) > 225).sum())
