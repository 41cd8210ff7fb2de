# SPDX-License-Identifier: GPL-3.0-or-later
"""What Renderer.render() promises of its pictures: size, order of rows, sky, sun, samples."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Look, Renderer
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.limits import MAX_PICTURE_EDGE
from voxelwright.voxel.world import World

Make = Callable[..., Any]

NOTHING = World()


@pytest.mark.parametrize("orthographic", [False, True])
def test_row_0_is_the_top_and_column_0_the_left(
    orthographic: bool, renderer: Renderer, make_world: Make, front: Camera, flat: Make, material_in: Make
) -> None:
    world = make_world([(0, 0, 7, 1), (7, 0, 0, 2)])
    picture = renderer.render(world, flat(front, 4.2) if orthographic else front, 64, 64, samples=1)
    assert material_in(picture[4:7, 4:7]) == 1
    assert material_in(picture[-7:-4, -7:-4]) == 2


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 5), (33, 64)])
def test_pictures_of_any_size_are_opaque(renderer: Renderer, front: Camera, width: int, height: int) -> None:
    picture = renderer.render(NOTHING, front, width, height)
    assert picture.shape == (height, width, 4)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert (picture[..., 3] == 255).all()


@pytest.mark.parametrize(("width", "height"), [(0, 10), (10, 0), (-1, 10), (MAX_PICTURE_EDGE + 1, 10)])
def test_other_sizes_are_refused(renderer: Renderer, front: Camera, width: int, height: int) -> None:
    with pytest.raises(VoxelwrightError, match="1 to 8192 pixels"):
        renderer.render(NOTHING, front, width, height)


def test_a_sun_without_direction_is_refused_and_the_next_picture_drawn(renderer: Renderer, front: Camera) -> None:
    with pytest.raises(VoxelwrightError, match="sun's direction"):
        renderer.render(NOTHING, front, 8, 8, Look(sun_direction=(0, 0, 0)))
    assert renderer.render(NOTHING, front, 8, 8).shape == (8, 8, 4)


def test_the_sky_is_bright_at_the_sun_and_dark_at_night(renderer: Renderer, front: Camera) -> None:
    away, facing, night = (
        renderer.render(NOTHING, front, 32, 32, Look(sun_direction=sun))
        for sun in [(0, -1, 0.1), (0, 1, 0.1), (0, 0, -1)]
    )
    row = round(16 - 16 * 0.1 * float(front.projection[1, 1]))
    assert facing[row - 1 : row + 1, 15:17, 0].max() > 240 > away[row - 1 : row + 1, 15:17, 0].max() + 40
    assert night.max(axis=(0, 1))[0] < 90


def test_a_level_orthographic_view_has_the_same_sky_all_over(renderer: Renderer, front: Camera, flat: Make) -> None:
    picture = renderer.render(NOTHING, flat(front, 5.0), 64, 64)[..., :3].astype(int)
    np.testing.assert_allclose(picture, np.broadcast_to(picture[10, 2], picture.shape), atol=2)


def test_a_picture_without_sky_is_black(renderer: Renderer, front: Camera, make_world: Make) -> None:
    picture = renderer.render(make_world([(3, 0, 3, 2)]), front, 32, 32, Look(sky=False), samples=1)
    assert picture[:3, :, :3].max() <= 1
    assert picture[..., 1].max() > 60


def test_samples_smooth_edges(renderer: Renderer, make_world: Make, front: Camera) -> None:
    world = make_world([(x, 0, z, 1) for x in range(8) for z in range(x + 1)])
    counts = [len(np.unique(renderer.render(world, front, 96, 96, samples=n)[20:80, 20:80, 0])) for n in (1, 8)]
    assert counts[1] > counts[0] + 3


def test_pictures_are_the_same_every_time(renderer: Renderer, make_world: Make, front: Camera) -> None:
    world = make_world([(x, y, x // 2, 1 + x % 3) for x in range(8) for y in range(8)])
    camera = orbit_camera((0, 0, 0), (8, 8, 4), 20, 30, 1.0)
    first = renderer.render(world, camera, 48, 48, samples=2)
    renderer.render(make_world([(0, 0, 0, 7)]), front, 24, 24, samples=1)
    np.testing.assert_array_equal(renderer.render(world, camera, 48, 48, samples=2), first)


def test_a_picture_that_is_given_up_does_not_show_in_the_next(
    renderer: Renderer, make_world: Make, front: Camera
) -> None:
    world = make_world([(x, 0, z, 1) for x in range(8) for z in range(8)])
    expected = renderer.render(NOTHING, front, 16, 16, samples=2)
    job = renderer.rendering(world, front, 16, 16, samples=4)
    for _ in range(4):
        next(job)
    job.close()
    np.testing.assert_array_equal(finish(renderer.rendering(NOTHING, front, 16, 16, samples=2)), expected)
