# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames and pictures of a few voxels, judged pixel by pixel."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World

Make = Callable[..., Any]

SIDES = [(90, 0), (-90, 0), (180, 0), (0, 0), (0, 90), (0, -90)]
"""Azimuth and elevation from which one looks at face 0, 1, …"""

TEXTURE_PERIOD = 4096


@pytest.fixture
def frame_of(draw_frame: Make) -> Make:
    """A function that gives the G-buffer of a frame of one world, row 0 at the bottom."""

    def frame(renderer: Renderer, world: World, camera: Camera, size: tuple[int, int]) -> dict[str, NDArray[Any]]:
        pool = renderer.new_pool()
        finish(pool.bring(world, camera.eye))
        target = draw_frame(renderer, [Shown(pool, camera)], *size)
        distance = np.frombuffer(target.distances.read(), np.float32).reshape(size[::-1])
        words = np.frombuffer(target.surfaces.read(), np.uint32).reshape(*size[::-1], 2)
        renderer.drop_pool(pool)
        material, face = words[..., 1] >> 24, words[..., 0] >> 24 & 7
        return {"distance": distance, "material": material, "face": face, "seen": distance != 0}

    return frame


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize(("seed", "mirrored"), [(0, False), (1, False), (2, True), (3, True)])
def test_every_pixel_sees_what_its_ray_meets(
    seed: int,
    mirrored: bool,
    orthographic: bool,
    merge: bool,
    ctx: Any,
    make_world: Make,
    cast_rays: Make,
    flat: Make,
    frame_of: Make,
) -> None:
    """Material, face and distance, about the corner of eight chunks: each face shows on its own side, what is nearer
    hides what is farther, and nothing else is covered."""
    rng = np.random.default_rng(seed)
    places = np.unique(rng.integers(-4, 4, (90, 3)), axis=0)
    cells = np.column_stack([places, rng.integers(1, 7, len(places))])
    camera = orbit_camera((-4, -4, -4), (4, 4, 4), 360 * rng.random(), rng.uniform(-80, 80), 4 / 3)
    camera = flat(camera, 7.0) if orthographic else camera
    if mirrored:
        camera = Camera(camera.view @ np.diag((-1.0, 1.0, 1.0, 1.0)), camera.projection)
    with Renderer(ctx, merge=merge) as renderer:
        frame = frame_of(renderer, make_world(cells), camera, (96, 72))
    met = cast_rays(cells, camera, 96, 72)
    assert 0.5 < met.sure.mean() < 1
    hit = met.sure & (met.material > 0)
    np.testing.assert_array_equal(frame["seen"][met.sure], met.material[met.sure] > 0)
    for name in ("material", "face"):
        np.testing.assert_array_equal(frame[name][hit], getattr(met, name)[hit], err_msg=name)
    np.testing.assert_allclose(frame["distance"][hit], met.distance[hit], rtol=1e-4)


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("face", range(6))
def test_the_six_sides_show_their_own_material(
    face: int, orthographic: bool, renderer: Renderer, make_world: Make, material_in: Make, flat: Make
) -> None:
    steps = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    star = make_world([(40 + x, -3 + y, 7 + z, i) for i, (x, y, z) in enumerate(steps, 1)])
    camera = orbit_camera((39, -4, 6), (42, -1, 9), *SIDES[face], 1.0)
    picture = renderer.render(star, flat(camera, 1.5) if orthographic else camera, 64, 64, samples=1)
    assert material_in(picture[24:40, 24:40]) == face + 1


@pytest.mark.parametrize("side", range(6))
def test_faces_do_not_show_from_behind(side: int, renderer: Renderer, make_world: Make, frame_of: Make) -> None:
    """From within a solid block one sees the sky alone."""
    outside = orbit_camera((0, 0, 0), (9, 9, 9), *SIDES[side], 1.0, 90.0)
    view = outside.view.copy()
    view[:3, 3] = -view[:3, :3] @ (4.5, 4.5, 4.5)
    projection = outside.projection.copy()
    near, far = 0.05, 100.0
    projection[2, 2:] = (far + near) / (near - far), 2 * far * near / (near - far)
    block = make_world([(x, y, z, 1) for x in range(9) for y in range(9) for z in range(9)])
    assert not frame_of(renderer, block, Camera(view, projection), (32, 32))["seen"].any()


@pytest.mark.parametrize("face", range(6))
def test_faces_cover_their_projected_corners(
    face: int, renderer: Renderer, make_world: Make, project: Make, frame_of: Make
) -> None:
    rng = np.random.default_rng(face)
    low, size = rng.integers(-40, 40, 3), rng.integers(1, 9, 3)
    cells = [(*(low + place).tolist(), 1) for place in np.ndindex(*size)]
    azimuth, elevation = SIDES[face]
    camera = orbit_camera(low - 2, low + 10, azimuth + 20, elevation * 0.8, 1.0)
    frame = frame_of(renderer, make_world(cells), camera, (64, 64))
    shown = (frame["seen"] & (frame["face"] == face))[::-1]
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * size + low
    axis, far = face // 2, face % 2 == 0
    of_face = corners[(corners[:, axis] > low[axis]) == far]
    outline = project(camera, of_face.astype(np.float64), 64, 64)
    inside = _distance_inside(outline[_around(outline)])
    assert shown[inside > 1].all()
    assert not shown[inside < -1].any()
    assert (inside > 1).sum() > 4


def _around(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """The order of a convex polygon's corners, counter-clockwise where y is up."""
    x, y = (points - points.mean(axis=0)).T
    return np.argsort(np.arctan2(-y, x))


def _distance_inside(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """(64, 64): the pixels' distance from the nearest edge of a convex polygon, positive inside."""
    y, x = np.mgrid[:64, :64] + 0.5
    edges = np.roll(corners, -1, axis=0) - corners
    signed = [
        (edge[1] * (x - corner[0]) - edge[0] * (y - corner[1])) / np.hypot(*edge)
        for corner, edge in zip(corners, edges, strict=True)
    ]
    return np.min(signed, axis=0)


def test_the_six_directions_differ_in_tone(renderer: Renderer, make_world: Make) -> None:
    grey = Palette.of({1: Material("grey", (128, 128, 128), texture="plain")})
    cube = make_world([(0, 0, 0, 1)], grey)
    tones = []
    for azimuth, elevation in SIDES:
        camera = orbit_camera((0, 0, 0), (1, 1, 1), azimuth, elevation, 1.0)
        picture = renderer.render(cube, camera, 64, 64, samples=1)
        tones.append(picture[24:40, 24:40, :3].reshape(-1, 3).mean(axis=0))
    for a, b in permutations(tones, 2):
        assert np.abs(a - b).max() > 6
    assert np.argmax([t.sum() for t in tones]) == 4
    warm, cool = tones[3], tones[0]  # lit and unlit
    assert warm[0] / warm[2] > 1 > cool[0] / cool[2]


@pytest.mark.parametrize("nearer", [-1, 1])
def test_the_nearer_chunk_hides_the_farther_whatever_comes_first(
    nearer: int, renderer: Renderer, make_world: Make, material_in: Make
) -> None:
    walls = ((10 * nearer, 1), (-10 * nearer, 2))
    world = make_world([(x, y, z, material) for y, material in walls for x in range(8) for z in range(8)])
    camera = orbit_camera((0, -11, 0), (8, 11, 8), 0 if nearer < 0 else 180, 0, 1.0)
    assert material_in(renderer.render(world, camera, 64, 64, samples=1)[28:36, 28:36]) == 1


def test_emission_glows(renderer: Renderer, make_world: Make, front: Camera) -> None:
    center = (slice(24, 40), slice(24, 40), 0)
    glow = [
        renderer.render(
            make_world([(x, 0, z, material) for x in range(8) for z in range(8)]), front, 64, 64, samples=1
        )[center].mean()
        for material in (8, 9)
    ]
    assert glow[1] > glow[0] + 60


def test_t_junctions_leave_no_pinholes(ctx: Any, make_world: Make) -> None:
    """A wall of two materials that look alike: merged, its quads meet at T-junctions all over."""
    cells = [(x, 0, z, 8 if z % 2 or x % 3 else 10) for x in range(30) for z in range(30)]
    cameras = [orbit_camera((10, 0, 10), (20, 1, 20), 31 + i * 0.37, 11 + i * 0.13, 1.0) for i in range(6)]
    worlds = [make_world(cells), make_world([(x, y, z, 8) for x, y, z, _ in cells])]
    pictures, counts = [], []
    for world in worlds:
        for merge in (True, False):
            with Renderer(ctx, merge=merge) as renderer:
                pictures.append(
                    [renderer.render(world, camera, 256, 256, samples=1)[64:192, 64:192] for camera in cameras]
                )
                counts.append(renderer.figures().quads)
    assert counts[2] < counts[0] < counts[1] == counts[3]
    for other in pictures[1:]:
        assert np.abs(np.array(pictures[0], int) - other).max() <= 2


@pytest.mark.parametrize("view", [View.LIT, View.CHUNKS])
def test_far_from_the_origin_the_picture_is_the_same(
    view: View, renderer: Renderer, make_world: Make, palette: Palette
) -> None:
    grained = Palette.of({**dict(palette.items()), 1: Material("grained", (200, 60, 30), texture="rock")})
    pictures = []
    for shift in (0, 235 * TEXTURE_PERIOD):  # 30,080 chunks
        row = [(shift + x, 5, 5, 1 + x % 6) for x in range(20)]
        moss = [(shift + x, y, 7, 11) for x in range(2, 6) for y in range(2, 6)]
        camera = orbit_camera((shift, 2, 5), (shift + 20, 6, 8), 33, 21, 1.5)
        pictures.append(renderer.render(make_world([*row, *moss], grained), camera, 240, 160, Look(view), samples=1))
    difference = np.abs(pictures[0].astype(int) - pictures[1]).max(axis=2)
    assert difference.max() <= 2
    assert pictures[0].std() > 10
