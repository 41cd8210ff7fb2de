# SPDX-License-Identifier: GPL-3.0-or-later
"""Shadows from maps and occlusion from the picture, held to numpy, to rays, and to themselves."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.cascades import MAP_EDGE, fit_cascades
from voxelwright.gpu_backend.light import Light
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.views import LEGENDS, View
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import FACE_NORMALS
from voxelwright.voxel.palette import linear_to_srgb
from voxelwright.voxel.world import World, edit_of_chunks

Make = Callable[..., Any]
AnyRenderer = Renderer | BasicRenderer

SIZE = (160, 120)
SUN = np.array((-0.5, -0.3, 0.6))
LOOK = Look(sun_direction=SUN, sky=False, light=Light.MAPS)
FULL = replace(LOOK, shadows=1.0, occlusion=1.0)
IN_SHADOW, IN_SUN, FACES_AWAY, _ = (255 * linear_to_srgb(np.array(color)) for color, _ in LEGENDS[View.SHADOWS])

FLOOR = [(x, y, 0, 2) for x in range(-8, 8) for y in range(-8, 8)]
POSTS = [(x, y, z, 1) for x, y, top in ((-5, -3, 5), (3, 4, 7), (3, -6, 3), (4, 4, 4)) for z in range(1, top)]
POSTS += [(-2, y, z, 1) for y in range(-3, 2) for z in range(1, 5)]
POSTS += [(x, y, 6, 3) for x in range(3) for y in range(-2, 2)]  # in the air


@pytest.fixture(params=[Renderer, BasicRenderer], ids=lambda kind: kind.__name__)
def each(request: pytest.FixtureRequest, ctx: moderngl.Context) -> Iterator[AnyRenderer]:
    with request.param(ctx) as made:
        yield made


def _shift(cells: Any, by: Any) -> Any:
    return [(x + by[0], y + by[1], z + by[2], material) for x, y, z, material in cells]


def _camera(by: Any = (0, 0, 0), azimuth: float = 35, elevation: float = 40) -> Camera:
    low, high = np.array((-8, -8, 0)) + by, np.array((8, 8, 7)) + by
    return orbit_camera(low, high, azimuth, elevation, SIZE[0] / SIZE[1])


def _shot(renderer: AnyRenderer, world: World, camera: Camera, look: Look, view: View = View.LIT) -> NDArray[np.int64]:
    """(height, width, 3), row 0 at the bottom."""
    picture = renderer.render(world, camera, *SIZE, replace(look, view=view), samples=1)
    return picture[::-1, :, :3].astype(np.int64)


def _shown(renderer: AnyRenderer, world: World, camera: Camera, look: Look = FULL) -> Shown:
    pool = renderer.new_pool()
    finish(pool.bring(world, camera.eye))
    return Shown(pool, camera, look)


def _stopped(cells: Any, points: NDArray[np.float64], sun: NDArray[np.float64], grown: float) -> NDArray[np.bool_]:
    """(n,): whether rays to the sun from points (n, 3) meet any of the cells, each larger by grown on every side."""
    met = np.zeros(len(points), np.bool_)
    for voxel in np.array(cells)[:, :3]:
        ways = np.stack([(voxel - grown - points) / sun, (voxel + 1 + grown - points) / sun])
        enter, leave = ways.min(axis=0).max(axis=1), ways.max(axis=0).min(axis=1)
        met |= (enter < leave) & (leave > 0)
    return met


def test_shadows_lie_where_numpy_has_them(
    ctx: moderngl.Context, make_world: Make, cast_rays: Make, rays_of: Make
) -> None:
    """To 0.15 voxels, far from the origin too: no face shadows itself, shadows begin where what casts them stands, and
    no light leaks in."""
    by, size = (100_000, -50_000, 3), (80, 60)
    cells, camera = _shift(FLOOR + POSTS, by), _camera(by)
    met = cast_rays(cells, camera, *size)
    origins, directions = rays_of(camera, *size)
    normals = FACE_NORMALS[met.face].astype(np.float64)
    points = origins + directions * met.distance[..., None] + 0.15 * normals
    looked_at = met.sure & (met.material > 0)
    with Renderer(ctx) as renderer, BasicRenderer(ctx) as basic:
        for sun in np.array([(-0.5, -0.3, 0.6), (0.9, -0.2, 0.15), (0.05, -0.1, 1.0)]):
            sunny = looked_at & (normals @ sun > 0)
            certain, possible = (_stopped(cells, points[sunny], sun, grown) for grown in (-0.15, 0.15))
            look = replace(LOOK, view=View.SHADOWS, sun_direction=sun)
            for each in (renderer, basic):
                picture = each.render(make_world(cells), camera, *size, look, samples=1)[::-1, :, :3].astype(int)
                away = picture[looked_at & ~(normals @ sun > 0)]
                np.testing.assert_allclose(away, np.broadcast_to(FACES_AWAY, away.shape), atol=2)
                for color, where in ((IN_SHADOW, certain), (IN_SUN, ~possible)):
                    assert where.sum() > 20
                    # Where light grazes, the filter may reach beyond 0.15 voxels at a corner.
                    off = np.abs(picture[sunny][where] - color).max(axis=1)
                    assert (off > 2).mean() < 0.002 and off.max() < 20


def _random_world(make_world: Make, seed: int = 3) -> World:
    """Hills of blocks with towers and holes, of 64 × 64 voxels."""
    rng = np.random.default_rng(seed)
    x, y = np.indices((64, 64))
    height = 5 + 4 * np.sin(x / 7.0) * np.cos(y / 9.0) + 8 * (rng.random((64, 64)) < 0.02)
    z = np.arange(20)
    solid = (z < height[..., None]) & ~((z > 1) & (rng.random((64, 64, 20)) < 0.03))
    return make_world([(*cell, 1 + sum(cell) % 3) for cell in np.argwhere(solid).tolist()])


def _inner(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Pixels whose eight neighbours have the same values."""
    around = [np.roll(values, (dy, dx), axis=(0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return np.all([(np.abs(other - values) < 4).all(axis=2) for other in around], axis=0)


@pytest.mark.parametrize("place", ["outside", "within", "parallel", "mirrored"])
def test_maps_agree_with_rays(place: str, renderer: Renderer, make_world: Make, flat: Make) -> None:
    world = _random_world(make_world)
    low, high = ((20, 20, 8), (28, 28, 14)) if place == "within" else ((0, 0, 0), (64, 64, 20))
    camera = orbit_camera(low, high, 30, 30, SIZE[0] / SIZE[1], 60)
    if place == "parallel":
        camera = flat(camera, 24.0)
    elif place == "mirrored":
        mirror = np.diag((-1.0, 1.0, 1.0, 1.0))
        mirror[0, 3] = 64
        camera = Camera(camera.view @ mirror, camera.projection)
    pictures = [_shot(renderer, world, camera, replace(LOOK, light=light), View.SHADOWS) for light in Light]
    inner = _inner(pictures[0]) & (pictures[0].max(axis=2) > 100)
    assert inner.sum() > 2000
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) < 40)[inner].mean() > 0.98
    assert all((np.abs(picture - IN_SHADOW) < 3).all(axis=2).mean() > 0.02 for picture in pictures)

    pictures = [_shot(renderer, world, camera, replace(LOOK, light=light), View.OCCLUSION) for light in Light]
    assert np.ptp(pictures[1]) > 60
    assert np.abs(pictures[0] - pictures[1]).mean() < 5


def test_soft_shadows_are_those_of_rays(renderer: Renderer, make_world: Make) -> None:
    world, camera = make_world(FLOOR + POSTS), _camera()
    sharp = _shot(renderer, world, camera, LOOK, View.SHADOWS)
    soft = [_shot(renderer, world, camera, replace(LOOK, light=each, sun_size=12.0), View.SHADOWS) for each in Light]
    differences = [np.abs(picture - soft[0]).max(axis=2) for picture in (soft[1], sharp)]
    assert differences[0].mean() < 0.4 * differences[1].mean()
    half = [((picture > IN_SHADOW + 20) & (picture < IN_SUN - 20)).any(axis=2).mean() for picture in (sharp, *soft)]
    assert 2 * half[0] < half[1] == pytest.approx(half[2], rel=0.3)


def test_both_renderers_have_the_same_light(ctx: moderngl.Context, make_world: Make, flat: Make) -> None:
    cells = [*FLOOR, *POSTS, *((x, y, 1, 11) for x in range(-7, -3) for y in range(2, 6)), (-6, 4, 2, 11)]
    cells += [(x, -7, z, 7) for x in range(-7, 0) for z in range(1, 4)]
    world, camera = make_world(cells), _camera()
    with Renderer(ctx) as renderer, BasicRenderer(ctx) as basic:
        for seen in (camera, flat(camera, 9.0)):
            for view in (View.SHADOWS, View.OCCLUSION, View.LIT):
                one, other = (_shot(each, world, seen, FULL, view) for each in (renderer, basic))
                difference = np.abs(one - other).max(axis=2)
                assert difference.mean() < 0.3 and (difference > 8).mean() < 0.004, view
                assert np.ptp(one) > 50


def test_what_is_seen_through_casts_nothing(each: AnyRenderer, make_world: Make) -> None:
    roof = [(x, y, 5) for x in range(-4, 4) for y in range(-4, 4)]
    camera = orbit_camera((-8, -8, 0), (8, 8, 1), 0, 20, SIZE[0] / SIZE[1])
    shares = []
    for material in (1, 7):
        world = make_world(FLOOR + [(*cell, material) for cell in roof])
        picture = _shot(each, world, camera, LOOK, View.SHADOWS)
        shares.append((np.abs(picture - IN_SHADOW) < 3).all(axis=2).mean())
    assert shares[0] > 0.03 and shares[1] == 0


def test_what_is_out_of_sight_casts_too(each: AnyRenderer, make_world: Make) -> None:
    """A roof far above, towards the sun, and a floor whose map ends below it."""
    floor = [(x, y, 0, 2) for x in range(64) for y in range(64)]
    roof = [(x, y, 90, 1) for x in range(24, 40) for y in range(24, 40)]
    camera = orbit_camera((28, 28, 0), (36, 36, 1), 20, 50, SIZE[0] / SIZE[1])
    world, look = make_world(floor + roof), replace(LOOK, sun_direction=(1e-3, 2e-3, 1))
    cascades = fit_cascades(camera, look.sun_direction, (0, 0, 0), (64, 64, 96))
    assert cascades[0].place.half < 40
    picture = _shot(each, world, camera, look, View.SHADOWS)
    np.testing.assert_allclose(picture[40:80, 60:100], np.broadcast_to(IN_SHADOW, (40, 40, 3)), atol=2)


def test_texels_show_the_same_as_the_camera_moves(each: AnyRenderer, make_world: Make, draw_frame: Make) -> None:
    """Two cameras' maps are equal, texel by texel, where they overlap."""
    world, low, high = _random_world(make_world), (20, 20, 8), (28, 28, 14)
    seen = [orbit_camera(low, high, a, e, SIZE[0] / SIZE[1], 50) for a, e in ((30, 30), (80, 12))]
    cameras = [Camera(camera.view, seen[0].projection) for camera in seen]
    shown = _shown(each, world, cameras[0])
    box = shown.pool.box
    assert box is not None
    maps, places = [], []
    for camera in cameras:
        draw_frame(each, [replace(shown, camera=camera)], *SIZE)
        texture = each._shadow_maps._maps[shown.pool].depths
        depths = np.frombuffer(texture.read(alignment=1), np.float32).reshape(-1, MAP_EDGE)
        maps.append(depths[:MAP_EDGE].astype(np.float64))
        places.append(fit_cascades(camera, SUN, *box)[0].place)
    one, other = places
    assert one.half == other.half and one.steps != other.steps
    dx, dy, dz = (np.array(other.steps) - one.steps) * (MAP_EDGE // 16)
    first = [slice(max(d, 0), MAP_EDGE + min(d, 0)) for d in (dy, dx)]
    second = [slice(max(-d, 0), MAP_EDGE + min(-d, 0)) for d in (dy, dx)]
    before, after = maps[0][tuple(first)], maps[1][tuple(second)]
    inside = (before > 0.2) & (before < 0.8) & (after > 0) & (after < 1)
    assert inside.sum() > 100_000
    # The sun is at the near plane: what lies dz nearer to it has less depth.
    differs = np.abs(after - before - dz / MAP_EDGE)[inside] > 1e-4
    assert differs.mean() < 1e-3  # at outlines, by rounding


def test_a_still_camera_gives_the_same_picture_twice(each: AnyRenderer, make_world: Make) -> None:
    world, camera = make_world(_shift(FLOOR + POSTS, (30, -30, 30))), _camera((30, -30, 30))
    pictures = [each.render(world, camera, *SIZE, FULL, samples=2) for _ in range(2)]
    with type(each)(each._ctx) as another:
        pictures.append(another.render(world, camera, *SIZE, FULL, samples=2))
    for picture in pictures[1:]:
        np.testing.assert_array_equal(picture, pictures[0])


def test_maps_are_drawn_where_something_changed_and_else_kept(
    each: AnyRenderer, make_world: Make, draw_frame: Make
) -> None:
    world, camera = make_world(FLOOR + POSTS), _camera()
    shown = _shown(each, world, camera)
    drawn: list[int] = []
    begin = type(each._maps)._draw_map

    def noting(self: Any, maps: Any, index: int, *rest: Any) -> None:
        drawn.append(index)
        begin(self, maps, index, *rest)

    def draws(shown: Shown) -> int:
        drawn.clear()
        draw_frame(each, [shown], *SIZE)
        return len(drawn)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(each._maps), "_draw_map", noting)
        first = draws(shown)
        assert first >= 1
        assert draws(shown) == 0
        nudged = Camera(camera.view.copy(), camera.projection)
        nudged.view[0, 3] += 0.01
        assert draws(replace(shown, camera=nudged)) == 0
        assert draws(replace(shown, look=replace(FULL, occlusion=0.0))) == 0
        assert draws(replace(shown, look=replace(FULL, shadows=0.0))) == 0
        assert draws(replace(shown, look=replace(FULL, sun_direction=(0, -1, 1)))) == first
        assert draws(shown) == first
        before = draw_frame(each, [shown], *SIZE).light.read()
        world.apply(edit_of_chunks(world, {(0, 0, 0): 0}))
        finish(shown.pool.bring(world, camera.eye))
        assert draws(shown) == first
        assert draw_frame(each, [shown], *SIZE).light.read() != before
        assert draws(shown) == 0


def test_each_world_has_its_own_shadows(
    each: AnyRenderer, make_world: Make, ctx: moderngl.Context, draw_frame: Make
) -> None:
    """A floor alone has none, though a world with posts, with another sun, stands before it."""
    camera = orbit_camera((-8, -8, 0), (8, 24, 7), 0, 40, SIZE[0] / SIZE[1])
    look = replace(LOOK, view=View.SHADOWS)
    posts = _shown(each, make_world(FLOOR + POSTS), camera, look)
    floor = _shown(each, make_world(_shift(FLOOR, (0, 16, 0))), camera, replace(look, sun_direction=(0.5, 0.2, 0.6)))
    found = []
    for worlds in ([posts], [floor], [posts, floor], [floor, posts]):
        light = np.frombuffer(draw_frame(each, worlds, *SIZE).light.read(alignment=1), np.float16)
        found.append(light.reshape(SIZE[1], SIZE[0], 4).copy())
    alone = np.where(found[0][..., 3:] > 0, found[0], found[1])
    for both in found[2:]:
        assert (both != alone).any(axis=2).mean() < 0.002


def test_a_world_that_goes_takes_its_maps_along(each: AnyRenderer, make_world: Make, draw_frame: Make) -> None:
    shown = _shown(each, make_world(FLOOR), _camera())
    draw_frame(each, [shown], *SIZE)
    n = len(fit_cascades(shown.camera, SUN, *shown.pool.box))
    assert each.figures().nbytes == shown.pool.nbytes + 4 * n * MAP_EDGE**2
    each.drop_pool(shown.pool)
    assert each.figures().nbytes == 0


def test_nothing_is_made_for_looks_without_maps(renderer: Renderer, make_world: Make, draw_frame: Make) -> None:
    shown = _shown(renderer, make_world(FLOOR), _camera(), replace(FULL, light=Light.RAYS))
    draw_frame(renderer, [shown], *SIZE)
    assert renderer.figures().nbytes == shown.pool.nbytes
