# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest


@pytest.fixture(scope="module", params=["opengl", "vulkan"])
def seen(request: pytest.FixtureRequest, window):
    """What scripts/preview.py saw."""
    return request.param, window("preview", request.param, timeout=200)


def test_the_way_fits_the_backend(seen) -> None:
    backend, found = seen
    assert found["failure"] == found["failure at last"] == ""
    assert found["way"] == ("direct" if backend == "opengl" else "carried")


@pytest.mark.parametrize("name", ["solid", "x-ray", "wireframe", "material", "rendered"])
def test_the_world_is_seen(seen, name: str) -> None:
    _, found = seen
    picture, off = (found.photograph(n, found["window"]).astype(int) for n in (name, "off"))
    green = (picture[..., 1] > picture[..., 0] + 20) & (picture[..., 1] > picture[..., 2] + 20)
    assert green.mean() > 0.01
    assert (np.abs(picture - off).max(axis=2) > 20).mean() > 0.015


def test_each_viewport_can_be_switched_off(seen) -> None:
    _, found = seen
    pictures = (found.photograph(n, found["window"]).astype(int) for n in ("off in this viewport", "off"))
    assert (np.abs(np.subtract(*pictures)).max(axis=2) > 8).mean() < 0.001


def _differs(found, one: str, other: str) -> float:
    """The share of the viewport's pixels that two photographs do not agree on."""
    pictures = (found.photograph(name, found["window"]).astype(int) for name in (one, other))
    return (np.abs(np.subtract(*pictures)).max(axis=2) > 8).mean()


def test_worlds_are_lit_by_the_chosen_sun_or_by_the_settings(seen) -> None:
    _, found = seen
    assert _differs(found, "sun of the settings", "low sun") > 0.02
    assert _differs(found, "low sun", "sun moved") > 0.02
    assert _differs(found, "sun moved", "without shadows") > 0.02
    assert _differs(found, "sun deleted", "sun of the settings") < 0.002  # the viewport names the active object


def test_what_changes_the_light_has_the_viewport_drawn(seen) -> None:
    _, found = seen
    assert not found["nothing changes"]
    assert found["the sun is turned"] and found["the sun is larger"] and found["shadows are weaker"]


def test_a_viewport_that_moves_is_coarser_and_whole_at_rest(seen) -> None:
    _, found = seen
    whole = found["window"][2:]
    first, *_, last = found["sizes while it moves"]
    assert first == found["size at rest"] == whole
    assert last == [round(edge / 2) for edge in whole]
