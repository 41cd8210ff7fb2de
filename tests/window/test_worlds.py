# SPDX-License-Identifier: GPL-3.0-or-later
import pytest


@pytest.fixture(scope="module", params=["opengl", "vulkan"])
def seen(request: pytest.FixtureRequest, window):
    """What scripts/worlds.py saw."""
    return window("worlds", request.param, timeout=180)


def test_new_world_makes_a_world(seen) -> None:
    assert seen["at first"] == []
    assert seen["begun"]
    ((_, n_chunks),) = seen["made"]
    assert n_chunks > 0


def test_one_undo_takes_the_world_away(seen) -> None:
    assert seen["undone"] == []


def test_redo_brings_the_world_back(seen) -> None:
    assert seen["redone"] == seen["made"]


def test_esc_cancels_a_generation_in_progress(seen) -> None:
    assert seen["begun again"]
    assert seen["cancelled"] == seen["redone"]
    assert seen["left by cancelling"] == 0
