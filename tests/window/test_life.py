# SPDX-License-Identifier: GPL-3.0-or-later
import pytest


@pytest.fixture(scope="module", params=["opengl", "vulkan"])
def seen(request: pytest.FixtureRequest, window):
    """What scripts/life.py saw, and the way that the backend asks for."""
    way = "direct" if request.param == "opengl" else "carried"
    return way, window("life", request.param, timeout=300)


@pytest.mark.parametrize(
    ("when", "n_worlds", "n_pools"),
    [
        ("world", 1, 1),
        ("redone", 1, 1),
        ("duplicated", 2, 1),  # which share their voxels until one is changed
        ("duplicate deleted", 1, 1),
        ("hidden", 0, 1),
        ("shown", 1, 1),
        ("another in local view", 0, 1),
        ("both in local view", 1, 1),
        ("excluded", 0, 1),
        ("included", 1, 1),
        ("another scene", 0, 1),
        ("first scene", 1, 1),
        ("saved", 1, 1),
        ("reverted", 1, 1),
        ("opened", 1, 1),
        ("linked", 1, 1),
        ("appended", 1, 1),
        ("factory settings", 1, 1),
        ("enabled again", 1, 1),
        ("enabled at last", 1, 1),
    ],
)
def test_worlds_are_drawn_once_a_redraw(seen, when: str, n_worlds: int, n_pools: int) -> None:
    way, found = seen
    assert found[when] == {"draws": 1, "worlds": n_worlds, "pools": n_pools, "way": way, "failure": ""}


@pytest.mark.parametrize("when", ["empty", "undone", "new file", "disabled"])
def test_everything_is_given_back_when_the_last_world_goes(seen, when: str) -> None:
    _, found = seen
    n_draws = 0 if when == "disabled" else 1
    assert found[when] == {"draws": n_draws, "worlds": 0, "pools": 0, "way": "", "failure": ""}


def test_reverting_takes_back_what_was_not_saved(seen) -> None:
    _, found = seen
    assert found["reverted to"] == 0.0


def test_linked_worlds_are_seen_but_not_changed(seen) -> None:
    _, found = seen
    assert found["linked, changed"] == '"Steps" is linked from another file; make it local before you change it.'
    assert found["appended, changed"] == ""


def test_disabling_and_enabling_takes_no_more_memory_each_time(seen) -> None:
    _, found = seen
    # After ten times everything that stays has been made. Blender on llvmpipe takes some MiB for each new context.
    assert found["KiB at last"] - found["KiB at first"] < 256 << 10
