# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import product

import numpy as np
import pytest

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.voxel.errors import VoxelwrightError

BOXES = [((0, 0, 0), (192, 192, 60)), ((-5, -5, -5), (5, 5, 5)), ((1e6, -1e6, 0), (1e6 + 4, -1e6 + 900, 3))]


def _ndc(camera: Camera, points: object) -> np.ndarray:
    homogeneous = np.c_[np.atleast_2d(np.asarray(points, np.float64)), np.ones(len(np.atleast_2d(points)))]
    clip = homogeneous @ (camera.projection @ camera.view).T
    return clip[:, :3] / clip[:, 3:]


@pytest.mark.parametrize(("low", "high"), BOXES)
@pytest.mark.parametrize("aspect", [16 / 9, 1.0, 0.4])
def test_the_box_fills_the_picture_from_every_side(low: tuple, high: tuple, aspect: float) -> None:
    corners = np.array(list(product(*zip(low, high, strict=True))))
    for azimuth, elevation in product(range(-360, 361, 45), (-90, -60, -10, 0, 25, 89.9, 90)):
        ndc = _ndc(orbit_camera(low, high, azimuth, elevation, aspect), corners)
        assert np.abs(ndc).max() < 1.0
        widest = np.abs(ndc[:, :2]).max(axis=0)
        assert widest.max() == pytest.approx(0.94, abs=1e-6)
        np.testing.assert_allclose(ndc[:, :2].max(axis=0), -ndc[:, :2].min(axis=0), atol=0.01)


def test_the_front_view_has_x_to_the_right_and_z_up() -> None:
    camera = orbit_camera((-1, -1, -1), (1, 1, 1), 0, 0, 1.0)
    center, x, y, z = _ndc(camera, [(0, 0, 0), (0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5)])
    np.testing.assert_allclose(center[:2], 0, atol=1e-9)
    assert x[0] > 0.1 and abs(x[1]) < 1e-9
    assert z[1] > 0.1 and abs(z[0]) < 1e-9
    assert y[2] > center[2]
    assert camera.eye[1] < -1


@pytest.mark.parametrize(
    ("azimuth", "elevation", "side"),
    [
        (0, 0, (0, -1, 0)),
        (90, 0, (1, 0, 0)),
        (180, 0, (0, 1, 0)),
        (-90, 0, (-1, 0, 0)),
        (33, 90, (0, 0, 1)),
        (0, -90, (0, 0, -1)),
    ],
)
def test_azimuth_and_elevation_place_the_eye(azimuth: float, elevation: float, side: tuple) -> None:
    eye = orbit_camera((-1, -1, -1), (1, 1, 1), azimuth, elevation, 1.0).eye
    np.testing.assert_allclose(eye / np.linalg.norm(eye), side, atol=1e-9)


def test_straight_down_keeps_the_azimuths_up() -> None:
    (up,) = _ndc(orbit_camera((-1, -1, -1), (1, 1, 1), 0, 90, 1.0), (0, 0.5, 0))
    assert up[1] > 0.1
    (up,) = _ndc(orbit_camera((-1, -1, -1), (1, 1, 1), 90, 90, 1.0), (-0.5, 0, 0))
    assert up[1] > 0.1


def test_the_view_is_a_rotation_and_the_planes_are_reported() -> None:
    camera = orbit_camera((0, 0, 0), (9, 4, 3), 77, -20, 1.5)
    rotation = camera.view[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)
    near, far = camera.depth_range
    forward = -rotation[2]
    for distance, depth in ((near, -1), (far, 1)):
        assert _ndc(camera, camera.eye + forward * distance)[0, 2] == pytest.approx(depth)


def test_an_empty_box_can_be_looked_at() -> None:
    ndc = _ndc(orbit_camera((3, 3, 3), (3, 3, 3), 10, 10, 1.0), (3, 3, 3))
    assert np.abs(ndc).max() < 0.5


@pytest.mark.parametrize(
    ("azimuth", "elevation"), [(float("nan"), 0), (float("inf"), 0), (0, 91), (0, -90.5), (0, float("nan"))]
)
def test_angles_that_are_none_are_refused(azimuth: float, elevation: float) -> None:
    with pytest.raises(VoxelwrightError, match="from -90 to 90"):
        orbit_camera((0, 0, 0), (1, 1, 1), azimuth, elevation, 1.0)
