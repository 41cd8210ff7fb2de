# SPDX-License-Identifier: GPL-3.0-or-later
"""What one sees through: tinted, hidden by what is in front, and only the nearest of several in a pixel."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Renderer, Shown
from voxelwright.voxel.jobs import finish

Make = Callable[..., Any]

GLASS, RUBY = 7, 12


@pytest.fixture(params=[-1, 1], ids=["from the front", "from behind"])
def color_of(request: pytest.FixtureRequest, renderer: Renderer, make_world: Make) -> Make:
    """A function that gives the mean colour of walls 8 voxels wide, each at a distance towards the eye."""
    towards = request.param
    camera = orbit_camera((0, -11, 0), (8, 11, 8), 0 if towards < 0 else 180, 0, 1.0)

    def color(*walls: tuple[int, int]) -> NDArray[np.float64]:
        cells = [(x, towards * y, z, material) for y, material in walls for x in range(8) for z in range(8)]
        picture = renderer.render(make_world(cells), camera, 64, 64, samples=1)
        return picture[28:36, 28:36, :3].reshape(-1, 3).mean(axis=0)

    return color


def test_glass_tints_what_is_behind_and_hides_behind_what_is_in_front(color_of: Make) -> None:
    wall = color_of((0, 1))
    behind_glass = color_of((0, 1), (10, GLASS))
    assert behind_glass[2] > wall[2] + 20 and behind_glass[0] < wall[0] - 20
    assert behind_glass[0] > 60
    np.testing.assert_allclose(color_of((0, 1), (-10, GLASS)), wall, atol=1)


def test_glass_that_lies_on_a_wall_tints_it(color_of: Make) -> None:
    np.testing.assert_allclose(color_of((0, 1), (1, GLASS)), color_of((0, 1), (5, GLASS)), atol=4)


@pytest.mark.parametrize(("near", "far"), [(GLASS, RUBY), (RUBY, GLASS)])
def test_only_the_nearest_pane_is_drawn(near: int, far: int, color_of: Make) -> None:
    np.testing.assert_allclose(color_of((0, 1), (10, near), (5, far)), color_of((0, 1), (10, near)), atol=1)


def test_panes_show_before_the_sky(color_of: Make) -> None:
    blue, red, nothing = color_of((0, GLASS)), color_of((0, RUBY)), color_of((0, 1), (-10, GLASS))
    assert red[0] > blue[0] + 10 and blue[2] > red[2] + 10
    assert np.abs(red - nothing).max() > 20


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_surface_is_what_light_reads(
    seed: int, orthographic: bool, renderer: Renderer, make_world: Make, cast_rays: Make, flat: Make, draw_frame: Make
) -> None:
    """Opaque or not: the G-buffer has the first that a ray meets, and the layer's depth buffer too."""
    rng = np.random.default_rng(seed)
    places = np.unique(rng.integers(-4, 4, (60, 3)), axis=0)
    cells = np.column_stack([places, rng.choice([1, 2, 3, GLASS, GLASS, RUBY], len(places))])
    camera = orbit_camera((-4, -4, -4), (4, 4, 4), 360 * rng.random(), rng.uniform(-80, 80), 1.0)
    camera = flat(camera, 6.0) if orthographic else camera
    pool = renderer.new_pool()
    world = make_world(cells)
    finish(pool.bring(world, camera.eye))
    target = draw_frame(renderer, [Shown(pool, camera)], 64, 64)
    material = np.frombuffer(target.surfaces.read(), np.uint32).reshape(64, 64, 2)[..., 1] >> 24
    distance = np.frombuffer(target.distances.read(), np.float32).reshape(64, 64)
    depth = np.frombuffer(target.layer.depth.read(), np.float32).reshape(64, 64)
    met = cast_rays(cells, camera, 64, 64)
    hit = met.sure & (met.material > 0)
    assert {1, GLASS, RUBY} <= set(met.material[hit].tolist())
    np.testing.assert_array_equal(material[hit], met.material[hit])
    np.testing.assert_allclose(distance[hit], met.distance[hit], rtol=1e-4)
    np.testing.assert_array_equal(distance[met.sure] > 0, met.material[met.sure] > 0)
    np.testing.assert_allclose(depth[hit], _depth(camera, np.where(hit, met.distance, 1.0))[hit], atol=1e-3)


def _depth(camera: Camera, distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Depth values of places so far along the rays of all pixels."""
    height, width = distance.shape
    y, x = np.mgrid[:height, :width] + 0.5
    clip = np.stack([x / width * 2 - 1, y / height * 2 - 1, np.ones_like(x), np.ones_like(x)], axis=-1)
    far = clip @ np.linalg.inv(camera.projection).T
    far = far[..., :3] / far[..., 3:]
    near, _ = camera.depth_range
    along = -distance - near if camera.is_orthographic else far[..., 2] * distance / np.linalg.norm(far, axis=-1)
    ends = camera.projection[2:, 2:] @ np.stack([along.ravel(), np.ones(along.size)])
    return ((ends[0] / ends[1]).reshape(height, width) + 1) / 2
