# SPDX-License-Identifier: GPL-3.0-or-later
"""Shadows of the sun and ambient occlusion, as pictures show them."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.views import LEGENDS, View
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import FACE_NORMALS
from voxelwright.voxel.palette import linear_to_srgb
from voxelwright.voxel.settings import Settings
from voxelwright.voxel.world import new_world

Make = Callable[..., Any]

SIZE = (120, 90)
SUN = np.array((-0.5, -0.3, 0.6))
LIT = Look(sun_direction=SUN, sky=False)
FULL = replace(LIT, shadows=1.0, occlusion=1.0)
IN_SHADOW, IN_SUN, FACES_AWAY, SKY = (255 * linear_to_srgb(np.array(color)) for color, _ in LEGENDS[View.SHADOWS])
WHITE = 254
"""Of 255: pictures have half a step of noise."""

FLOOR = [(x, y, 0, 2) for x in range(-8, 8) for y in range(-8, 8)]
POSTS = [(x, y, z, 1) for x, y, top in ((-5, -3, 5), (3, 4, 7), (3, -6, 3), (4, 4, 4)) for z in range(1, top)]
POSTS += [(-2, y, z, 1) for y in range(-3, 2) for z in range(1, 5)]


def _shift(cells: Any, by: Any) -> Any:
    return [(x + by[0], y + by[1], z + by[2], material) for x, y, z, material in cells]


def _camera(by: Any = (0, 0, 0), azimuth: float = 35, elevation: float = 40) -> Camera:
    low, high = np.array((-8, -8, 0)) + by, np.array((8, 8, 7)) + by
    return orbit_camera(low, high, azimuth, elevation, SIZE[0] / SIZE[1])


def _stopped(cells: Any, points: NDArray[np.float64], sun: NDArray[np.float64], grown: float) -> NDArray[np.bool_]:
    """(n,): whether rays to the sun from points (n, 3) meet any of the cells, each larger by grown on every side."""
    met = np.zeros(len(points), np.bool_)
    for voxel in np.array(cells)[:, :3]:
        ways = np.stack([(voxel - grown - points) / sun, (voxel + 1 + grown - points) / sun])
        enter, leave = ways.min(axis=0).max(axis=1), ways.max(axis=0).min(axis=1)
        met |= (enter < leave) & (leave > 0)
    return met


@pytest.mark.parametrize("by", [(0, 0, 0), (-32, 96, -65), (100_000, -50_000, 3)])
def test_shadows_lie_where_numpy_has_them(
    by: tuple[int, int, int], renderer: Renderer, make_world: Make, cast_rays: Make, rays_of: Make
) -> None:
    """In several chunks, below and beside 0, and far from the origin."""
    cells, camera = _shift(FLOOR + POSTS, by), _camera(by)
    met = cast_rays(cells, camera, *SIZE)
    origins, directions = rays_of(camera, *SIZE)
    picture = renderer.render(make_world(cells), camera, *SIZE, replace(LIT, view=View.SHADOWS), samples=1)[::-1, :, :3]

    normals = FACE_NORMALS[met.face].astype(np.float64)
    points = origins + directions * met.distance[..., None] + 0.15 * normals
    faces_sun = normals @ SUN > 0
    looked_at = met.sure & (met.material > 0)
    sunny = looked_at & faces_sun
    certain, possible = (_stopped(cells, points[sunny], SUN, grown) for grown in (-0.03, 0.03))
    for color, where in ((IN_SHADOW, certain), (IN_SUN, ~possible)):
        assert where.sum() > 100
        np.testing.assert_allclose(picture[sunny][where], np.broadcast_to(color, (where.sum(), 3)), atol=2)
    away = picture[looked_at & ~faces_sun]
    np.testing.assert_allclose(away, np.broadcast_to(FACES_AWAY, away.shape), atol=2)


def test_the_sky_is_dark_in_views_of_light(renderer: Renderer, make_world: Make, front: Camera) -> None:
    world = make_world([(3, 0, 3, 1)])
    for view in (View.SHADOWS, View.OCCLUSION):
        picture = renderer.render(world, front, 40, 40, Look(view), samples=1)
        np.testing.assert_allclose(picture[1, 1, :3], SKY, atol=2)


def test_shadows_take_the_suns_light_and_nothing_else(renderer: Renderer, make_world: Make) -> None:
    world, camera = make_world(FLOOR + POSTS), _camera()
    plain = renderer.render(world, camera, *SIZE, LIT, samples=1).astype(int)
    half, full = (
        renderer.render(world, camera, *SIZE, replace(LIT, shadows=strength), samples=1).astype(int)
        for strength in (0.5, 1.0)
    )
    view = renderer.render(world, camera, *SIZE, replace(LIT, view=View.SHADOWS), samples=1)[..., :3]
    shadow = (np.abs(view - IN_SHADOW) < 3).all(axis=2)
    np.testing.assert_array_equal(full[~shadow], plain[~shadow])
    green = [picture[shadow][:, 1].mean() for picture in (full, half, plain)]
    assert green[0] + 10 < green[1] < green[2] - 10


def test_occlusion_darkens_corners_alone(renderer: Renderer, make_world: Make) -> None:
    """Seen from above: a wall in the middle of a floor."""
    floor = [(x, y, 0, 2) for x in range(-12, 12) for y in range(-12, 12)]
    cells = floor + [(x, y, z, 1) for x in range(-1, 1) for y in range(-12, 12) for z in range(1, 7)]
    camera = orbit_camera((-12, -12, 0), (12, 12, 1), 0, 90, 1.0)
    open_sky = renderer.render(make_world(floor), camera, 96, 96, replace(LIT, view=View.OCCLUSION), samples=1)
    assert (open_sky[20:76, 20:76, :3] >= WHITE).all()
    picture = renderer.render(make_world(cells), camera, 96, 96, replace(LIT, view=View.OCCLUSION), samples=1)
    brightness = picture[30:66, 52:92, 0].astype(float).mean(axis=0)  # along x, away from the wall
    assert brightness[0] < 240 and (brightness[28:] >= WHITE).all()
    assert (np.diff(brightness) > -6).all()
    narrow = replace(LIT, view=View.OCCLUSION, occlusion_radius=2.0)
    near = renderer.render(make_world(cells), camera, 96, 96, narrow, samples=1)[30:66, 52:92, 0].mean(axis=0)
    assert (near[10:] >= WHITE).all() and near[0] < 245


def test_the_share_of_the_sky_is_that_of_many_rays(renderer: Renderer, make_world: Make, run_glsl: Make) -> None:
    """Beside a high wall the average of all points' eight rays is the integral over the hemisphere."""
    wall = [(3, y, z, 1) for y in range(-12, 12) for z in range(-8, 8)]
    pool = renderer.new_pool()
    finish(pool.bring(make_world(wall), np.zeros(3)))
    pool.bind()
    rng = np.random.default_rng(3)
    points = rng.uniform((1, -1, 0), (2, 1, 0), (4000, 3))
    body = """
    SurfacePoint point = surface_point(ivec3(0), real3(0u), vec3(0.0, 0.0, 1.0), 4u, false);
    put(0u, sky_occlusion(point, marched_from(point), 6.0));"""
    head = '#include "lib/surface_rays.glsl"\n'
    found = run_glsl(head, body, points.astype(np.float32), 1, {"SURFACES": 0}).view(np.float32)[:, 0]
    area, angle = rng.random((2, 200_000))
    sideways, up = np.sqrt(area), np.sqrt(1 - area)
    directions = np.stack([sideways * np.cos(2 * np.pi * angle), sideways * np.sin(2 * np.pi * angle), up], axis=1)
    starts = rng.uniform((1, -1, 0.15), (2, 1, 0.15), (200_000, 3))
    with np.errstate(divide="ignore"):
        way = (3 - starts[:, 0]) / directions[:, 0]
    met = starts + way[:, None] * directions
    hit = (way > 0) & (way < 6) & (np.abs(met[:, 1]) < 12) & (met[:, 2] < 8)
    expected = np.where(hit, (1 - way / 6) ** 2, 0).mean()
    assert found.mean() == pytest.approx(expected, rel=0.03)


def test_rays_about_the_sky_lie_in_the_hemisphere(run_glsl: Make) -> None:
    rng = np.random.default_rng(5)
    normals = np.concatenate([rng.normal(size=(2000, 3)), FACE_NORMALS, [(0, 1e-3, -1), (1e-6, 0, -1)]])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    body = """
    vec3 tangent, bitangent;
    tangents_of(real3(0u), tangent, bitangent);
    put(0u, tangent); put(3u, bitangent);"""
    head = '#include "lib/surface_rays.glsl"\n'
    made = run_glsl(head, body, normals.astype(np.float32), 6, {"SURFACES": 0}).view(np.float32).reshape(-1, 2, 3)
    axes = np.concatenate([made, normals[:, None]], axis=1)
    np.testing.assert_allclose(axes @ axes.transpose(0, 2, 1), np.broadcast_to(np.eye(3), axes.shape), atol=5e-3)


def _raw_occlusion(
    renderer: Renderer, shown: Shown, draw_frame: Make, size: tuple[int, int]
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """What is kept away before it is blurred (height, width, 2), from the sun and from the sky, and the distances of
    what is seen, row 0 at the bottom."""
    target = draw_frame(renderer, [shown], *size)
    occlusion = np.frombuffer(target.occlusion.read(alignment=1), np.uint8).reshape(size[1], size[0], 2)
    return occlusion, np.frombuffer(target.distances.read(), np.float32).reshape(size[::-1]).astype(np.float64)


@pytest.mark.parametrize("by", [(0, 0, 0), (-33, 31, -64)])
def test_a_place_has_the_same_light_from_two_cameras(
    by: tuple[int, int, int],
    renderer: Renderer,
    make_world: Make,
    draw_frame: Make,
    rays_of: Make,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever both see the same 256th of a voxel: the share of the sky, and the edge of a soft shadow."""
    monkeypatch.setattr(renderer._rays._blur, "run", lambda *_, **__: None)
    cells = _shift([(x, y, (x * y) % 3, 1) for x in range(-3, 3) for y in range(-3, 3)], by)
    world, size = make_world(cells), (400, 400)
    pool = renderer.new_pool()
    low, high = np.array((-2, -2, 0)) + by, np.array((2, 2, 3)) + by
    found: list[dict[tuple[int, ...], list[int]]] = []
    for azimuth, elevation in ((20, 50), (75, 38)):
        camera = orbit_camera(low, high, azimuth, elevation, 1.0)
        finish(pool.bring(world, camera.eye))
        shown = Shown(pool, camera, replace(FULL, sun_size=20.0))
        kept_away, distances = _raw_occlusion(renderer, shown, draw_frame, size)
        origins, directions = rays_of(camera, *size)
        points = (origins + directions * distances[..., None]) - np.array(by)
        steps = points * 256
        # On top of blocks, away from where rounding chooses between two steps.
        fraction = steps[..., :2] - np.floor(steps[..., :2])
        level = np.abs(points[..., 2] - np.round(points[..., 2])) < 1e-4
        sure = (distances > 0) & level & ((fraction > 0.03) & (fraction < 0.97)).all(axis=2)
        keys = np.concatenate([np.floor(steps[..., :2]), np.round(points[..., 2:])], axis=2)[sure].astype(int)
        found.append(dict(zip(map(tuple, keys.tolist()), kept_away[sure].tolist(), strict=True)))
    common = found[0].keys() & found[1].keys()
    assert len(common) > 200
    values = np.array([[each[key] for each in found] for key in common])
    np.testing.assert_array_equal(values[:, 0], values[:, 1])
    assert len(np.unique(values[..., 1])) > 10
    assert 0.03 < (values[..., 0] > 0).mean() < 0.9


def test_a_still_camera_gives_the_same_picture_twice(ctx: moderngl.Context, make_world: Make) -> None:
    world, pictures = make_world(_shift(FLOOR + POSTS, (30, -30, 30))), []
    for _ in range(2):
        with Renderer(ctx) as renderer:
            look = replace(FULL, sun_size=5.0)
            pictures += [renderer.render(world, _camera((30, -30, 30)), *SIZE, look, samples=2) for _ in range(2)]
    for other in pictures[1:]:
        np.testing.assert_array_equal(pictures[0], other)


def test_the_blur_stays_on_its_face(renderer: Renderer, make_world: Make, draw_frame: Make) -> None:
    """A step seen from above: occlusion at its foot does not run up onto what lies higher."""
    cells = FLOOR + [(x, y, 1, 1) for x in range(8) for y in range(-8, 8)]
    camera = orbit_camera((-8, -8, 0), (8, 8, 2), 0, 90, 1.0)
    picture = renderer.render(make_world(cells), camera, 240, 240, replace(LIT, view=View.OCCLUSION), samples=1)
    across = picture[100:140, 40:200, 0].astype(float).mean(axis=0)
    edge = int(across.argmin())
    assert across[edge] < 250
    assert (across[edge + 2 :] >= WHITE).all()


@pytest.mark.parametrize("smoothing", [0.0, 0.7])
@pytest.mark.parametrize("run", [None, 1, 2, 4])
def test_smooth_ground_does_not_shadow_itself(
    run: int | None, smoothing: float, renderer: Renderer, make_world: Make
) -> None:
    """Level, or a slope of so many voxels to each step, that lies across chunks and looks to the sun."""
    cells = [
        (x, y, z, 11) for x in range(-12, 12) for y in range(-8, 8) for z in range(-14, 1 + (x // run if run else 0))
    ]
    blocky = make_world(cells)
    world = new_world({coord: blocky.chunk(coord) for coord in blocky.coords()}, blocky.palette, Settings(smoothing))
    camera = orbit_camera((-12, -8, -13), (12, 8, 13), 0, 90, 1.6)
    look = Look(sun_direction=(-0.8, 0.2, 1.0), sky=False)
    for view, color in ((View.SHADOWS, IN_SUN), (View.OCCLUSION, np.full(3, 255.0))):
        picture = renderer.render(world, camera, 128, 80, replace(look, view=view), samples=1)[24:56, 44:92, :3]
        off = np.abs(picture - color).max(axis=2)
        assert (off <= (2 if view is View.SHADOWS else 40)).mean() > 0.995, (view, off.max())


def test_a_smoothed_slope_has_no_steps_in_its_light(renderer: Renderer, make_world: Make) -> None:
    """It looks away from a low sun, whose rays pass it at an acute angle: its voxels' steps would lie in the shade."""
    cells = [(x, y, z, 11) for x in range(-24, 24) for y in range(-8, 8) for z in range(-8, 1 + x // 6)]
    blocky = make_world(cells)
    world = new_world({coord: blocky.chunk(coord) for coord in blocky.coords()}, blocky.palette, Settings(1.0))
    camera = orbit_camera((-24, -8, -8), (24, 8, 8), 0, 90, 2.0)
    look = Look(View.SHADOWS, sun_direction=(0.8, 0.1, 0.4), sky=False)
    picture = renderer.render(world, camera, 160, 80, look, samples=1)[24:56, 40:120, :3]
    assert (np.abs(picture - IN_SUN).max(axis=2) <= 2).mean() > 0.97


# --- Settings --------------------------------------------------------------------------------------------------------

ROOF = [(x, y, 0, 2) for x in range(-10, 10) for y in range(-10, 10)]
ROOF += [(x, y, 8, 1) for x in range(-10, 0) for y in range(-10, 10)]
"""A floor, half of it below a roof."""

ABOVE = Look(View.SHADOWS, sun_direction=(0, 0, 1), sky=False)


def _shadow_across(renderer: Renderer, make_world: Make, look: Look) -> NDArray[np.float64]:
    """(96,): how much shadow there is along x, 0 … 1, as seen from below the roof in the middle of the floor."""
    camera = orbit_camera((-6, -1, 0), (6, 1, 1), 0, 60, 2.0)
    picture = renderer.render(make_world(ROOF), camera, 192, 96, look, samples=4)[40:56, 48:144, :3].astype(float)
    along = picture @ (IN_SHADOW - IN_SUN) - IN_SUN @ (IN_SHADOW - IN_SUN)
    return (along / ((IN_SHADOW - IN_SUN) ** 2).sum()).mean(axis=0)


def test_a_larger_sun_has_softer_shadows(renderer: Renderer, make_world: Make) -> None:
    widths = []
    for size in (0.0, 5.0, 15.0):
        shadow = _shadow_across(renderer, make_world, replace(ABOVE, sun_size=size))
        assert shadow[:5].min() > 0.97 and shadow[-5:].max() < 0.03
        widths.append(((shadow > 0.05) & (shadow < 0.95)).sum())
    assert widths[0] <= 2 < widths[1] < widths[2]


def test_nothing_beyond_the_distance_throws_a_shadow(renderer: Renderer, make_world: Make) -> None:
    near, far = (_shadow_across(renderer, make_world, replace(ABOVE, shadow_distance=d)) for d in (6.0, 7.5))
    assert near.max() < 0.03 and far[:5].min() > 0.97


def test_occlusion_from_one_of_four_pixels_is_nearly_that_of_all(renderer: Renderer, make_world: Make) -> None:
    world, look = make_world(FLOOR + POSTS), replace(LIT, view=View.OCCLUSION)
    full, half = (
        renderer.render(world, _camera(), *SIZE, replace(look, half_occlusion=h), samples=2).astype(float)
        for h in (False, True)
    )
    assert full[..., 0].std() > 20
    assert np.abs(full - half).mean() < 2.5
    with_sun = replace(FULL, half_occlusion=True)
    lit = renderer.render(world, _camera(), *SIZE, with_sun, samples=1).astype(float)
    assert np.abs(lit - renderer.render(world, _camera(), *SIZE, FULL, samples=1)).mean() < 2.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"shadows": 1.1},
        {"occlusion": -0.1},
        {"occlusion_radius": 0.0},
        {"sun_size": -1.0},
        {"sun_size": 50.0},
        {"shadow_distance": 0.0},
        {"shadow_distance": math.nan},
    ],
)
def test_numbers_beyond_the_limits_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(VoxelwrightError, match=r"\d"):
        Look(**wrong)
