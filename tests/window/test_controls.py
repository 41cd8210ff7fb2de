# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest


@pytest.fixture(scope="module", params=["opengl", "vulkan"])
def seen(request: pytest.FixtureRequest, window):
    """What scripts/controls.py saw, and the backend."""
    return request.param, window("controls", request.param, timeout=400)


def test_a_new_world_is_framed_and_its_far_end_shown_on_demand(seen) -> None:
    _, found = seen
    assert found["new world is framed"]
    assert found["extended"] == ["FINISHED"]
    assert found["clip end"] > 200


@pytest.mark.parametrize(
    ("click", "selected"),
    [
        ("click on the left world", ["Left"]),
        ("click over the hidden cube", ["Right"]),
        ("shift click on the left world", ["Left", "Right"]),
        ("shift click on it again", ["Right"]),
        ("click on the cube before", ["Before"]),
        ("click on nothing", []),
        ("undone", ["Before"]),
    ],
)
def test_clicks_select_what_is_seen(seen, click: str, selected: list[str]) -> None:
    _, found = seen
    assert found[click] == selected


def test_keys_frame_worlds_and_leave_the_rest_to_blender(seen) -> None:
    _, found = seen
    assert found["framed, perspective"]
    assert found["framed, orthographic"]
    assert found["cube framed by Blender"] < 1e-3


def test_objects_fall_onto_the_ground(seen) -> None:
    _, found = seen
    assert found["dropped"] == ["FINISHED"]
    # Ground at (16, 16) is 10 high, and the cube 2.
    assert found["dropped to"] == pytest.approx([16.5, 16.5, 11.0])


def test_statistics_are_text_over_the_world(seen) -> None:
    _, found = seen
    rectangle = found["viewport"]
    left = [rectangle[0], rectangle[1], rectangle[2] // 2, rectangle[3]]
    without, with_text = (found.photograph(name, left).astype(int) for name in ("dropped", "statistics"))
    white = with_text.min(axis=2) > 220
    assert white.sum() > (without.min(axis=2) > 220).sum() + 1000


def test_quality_is_a_preset_or_ones_own(seen) -> None:
    _, found = seen
    assert found["quality low"] == ["LOW", 0.5, False, "NONE", False, 3.0, 1]
    assert found["quality medium"] == ["MEDIUM", 1.0, False, "RAYS", True, 2.0, 1]
    assert found["quality high"] == ["HIGH", 1.0, True, "RAYS", False, 0.0, 1]
    assert found["quality ultra"] == ["ULTRA", 1.0, True, "RAYS", False, 0.0, 8]
    assert found["own quality"] == "CUSTOM"
    low, high, maps, ultra = (
        found.photograph(f"quality {q}", found["viewport"]).astype(int) for q in ("low", "high", "maps", "ultra")
    )
    for picture in (low, maps, ultra):
        assert 0.001 < (np.abs(picture - high).max(axis=2) > 8).mean() < 0.3


def test_views_differ(seen) -> None:
    _, found = seen
    pictures = [found.photograph(f"view {v}", found["viewport"]) for v in ("faces", "chunks", "normals", "quads")]
    for number, picture in enumerate(pictures):
        for other in pictures[:number]:
            assert (picture != other).any(axis=2).mean() > 0.05


def test_a_failure_of_the_direct_way_leads_to_the_other(seen) -> None:
    backend, found = seen
    way, reason, failure = found["without direct"]
    assert failure == ""
    assert way == "carried"
    assert reason == (
        "Drawing directly failed: the card is gone"
        if backend == "opengl"
        else "Blender draws with Vulkan here, not with OpenGL."
    )
    without, lost = (
        found.photograph(name, found["viewport"]).astype(int) for name in ("without direct", "without both")
    )
    green = [(p[..., 1] > p[..., 0] + 40) & (p[..., 1] > p[..., 2] + 40) for p in (without, lost)]
    assert green[0].mean() > 0.05
    assert green[1].mean() < 0.01


def test_a_failure_of_both_is_said_until_a_retry(seen) -> None:
    backend, found = seen
    assert found["without both"] == ["the card is gone"]
    assert found["retried"] == ["direct" if backend == "opengl" else "carried", ""]


def test_ways_can_be_chosen(seen) -> None:
    backend, found = seen
    assert found["CARRIED"] == ["carried", "The preferences say so."]
    expected = (
        ["direct", "Blender draws with OpenGL."]
        if backend == "opengl"
        else ["carried", "Blender draws with Vulkan here, not with OpenGL."]
    )
    assert found["DIRECT"] == found["AUTO"] == expected
