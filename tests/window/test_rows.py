# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of worlds, judged by Blender's own pictures of the same faces."""

import numpy as np
import pytest

ROWS = (
    "perspective",
    "orthographic",
    "camera",
    "quad view",
    "full area",
    "large interface",
    "local view",
    "overlays",
)


@pytest.fixture(scope="module", params=["opengl", "vulkan"])
def seen(request: pytest.FixtureRequest, window):
    """What scripts/rows.py saw."""
    return window("rows", request.param, timeout=300)


def _is_colored(picture: np.ndarray) -> np.ndarray:
    """Where the worlds' materials are: all else in these pictures is grey."""
    return picture.max(axis=2) - picture.min(axis=2) > 60


@pytest.mark.parametrize("row", ROWS)
def test_worlds_are_seen_as_meshes_of_the_same_faces(seen, row: str) -> None:
    """The same shapes at the same places, before and behind Blender's cubes, in the same colours."""
    rectangle = seen[f"{row}, region"]
    ours, meshes = (seen.photograph(f"{row}, {name}", rectangle).astype(int) for name in ("ours", "meshes"))
    n_colored = _is_colored(meshes).sum()
    assert n_colored > 10_000
    differs = np.abs(ours - meshes).max(axis=2) > 2
    # Faces may end half a pixel further; and where overlays' lines lie over them, Blender's are blended with the mesh.
    assert differs.sum() < n_colored * (0.03 if row == "overlays" else 0.006)


def test_cycles_comes_to_rest_and_hides_what_lies_behind(seen) -> None:
    assert seen["cycles"]["updates"] <= 2  # by what the script itself changes
    rectangle = seen["overlays, region"]
    before, rendered = (
        _is_colored(seen.photograph(name, rectangle).astype(int)) for name in ("before cycles", "cycles")
    )
    # Cycles' own pixels are twice as large here, and its cubes' edges are smooth.
    assert (before != rendered).sum() < 0.03 * before.sum()


def test_two_windows_both_show_worlds(seen) -> None:
    assert seen["windows"] == seen["viewports"] == 2
    assert seen["failure"] == seen["failure at last"] == ""
