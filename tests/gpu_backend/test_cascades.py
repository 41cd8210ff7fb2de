# SPDX-License-Identifier: GPL-3.0-or-later
"""Where shadow maps lie: they hold all that is seen, and their texels stay where they are in the world."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.cascades import MAP_EDGE, MAX_CASCADES, Cascade, fit_cascades, texels_from_eye

LOW, HIGH = np.array((-64, -96, -32)), np.array((448, 320, 96))
SUN = np.array((-0.35, -0.65, 0.8))

angles = st.floats(0, 360)
elevations = st.floats(-80, 80)
suns = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda sun: np.linalg.norm(sun) > 0.1)


def _looking(eye: NDArray[np.float64], azimuth: float, elevation: float, fov: float = 60.0) -> Camera:
    """A camera at a place, whose near and far plane lie 0.1 and 1000 voxels away."""
    turned = orbit_camera((-1, -1, -1), (1, 1, 1), azimuth, elevation, 16 / 9, fov)
    view = turned.view.copy()
    view[:3, 3] = -view[:3, :3] @ eye
    projection = turned.projection.copy()
    projection[2, 2], projection[2, 3] = -1000.1 / 999.9, -2 * 1000 * 0.1 / 999.9
    return Camera(view, projection)


def _serving(cascades: list[Cascade], depth: float) -> list[int]:
    """Which maps are looked up at a depth: one, and the next where that takes over."""
    first = next(i for i, cascade in enumerate(cascades) if depth < cascade.end)
    blends = depth > cascades[first].begins_to_end
    return [first, first + 1] if blends and first + 1 < len(cascades) else [first]


def _texel(cascade: Cascade, camera: Camera, point: NDArray[np.float64]) -> NDArray[np.float64]:
    return (texels_from_eye(cascade.place, 0, camera) @ (*(point - camera.eye), 1.0))[:3]


@given(angles, elevations, suns, st.booleans(), st.integers(0, 1 << 32))
def test_what_is_seen_lies_in_the_map_that_serves_it(
    azimuth: float, elevation: float, sun: tuple[float, float, float], parallel: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    camera = _looking(rng.uniform(LOW - 300, HIGH + 300), azimuth, elevation)
    if parallel:
        half = rng.uniform(2, 400)
        near, far = camera.depth_range
        projection = np.diag([1 / half, 1 / half, -2 / (far - near), 1.0])
        projection[2, 3] = -(far + near) / (far - near)
        camera = Camera(camera.view, projection)
    points = rng.uniform(LOW, HIGH, (200, 3))
    cascades = fit_cascades(camera, sun, LOW, HIGH)
    assert 1 <= len(cascades) <= MAX_CASCADES
    clip = np.column_stack([points, np.ones(200)]) @ (camera.projection @ camera.view).T
    seen = (np.abs(clip[:, :3]) <= clip[:, 3:]).all(axis=1)
    for point in points[seen]:
        for index in _serving(cascades, float((point - camera.eye) @ camera.direction)):
            x, y, depth = _texel(cascades[index], camera, point)
            assert 3 < x < MAP_EDGE - 3 and 3 < y < MAP_EDGE - 3 and 0 < depth < 1


@given(angles, elevations, st.integers(0, 1 << 32))
def test_texels_stay_where_they_are_however_the_camera_turns_and_moves(
    azimuth: float, elevation: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    eye = rng.uniform(LOW, HIGH)
    point = rng.uniform(LOW, HIGH)
    first = _looking(eye, 20, 10)
    others = _looking(eye, azimuth, elevation), _looking(eye + rng.uniform(-3, 3, 3), azimuth, elevation)
    before = fit_cascades(first, SUN, LOW, HIGH)
    for camera in others:
        after = fit_cascades(camera, SUN, LOW, HIGH)
        if after[0].end != before[0].end:  # the eye passed a step of its distance to the farthest corner
            assert not (camera.eye == first.eye).all()
            continue
        for one, other in zip(before, after, strict=True):
            assert one.place.half == other.place.half
            moved = _texel(other, camera, point) - _texel(one, first, point)
            np.testing.assert_allclose(moved[:2], np.round(moved[:2]), atol=1e-6)


def test_small_moves_change_no_map_and_large_ones_do() -> None:
    eye = np.array((100.0, 50.0, 60.0))
    places = [cascade.place for cascade in fit_cascades(_looking(eye, 30, 20), SUN, LOW, HIGH)]
    nudged = [cascade.place for cascade in fit_cascades(_looking(eye + 1e-3, 30, 20), SUN, LOW, HIGH)]
    walked = [cascade.place for cascade in fit_cascades(_looking(eye + 6, 30, 20), SUN, LOW, HIGH)]
    assert len(places) == MAX_CASCADES
    assert nudged == places
    assert walked[0] != places[0] and walked[-1] == places[-1]


def test_nearer_maps_are_finer() -> None:
    halves = [c.place.half for c in fit_cascades(_looking(np.array((100.0, 50.0, 60.0)), 30, 20), SUN, LOW, HIGH)]
    assert all(far > 1.5 * near for near, far in pairwise(halves))
    assert halves[0] < 40  # a voxel is 25 texels wide and more


@pytest.mark.parametrize("distance", [1500, 3000])
def test_a_world_that_is_seen_as_a_whole_has_one_map_that_never_moves(
    distance: float, flat: Callable[..., Camera]
) -> None:
    middle = (LOW + HIGH) / 2
    places = []
    for azimuth in (0, 75):
        camera = orbit_camera(LOW, HIGH, azimuth, 40, 1.0)
        turned = _looking(middle + distance * np.linalg.solve(camera.view[:3, :3], (0, 0, 1)), azimuth, 40)
        for each in (turned, flat(turned, 600)):
            (cascade,) = fit_cascades(each, SUN, LOW, HIGH)
            assert math.isinf(cascade.end)
            places.append(cascade.place)
    assert len(set(places)) == 1


def test_maps_end_where_shadows_are_wanted_no_farther() -> None:
    camera = _looking(np.array((100.0, 50.0, 60.0)), 30, 20)
    assert fit_cascades(camera, SUN, LOW, HIGH, 80.0)[-1].end == pytest.approx(80)
    afar = _looking((LOW + HIGH) / 2 + (0, -3000, 0), 0, 0)
    (whole,) = fit_cascades(afar, SUN, LOW, HIGH, 2000.0)  # a map of all of the world
    assert whole.begins_to_end < whole.end == 2000
