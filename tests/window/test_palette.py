# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest


@pytest.fixture(scope="module")
def seen(request: pytest.FixtureRequest, window):
    """What scripts/palette.py saw."""
    return window("palette", "opengl", timeout=300)


@pytest.mark.parametrize("name", ["edited", "displaced"])
def test_each_is_one_undo_step(seen, name: str) -> None:
    before, done, undone, *n_steps = seen[name]
    assert done != before
    assert undone == before
    assert n_steps in ([], [1])


def test_changes_of_a_material_are_seen_at_once(seen) -> None:
    assert seen["smooth while editing"]


def test_the_pie_sets_tools(seen) -> None:
    assert seen["tool"] == "voxelwright.sculpt"


@pytest.mark.parametrize("name", ["palette", "editing", "pie"])
def test_popups_are_seen(seen, name: str) -> None:
    """Each covers a part of the picture with what is not there without it."""
    plain, shown = (seen.photograph(photo, seen["picture"]).astype(int) for photo in ("sidebar", name))
    assert (np.abs(plain - shown).max(axis=2) > 20).mean() > 0.02
