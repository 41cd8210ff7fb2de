# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest


@pytest.fixture(scope="module", params=["opengl", "vulkan"])
def seen(request: pytest.FixtureRequest, window):
    """What scripts/sidebar.py saw."""
    return window("sidebar", request.param, timeout=60)


def test_extension_is_enabled_at_once(seen, record_property) -> None:
    record_property("seconds to enable", seen["seconds to enable"])
    assert seen["seconds to enable"] < 2


def test_sidebar_has_the_tab(seen) -> None:
    assert seen["Voxelwright"] == "Voxelwright"


def test_window_is_not_blank(seen) -> None:
    picture = seen.photograph("Voxelwright")
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100


def test_tab_shows_something_else_than_another_one(seen) -> None:
    ours, other = (seen.photograph(tab, seen["sidebar"]) for tab in ("Voxelwright", "Tool"))
    assert ours.size
    assert np.any(ours != other, axis=2).mean() > 0.02
