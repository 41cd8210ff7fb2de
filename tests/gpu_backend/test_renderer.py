# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a few quads, judged pixel by pixel."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend import pool, target
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Renderer, frame_record
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SIZE, FACE_AXIS, FACE_SIGN
from voxelwright.voxel.limits import MAX_PICTURE_EDGE
from voxelwright.voxel.mesh.arrays import BlockyMesh, SmoothMesh
from voxelwright.voxel.palette import Material, Palette

Make = Callable[..., Any]

VIEWS = [(90, 0), (-90, 0), (180, 0), (0, 0), (0, 90), (0, -90)]
"""Azimuth and elevation from which one looks at face 0, 1, …"""

HUES = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1)]
"""Which channels are strong in the palette's materials 1, 2, …"""


def _changed(picture: NDArray[np.uint8], background: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.abs(picture.astype(int) - background).max(axis=2) > 8


def _hue(pixels: NDArray[np.uint8]) -> tuple[int, ...]:
    mean = pixels[..., :3].reshape(-1, 3).mean(axis=0)
    return tuple((mean > mean.max() * 0.72).astype(int).tolist())


def _shot(renderer: Renderer, blocky: BlockyMesh, smooth: SmoothMesh, palette: Palette, camera: Camera) -> Any:
    renderer.load(blocky, smooth, palette)
    return renderer.render(camera, 64, 64)


@pytest.mark.parametrize("face", range(6))
def test_each_face_shows_on_its_own_side_only(
    face: int, renderer: Renderer, make_blocky: Make, no_blocky: BlockyMesh, no_smooth: SmoothMesh, palette: Palette
) -> None:
    voxel = np.full(3, 2)
    voxel[FACE_AXIS[face]] = 5 if FACE_SIGN[face] > 0 else 2
    only = make_blocky([(*voxel.tolist(), 4, 4, face, face + 1)])
    for side, (azimuth, elevation) in enumerate(VIEWS):
        camera = orbit_camera((2, 2, 2), (6, 6, 6), azimuth, elevation, 1.0)
        background = _shot(renderer, no_blocky, no_smooth, palette, camera)
        changed = _changed(_shot(renderer, only, no_smooth, palette, camera), background)
        assert changed[16:48, 16:48].all() if side == face else not changed.any()


@pytest.mark.parametrize("face", range(6))
def test_each_face_has_its_own_material(
    face: int, renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh, palette: Palette
) -> None:
    cube = make_blocky([(40, -3, 7, 1, 1, f, f + 1) for f in range(6)])
    camera = orbit_camera((40, -3, 7), (41, -2, 8), *VIEWS[face], 1.0)
    picture = _shot(renderer, cube, no_smooth, palette, camera)
    assert _hue(picture[20:44, 20:44]) == HUES[face]


def test_quads_cover_what_the_tables_say(
    renderer: Renderer, make_blocky: Make, no_blocky: BlockyMesh, no_smooth: SmoothMesh, palette: Palette, project: Make
) -> None:
    rng = np.random.default_rng(11)
    for face, (azimuth, elevation) in enumerate(VIEWS):
        low, size = rng.integers(-40, 40, 3), rng.integers(1, 9, 2)
        low -= np.maximum(low % CHUNK_SIZE + 9 - CHUNK_SIZE, 0)  # a quad stays in its chunk
        mesh = make_blocky([(*low.tolist(), *size.tolist(), face, 1)])
        camera = orbit_camera(low - 2, low + 10, azimuth + 20, elevation * 0.8, 1.0)
        shown = _changed(
            _shot(renderer, mesh, no_smooth, palette, camera), _shot(renderer, no_blocky, no_smooth, palette, camera)
        )
        corners = project(camera, mesh.corners()[0].astype(np.float64), 64, 64)
        inside = _distance_inside(corners)
        assert shown[inside > 1].all()
        assert not shown[inside < -1].any()
        assert (inside > 1).sum() > 4


def _distance_inside(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """(64, 64): the pixels' distance from the nearest edge of a convex polygon, positive inside."""
    y, x = np.mgrid[:64, :64] + 0.5
    edges = np.roll(corners, -1, axis=0) - corners
    # Counter-clockwise from outside is clockwise in rows that run down: inside is on the other side of each edge.
    signed = [
        (edge[1] * (x - corner[0]) - edge[0] * (y - corner[1])) / np.hypot(*edge)
        for corner, edge in zip(corners, edges, strict=True)
    ]
    return np.min(signed, axis=0)


def test_the_six_directions_differ_in_tone(renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh) -> None:
    grey = Palette.of({1: Material("grey", (128, 128, 128))})
    cube = make_blocky([(0, 0, 0, 1, 1, f, 1) for f in range(6)])
    tones = []
    for azimuth, elevation in VIEWS:
        picture = _shot(renderer, cube, no_smooth, grey, orbit_camera((0, 0, 0), (1, 1, 1), azimuth, elevation, 1.0))
        tones.append(picture[24:40, 24:40, :3].reshape(-1, 3).mean(axis=0))
    for a, b in permutations(tones, 2):
        assert np.abs(a - b).max() > 6
    assert np.argmax([t.sum() for t in tones]) == 4
    warm, cool = tones[3], tones[0]  # lit and unlit
    assert warm[0] / warm[2] > 1 > cool[0] / cool[2]


def test_a_smooth_triangle_shows_from_its_front_only(
    renderer: Renderer, make_smooth: Make, no_blocky: BlockyMesh, no_smooth: SmoothMesh, palette: Palette
) -> None:
    mesh = make_smooth([(2, 2, 4), (6, 2, 4), (6, 6, 4), (2, 6, 4)], [(0, 1, 2, 3)], [2])
    for elevation in (90, -90):
        camera = orbit_camera((2, 2, 3), (6, 6, 5), 0, elevation, 1.0)
        picture = _shot(renderer, no_blocky, mesh, palette, camera)
        changed = _changed(picture, _shot(renderer, no_blocky, no_smooth, palette, camera))
        if elevation > 0:
            assert changed[16:48, 16:48].all()
            assert _hue(picture[20:44, 20:44]) == HUES[1]
        else:
            assert not changed.any()


def test_smooth_quads_span_chunks(
    renderer: Renderer, make_smooth: Make, no_blocky: BlockyMesh, no_smooth: SmoothMesh, palette: Palette
) -> None:
    mesh = make_smooth([(-2, -2, 4), (-2, 2, 4), (2, -2, 4), (2, 2, 4)], [(0, 2, 3, 1)], [3])
    camera = orbit_camera((-2, -2, 3), (2, 2, 5), 0, 90, 1.0)
    changed = _changed(
        _shot(renderer, no_blocky, mesh, palette, camera), _shot(renderer, no_blocky, no_smooth, palette, camera)
    )
    rows, columns = np.nonzero(changed)
    assert changed[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].all()
    assert changed[16:48, 16:48].all()


def test_smooth_wins_where_it_lies_on_a_block(
    renderer: Renderer, make_blocky: Make, make_smooth: Make, palette: Palette
) -> None:
    blocky = make_blocky([(0, 0, 3, 8, 8, 4, 1)])
    smooth = make_smooth([(0, 0, 4), (8, 0, 4), (8, 8, 4), (0, 8, 4)], [(0, 1, 2, 3)], [2])
    picture = _shot(renderer, blocky, smooth, palette, orbit_camera((0, 0, 0), (8, 8, 4), 20, 50, 1.0))
    assert _hue(picture[30:40, 28:36]) == HUES[1]


@pytest.mark.parametrize("chunk_of_nearer", [-1, 1])
def test_the_nearer_quad_hides_the_farther_whatever_comes_first(
    chunk_of_nearer: int, renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh, palette: Palette
) -> None:
    # Chunks are drawn from −Y to +Y: from the front the nearer comes first, from the back (face 2) last.
    face, azimuth = (3, 0) if chunk_of_nearer < 0 else (2, 180)
    near, far = 10 * chunk_of_nearer, -10 * chunk_of_nearer
    mesh = make_blocky([(0, near, 0, 8, 8, face, 1), (0, far, 0, 8, 8, face, 2)])
    picture = _shot(renderer, mesh, no_smooth, palette, orbit_camera((0, -11, 0), (8, 11, 8), azimuth, 0, 1.0))
    assert _hue(picture[28:36, 28:36]) == HUES[0]


@pytest.mark.parametrize("wall_face", [3, 2])
def test_glass_tints_what_is_behind_and_hides_behind_what_is_in_front(
    wall_face: int, renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh, palette: Palette
) -> None:
    azimuth, towards = (0, -1) if wall_face == 3 else (180, 1)
    camera = orbit_camera((0, -11, 0), (8, 11, 8), azimuth, 0, 1.0)
    center = (slice(28, 36), slice(28, 36))

    def shot(*rows: tuple[int, int]) -> NDArray[np.float64]:
        mesh = make_blocky([(0, y, 0, 8, 8, wall_face, material) for y, material in rows])
        return _shot(renderer, mesh, no_smooth, palette, camera)[center].reshape(-1, 4).mean(axis=0)

    wall = shot((0, 1))
    behind_glass = shot((0, 1), (10 * towards, 7))
    assert behind_glass[2] > wall[2] + 20 and behind_glass[0] < wall[0] - 20
    assert behind_glass[0] > 60
    np.testing.assert_allclose(shot((0, 1), (-10 * towards, 7)), wall, atol=1)
    # No depth is written: two panes tint twice, in whichever order they lie.
    for panes in permutations([(5 * towards, 7), (10 * towards, 7)]):
        assert shot((0, 1), *panes)[0] < behind_glass[0] - 10


def test_emission_glows(
    renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh, palette: Palette, front: Camera
) -> None:
    def brightness(material: int) -> float:
        mesh = make_blocky([(0, 0, 0, 8, 8, 3, material)])
        return float(_shot(renderer, mesh, no_smooth, palette, front)[28:36, 28:36, 0].mean())

    assert brightness(9) > brightness(8) + 40


def test_t_junctions_leave_no_pinholes(
    renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh, palette: Palette
) -> None:
    # A dark wall before the bright sky: long quads between rows of short ones look like one large quad.
    long = [(0, 0, z, 30, 1, 3, 8) for z in range(0, 30, 2)]
    short = [(x, 0, z, 1, 1, 3, 8) for z in range(1, 30, 2) for x in range(30)]
    walls = [make_blocky([*long, *short]), make_blocky([(0, 0, 0, 30, 30, 3, 8)])]
    cameras = [orbit_camera((10, 0, 10), (20, 0, 20), 31 + i * 0.37, 11 + i * 0.13, 1.0) for i in range(6)]
    pictures = []
    for wall in walls:
        renderer.load(wall, no_smooth, palette)
        pictures.append([renderer.render(camera, 256, 256)[64:192, 64:192] for camera in cameras])
    assert np.abs(np.array(pictures[0], int) - pictures[1]).max() <= 2


def test_far_from_the_origin_the_picture_is_the_same(
    renderer: Renderer, make_blocky: Make, make_smooth: Make, palette: Palette
) -> None:
    pictures = []
    for shift in (0, 30_000 * CHUNK_SIZE):
        blocky = make_blocky([(shift + x, 5, 5, 1, 1, face, 1 + x % 6) for x in range(20) for face in range(6)])
        smooth = make_smooth([(shift + x, y, 7.25) for x, y in ((2, 2), (6, 2), (6, 6), (2, 6))], [(0, 1, 2, 3)], [2])
        renderer.load(blocky, smooth, palette)
        pictures.append(renderer.render(orbit_camera((shift, 2, 5), (shift + 20, 6, 8), 33, 21, 1.5), 240, 160))
    assert np.abs(pictures[0].astype(int) - pictures[1]).max() <= 2


def test_row_0_is_the_top_and_column_0_the_left(
    renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh, palette: Palette, front: Camera
) -> None:
    mesh = make_blocky([(0, 0, 7, 1, 1, 3, 1), (7, 0, 0, 1, 1, 3, 2)])
    picture = _shot(renderer, mesh, no_smooth, palette, front)
    assert _hue(picture[3:6, 3:6]) == HUES[0]
    assert _hue(picture[-6:-3, -6:-3]) == HUES[1]


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 5), (33, 64)])
def test_pictures_of_any_size_are_opaque(renderer: Renderer, front: Camera, width: int, height: int) -> None:
    picture = renderer.render(front, width, height)
    assert picture.shape == (height, width, 4)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert (picture[..., 3] == 255).all()


@pytest.mark.parametrize(("width", "height"), [(0, 10), (10, 0), (-1, 10), (MAX_PICTURE_EDGE + 1, 10)])
def test_other_sizes_are_refused(renderer: Renderer, front: Camera, width: int, height: int) -> None:
    with pytest.raises(VoxelwrightError, match="1 to 8192 pixels"):
        renderer.render(front, width, height)


@pytest.mark.parametrize("sun", [(0, 0, 0), (1, 0), (float("nan"), 0, 1)])
def test_a_sun_without_direction_is_refused(renderer: Renderer, front: Camera, sun: tuple[float, ...]) -> None:
    with pytest.raises(VoxelwrightError, match="sun's direction"):
        renderer.render(front, 8, 8, sun_direction=sun)


def test_the_sky_is_bright_at_the_sun_and_dark_at_night(renderer: Renderer, front: Camera) -> None:
    away = renderer.render(front, 32, 32, sun_direction=(0, -1, 0.1))
    facing = renderer.render(front, 32, 32, sun_direction=(0, 1, 0.1))
    night = renderer.render(front, 32, 32, sun_direction=(0, 0, -1))
    row = round(16 - 16 * 0.1 * float(front.projection[1, 1]))
    assert facing[row - 1 : row + 1, 15:17, 0].max() > 240 > away[row - 1 : row + 1, 15:17, 0].max() + 40
    assert night.max(axis=(0, 1))[0] < 90


def test_orthographic_views_show_the_same_sides(
    renderer: Renderer, make_blocky: Make, no_smooth: SmoothMesh, palette: Palette, front: Camera
) -> None:
    near, far = front.depth_range
    flat = np.diag([0.2, 0.2, -2 / (far - near), 1.0])
    flat[2, 3] = -(far + near) / (far - near)
    camera = Camera(front.view, flat)
    assert camera.depth_range == pytest.approx((near, far))
    cube = make_blocky([(0, 0, 0, 8, 8, 3, 1), (7, 0, 0, 8, 8, 0, 2)])
    picture = _shot(renderer, cube, no_smooth, palette, camera)
    assert _hue(picture[16:48, 16:48]) == HUES[0]
    np.testing.assert_allclose(picture[10, 2].astype(int), picture[10, 62], atol=2)  # a level sky, the same all over


def test_the_frame_splits_the_eye_exactly(front: Camera) -> None:
    view = front.view.copy()
    view[:3, 3] = -view[:3, :3] @ (1_000_000.25, -7.5, -0.125)
    frame = frame_record(Camera(view, front.projection), 100, (0, 0, 2))
    np.testing.assert_array_equal(frame["eye_voxel"][:3], (1_000_000, -8, -1))
    np.testing.assert_allclose(frame["eye_fraction"][:3], (0.25, 0.5, 0.875), atol=1e-6)
    np.testing.assert_array_equal(frame["sun_direction"][:3], (0, 0, 1))


def test_everything_is_released(
    ctx: moderngl.Context,
    make_blocky: Make,
    no_smooth: SmoothMesh,
    palette: Palette,
    front: Camera,
    count_objects: Callable[[], dict[str, int]],
) -> None:
    before = count_objects()
    mesh = make_blocky([(0, 0, 0, 8, 8, 3, 7)])
    with Renderer(ctx) as made:
        made.load(mesh, no_smooth, palette)
        made.render(front, 16, 16)
        working = count_objects()
        assert working["Buffer"] >= before["Buffer"] + 8
        assert working["Program"] >= before["Program"] + 4
        made.load(mesh, no_smooth, palette)
        made.render(front, 16, 16)
        assert count_objects() == working
        made.render(front, 24, 16)
        assert count_objects() == working
    assert count_objects() == before


def test_a_refused_world_leaves_an_empty_picture(
    renderer: Renderer,
    make_blocky: Make,
    no_smooth: SmoothMesh,
    palette: Palette,
    front: Camera,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = renderer.render(front, 16, 16)
    mesh = make_blocky([(0, 0, 0, 8, 8, 3, 1)])
    renderer.load(mesh, no_smooth, palette)
    assert renderer.pool_nbytes > 0
    monkeypatch.setattr(pool, "MAX_DRAWN_CHUNKS", 0)
    with pytest.raises(VoxelwrightError):
        renderer.load(mesh, no_smooth, palette)
    assert renderer.pool_nbytes == 0
    np.testing.assert_array_equal(renderer.render(front, 16, 16), empty)


def test_a_picture_beyond_memory_is_refused_and_the_next_one_drawn(
    renderer: Renderer, front: Camera, monkeypatch: pytest.MonkeyPatch, count_objects: Callable[[], dict[str, int]]
) -> None:
    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    before = count_objects()
    with monkeypatch.context() as patch:
        patch.setattr(target, "check_errors", fail)
        with pytest.raises(VoxelwrightError, match="no memory"):
            renderer.render(front, 16, 16)
    assert count_objects() == before
    assert renderer.render(front, 16, 16).shape == (16, 16, 4)
