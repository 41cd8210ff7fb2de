# SPDX-License-Identifier: GPL-3.0-or-later
"""Several worlds in one frame: each has its own voxel space, and they hide each other as they should."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.world import World

Make = Callable[..., Any]

GLASS, RUBY = 7, 12
SIZE = (72, 60)


def _placed(camera: Camera, turn_degrees: float, scale: float, middle: tuple[float, float, float]) -> Camera:
    """The camera as a world sees it that is turned about Z and X, scaled, and stands at middle."""
    a = np.radians(turn_degrees)
    about_z = np.array([(np.cos(a), -np.sin(a), 0), (np.sin(a), np.cos(a), 0), (0, 0, 1)])
    about_x = np.array([(1, 0, 0), (0, np.cos(a / 2), -np.sin(a / 2)), (0, np.sin(a / 2), np.cos(a / 2))])
    model = np.eye(4)
    model[:3, :3] = about_z @ about_x * scale
    model[:3, 3] = middle
    return Camera(camera.view @ model, camera.projection)


def _shown(renderer: Renderer, world: World, camera: Camera, look: Look | None = None) -> Shown:
    pool = renderer.new_pool()
    finish(pool.bring(world, camera.eye))
    return Shown(pool, camera, look or Look())


def _cells(rng: np.random.Generator, materials: list[int]) -> NDArray[np.int64]:
    places = np.unique(rng.integers(-3, 3, (40, 3)), axis=0)
    return np.column_stack([places, rng.choice(materials, len(places))])


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize(("scale", "materials"), [(1.0, ([1, 2, 3], [4, 5, 6])), (0.4, ([1, 2, GLASS], [4, 5, RUBY]))])
def test_worlds_hide_each_other_whichever_comes_first(
    scale: float,
    materials: tuple[list[int], list[int]],
    orthographic: bool,
    renderer: Renderer,
    make_world: Make,
    cast_rays: Make,
    flat: Make,
    draw_frame: Make,
) -> None:
    rng = np.random.default_rng(3)
    cells = [_cells(rng, some) for some in materials]
    camera = orbit_camera((-4, -4, -4), (4, 4, 4), 31, 24, 1.2)
    camera = flat(camera, 5.0) if orthographic else camera
    cameras = [camera, _placed(camera, 40, scale, (0.5, -1.0, 0.25))]
    met = [cast_rays(c, seen_by, *SIZE) for c, seen_by in zip(cells, cameras, strict=True)]
    ways = [np.where(m.material > 0, m.distance * s, np.inf) for m, s in zip(met, (1.0, scale), strict=True)]
    sure = met[0].sure & met[1].sure & ~np.isclose(*ways, rtol=0, atol=0.01, equal_nan=False)
    sure |= met[0].sure & met[1].sure & np.isinf(ways[0]) & np.isinf(ways[1])
    first = ways[0] < ways[1]
    expected = np.where(first, met[0].material, met[1].material)
    assert (first & (met[1].material > 0))[sure].any() and (~first & (met[0].material > 0))[sure].any()

    shown = [_shown(renderer, make_world(c), seen_by) for c, seen_by in zip(cells, cameras, strict=True)]
    for order in (shown, shown[::-1]):
        target = draw_frame(renderer, order, *SIZE)
        words = np.frombuffer(target.surfaces.read(), np.uint32).reshape(*SIZE[::-1], 2)
        distance = np.frombuffer(target.distances.read(), np.float32).reshape(SIZE[::-1])
        np.testing.assert_array_equal(distance[sure] > 0, expected[sure] > 0)
        hit = sure & (expected > 0)
        np.testing.assert_array_equal((words[..., 1] >> 24)[hit], expected[hit])


def test_a_world_looks_the_same_scaled_and_beside_another(
    renderer: Renderer, make_world: Make, draw_frame: Make
) -> None:
    camera = orbit_camera((-4, -4, -4), (4, 4, 4), 31, 24, 1.2)
    larger = Camera(np.diag([3, 3, 3, 1]) @ camera.view, camera.projection @ np.diag([1 / 3, 1 / 3, 1 / 3, 1]))
    world = make_world(_cells(np.random.default_rng(5), [1, 2, 3, GLASS]))
    one, scaled = _shown(renderer, world, camera), _shown(renderer, world, larger)
    elsewhere = _shown(renderer, make_world([(500, 500, 500, 4)]), camera)
    lights = []
    for worlds in ([one], [scaled], [one, elsewhere], [elsewhere, one]):
        target = draw_frame(renderer, worlds, *SIZE)
        lights.append(np.frombuffer(target.light.read(), np.float16).reshape(*SIZE[::-1], 4).astype(float))
    assert lights[0][..., :3].std() > 0.05
    for light in lights[1:]:
        np.testing.assert_allclose(light, lights[0], atol=4e-3)


def test_each_world_has_its_own_view(renderer: Renderer, make_world: Make, draw_frame: Make) -> None:
    camera = orbit_camera((0, 0, 0), (9, 1, 4), 0, 0, 2.0)
    left, right = ([(x + shift, 0, z, 1) for x in range(4) for z in range(4)] for shift in (0, 5))
    shown = [
        _shown(renderer, make_world(left), camera, Look(view=View.FACES)),
        _shown(renderer, make_world(right), camera, Look(view=View.NORMALS)),
    ]
    target = draw_frame(renderer, shown, 64, 32)
    light = np.frombuffer(target.light.read(), np.float16).reshape(32, 64, 4)[..., :3].astype(float)
    np.testing.assert_allclose(light[14:18, 14:18], np.broadcast_to((0.03, 0.28, 0.03), (4, 4, 3)), atol=0.01)
    np.testing.assert_allclose(light[14:18, 46:50], np.broadcast_to((0.5, 0.0, 0.5), (4, 4, 3)), atol=0.01)


def test_a_frame_of_no_world_is_black(renderer: Renderer, draw_frame: Make) -> None:
    target = draw_frame(renderer, [], 16, 16)
    assert not np.frombuffer(target.distances.read(), np.float32).any()
