# SPDX-License-Identifier: GPL-3.0-or-later
"""The record that all passes of a frame share."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.frame import frame_record, pixel_shift
from voxelwright.voxel.errors import VoxelwrightError

Make = Callable[..., Any]


def _moved(camera: Camera, eye: tuple[float, float, float]) -> Camera:
    view = camera.view.copy()
    view[:3, 3] = -view[:3, :3] @ eye
    return replace(camera, view=view)


def _scaled(camera: Camera, factor: float) -> Camera:
    """The same picture of voxels that are factor units of camera space wide, turned and moved as well."""
    a = 0.7
    model = np.diag([factor, factor, factor, 1.0]) @ np.array(
        [(np.cos(a), -np.sin(a), 0, 4), (np.sin(a), np.cos(a), 0, -2), (0, 0, 1, 1), (0, 0, 0, 1)]
    )
    return Camera(camera.view @ model, camera.projection)


def test_the_eye_is_split_exactly(front: Camera) -> None:
    frame = frame_record(_moved(front, (1_000_000.25, -7.5, -0.125)), 200, 100, (0, 0, 2))
    np.testing.assert_array_equal(frame["eye_voxel"][:3], (1_000_000, -8, -1))
    np.testing.assert_allclose(frame["eye_fraction"][:3], (0.25, 0.5, 0.875), atol=1e-6)
    np.testing.assert_array_equal(frame["sun_direction"][:3], (0, 0, 1))
    np.testing.assert_array_equal(frame["picture"], (200, 100, 0, 0))


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("factor", [0.1, 1.0, 5.0])
def test_matrices_map_voxels_relative_to_the_eye(orthographic: bool, factor: float, front: Camera, flat: Make) -> None:
    camera = _scaled(flat(front, 6.0) if orthographic else front, factor)
    frame = frame_record(camera, 200, 100)
    points = np.random.default_rng(1).uniform(-8, 8, (50, 3))
    whole = np.concatenate([points, np.ones((50, 1))], axis=1) @ (camera.projection @ camera.view).T
    relative = points - frame["eye_voxel"][:3].astype(float) - frame["eye_fraction"][:3]
    split = np.concatenate([relative, np.ones((50, 1))], axis=1)
    np.testing.assert_allclose(split @ frame["clip_from_eye"].astype(float), whole, atol=2e-5 * np.abs(whole).max())
    identity = frame["clip_from_eye"].astype(float) @ frame["eye_from_clip"].astype(float)
    np.testing.assert_allclose(identity, np.eye(4), atol=1e-3)


@pytest.mark.parametrize("orthographic", [False, True])
def test_a_scaled_view_is_told_in_voxels(orthographic: bool, front: Camera, flat: Make) -> None:
    camera = flat(front, 6.0) if orthographic else front
    near, far = camera.depth_range
    pixel = camera.voxels_per_pixel(100)
    assert pixel == pytest.approx(0.12 if orthographic else 2 * np.tan(np.radians(15)) / 100)
    for factor in (0.1, 5.0):
        scaled = _scaled(camera, factor)
        assert scaled.is_orthographic == orthographic
        assert scaled.depth_range == pytest.approx((near / factor, far / factor))
        # Per unit of clip w, which is camera space's depth in a perspective view.
        assert scaled.voxels_per_pixel(100) == pytest.approx(pixel / factor)
        frame = frame_record(scaled, 200, 100)
        assert frame["eye_voxel"][3] == pytest.approx(near / factor)
        assert frame["sun_direction"][3] == pytest.approx((far - near) / factor)
        assert frame["eye_fraction"][3] == pytest.approx(scaled.voxels_per_pixel(100))


@pytest.mark.parametrize("orthographic", [False, True])
def test_the_view_direction_is_unit_and_marked(orthographic: bool, flat: Make) -> None:
    for azimuth, elevation, along in [(0, 0, (0, 1, 0)), (90, 0, (-1, 0, 0)), (0, 90, (0, 0, -1))]:
        camera = orbit_camera((0, 0, 0), (8, 8, 8), azimuth, elevation, 1.0)
        frame = frame_record(flat(camera, 6.0) if orthographic else camera, 64, 64)
        np.testing.assert_allclose(frame["view_direction"], (*along, orthographic), atol=1e-6)
        turned = frame_record(_scaled(camera, 3.0), 64, 64)
        assert np.linalg.norm(turned["view_direction"][:3]) == pytest.approx(1)


@pytest.mark.parametrize("orthographic", [False, True])
def test_a_shift_moves_the_picture_by_parts_of_a_pixel(orthographic: bool, front: Camera, flat: Make) -> None:
    camera = flat(front, 6.0) if orthographic else front
    point = np.array([(*(np.array([1.0, 2.0, 3.0]) - camera.eye), 1.0)])
    places = []
    for shift in ((0.0, 0.0), (0.5, -0.25)):
        clip = point @ frame_record(camera, 200, 100, shift=shift)["clip_from_eye"].astype(float)
        places.append((clip[0, :2] / clip[0, 3] + 1) / 2 * (200, 100))
    np.testing.assert_allclose(places[1] - places[0], (0.5, -0.25), atol=1e-3)


def test_shifts_are_spread_over_the_pixel() -> None:
    assert pixel_shift(0) == (0.0, 0.0)
    shifts = np.array([pixel_shift(sample) for sample in range(65)])
    assert (np.abs(shifts) <= 0.5).all()
    counts, _, _ = np.histogram2d(*shifts.T, bins=4, range=[(-0.5, 0.5)] * 2)
    assert counts.min() >= 2 and counts.max() <= 6


@pytest.mark.parametrize("sun", [(0, 0, 0), (1, 0), (float("nan"), 0, 1), (float("inf"), 0, 0)])
def test_a_sun_without_direction_is_refused(sun: tuple[float, ...], front: Camera) -> None:
    with pytest.raises(VoxelwrightError, match="sun's direction"):
        frame_record(front, 8, 8, sun)
