# SPDX-License-Identifier: GPL-3.0-or-later
"""Each view shows what its legend says, to the byte."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Look, Renderer
from voxelwright.gpu_backend.views import DESCRIPTIONS, LEGENDS, View
from voxelwright.voxel.layout import FACE_NORMALS
from voxelwright.voxel.palette import Material, Palette

Make = Callable[..., Any]

SIZE = (96, 80)
BLENDING = Palette.of(
    {1: Material("a", (200, 40, 40), texture="rock"), 2: Material("b", (40, 40, 200), texture="sand")}
)


def _srgb(linear: Any) -> NDArray[np.float64]:
    values = np.asarray(linear, np.float64)
    return 255 * np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1 / 2.4) - 0.055)


def test_every_view_is_described() -> None:
    assert set(DESCRIPTIONS) == set(LEGENDS) == set(View)
    assert len(set(DESCRIPTIONS.values())) == len(View)


@pytest.fixture
def cells() -> list[tuple[int, int, int, int]]:
    places = np.unique(np.random.default_rng(12).integers(-4, 4, (60, 3)), axis=0)
    return [(*place, 1 + i % 6) for i, place in enumerate(places.tolist())]


@pytest.fixture
def camera() -> Camera:
    return orbit_camera((-4, -4, -4), (4, 4, 4), 35, 28, SIZE[0] / SIZE[1])


@pytest.mark.parametrize("elevation", [28, -28])
@pytest.mark.parametrize("azimuth", [35, 215])
@pytest.mark.parametrize("orthographic", [False, True])
def test_faces_and_normals_have_their_colours(
    orthographic: bool,
    azimuth: int,
    elevation: int,
    cells: Any,
    renderer: Renderer,
    make_world: Make,
    cast_rays: Make,
    flat: Make,
) -> None:
    camera = orbit_camera((-4, -4, -4), (4, 4, 4), azimuth, elevation, SIZE[0] / SIZE[1])
    camera = flat(camera, 7.0) if orthographic else camera
    met = cast_rays(cells, camera, *SIZE)
    hit = met.sure & (met.material > 0)
    world = make_world(cells)
    by_face = {
        View.FACES: _srgb([color for color, _ in LEGENDS[View.FACES]]),
        View.NORMALS: _srgb(FACE_NORMALS * 0.5 + 0.5),
    }
    for view, colors in by_face.items():
        picture = renderer.render(world, camera, *SIZE, Look(view), samples=1)[::-1, :, :3].astype(float)
        np.testing.assert_allclose(picture[hit], colors[met.face[hit]], atol=2.5)


@pytest.mark.parametrize("kind", [Renderer, BasicRenderer], ids=lambda kind: kind.__name__)
def test_materials_have_the_palettes_bytes(kind: Any, ctx: Any, make_world: Make, cast_rays: Make) -> None:
    colors = np.random.default_rng(4).integers(0, 256, (8, 3)).tolist()
    kinds: list[dict[str, Any]] = [{}, {"opacity": 0.3}, {"emission": 9.0}, {"metallic": 1.0, "texture": "bricks"}]
    materials = {i: Material(str(i), tuple(color), **kinds[i % 4]) for i, color in enumerate(colors, 1)}
    places = np.unique(np.random.default_rng(12).integers(-4, 4, (60, 3)), axis=0)
    cells = [(*place, 1 + i % 8) for i, place in enumerate(places.tolist())]
    camera = orbit_camera((-4, -4, -4), (4, 4, 4), 35, 28, SIZE[0] / SIZE[1])
    met = cast_rays(cells, camera, *SIZE)
    hit = met.sure & (met.material > 0)
    look = Look(View.MATERIALS, sun_direction=(0, 0, -1))
    with kind(ctx) as renderer:
        picture = renderer.render(make_world(cells, Palette.of(materials)), camera, *SIZE, look, samples=1)
    expected = np.array([(0, 0, 0), *colors])[met.material[hit]]
    np.testing.assert_allclose(picture[::-1, :, :3].astype(int)[hit], expected, atol=1)


def test_the_legend_of_normals_is_the_colour_of_their_faces() -> None:
    for color, words in LEGENDS[View.NORMALS]:
        axis = "XYZ".index(words[1])
        np.testing.assert_allclose(color, FACE_NORMALS[2 * axis] * 0.5 + 0.5)


def test_quads_have_colours_of_their_own(cells: Any, camera: Camera, ctx: Any, make_world: Make) -> None:
    wall = make_world([(x, 0, z, 1) for x in range(6) for z in range(6)])
    front = orbit_camera((0, 0, 0), (6, 1, 6), 0, 0, 1.0)
    n_colors = []
    for merge in (True, False):
        with Renderer(ctx, merge=merge) as renderer:
            picture = renderer.render(wall, front, 60, 60, Look(View.QUADS), samples=1)[8:52, 8:52, :3]
            _colors, counts = np.unique((picture.reshape(-1, 3) + 2) // 6, axis=0, return_counts=True)
            n_colors.append(int((counts > 12).sum()))
    assert n_colors[0] in (1, 2, 3, 4)  # one quad, whose colour the noise may split
    assert n_colors[1] >= 20


def test_borders_of_chunks_are_lines(renderer: Renderer, make_world: Make) -> None:
    floor = [(x, y, 31, 2) for x in range(24, 40) for y in range(24, 40)]
    camera = orbit_camera((24, 24, 31), (40, 40, 32), 0, 90, 1.0)
    picture = renderer.render(make_world(floor), camera, 160, 160, Look(View.CHUNKS), samples=1)[..., :3].astype(float)
    line = np.abs(picture - _srgb(LEGENDS[View.CHUNKS][0][0])).max(axis=2) < 4
    # Two lines cross in the middle, each half a voxel wide.
    share = line[12:148, 12:148].mean()
    assert 0.5 * 2 / 16 * 0.7 < share < 0.5 * 2 / 16 * 1.3
    middle = line[79:81, 20:140].mean(), line[20:140, 79:81].mean()
    assert min(middle) > 0.95
    assert not line[30:60, 30:60].any()
    grass = _srgb(
        np.array(((30 / 255 + 0.055) / 1.055, (220 / 255 + 0.055) / 1.055, (30 / 255 + 0.055) / 1.055)) ** 2.4 / 2
    )
    np.testing.assert_allclose(picture[40, 40], grass, atol=3)


def test_blend_zones_are_red_along_u_and_blue_along_v(renderer: Renderer, make_world: Make) -> None:
    """A floor of two materials seen from above; U is along X, V along Y there."""
    camera = orbit_camera((0, 0, 0), (8, 8, 1), 0, 90, 1.0)
    middle = slice(36, 44)
    for along, other, channel in (("x", "y", 0), ("y", "x", 2)):
        floor = [(x, y, 0, 1 + (x if along == "x" else y) // 4) for x in range(8) for y in range(8)]
        picture = renderer.render(make_world(floor, BLENDING), camera, 160, 160, Look(View.BLEND), samples=1)
        at_seam = picture[72:88, 76:84] if along == "x" else picture[76:84, 72:88]
        assert at_seam[..., channel].mean() > at_seam[..., 2 - channel].mean() + 60, other
        inside = picture[middle, middle, :3].astype(int)
        assert (inside[..., 1] > inside[..., 0] + 60).all() and (inside[..., 1] > inside[..., 2] + 60).all()
    plain = renderer.render(make_world(floor, BLENDING), camera, 160, 160, Look(View.BLEND, blending=False), samples=1)
    assert (plain[20:140, 20:140, 1].astype(int) > plain[20:140, 20:140, 0].astype(int) + 60).all()


def test_no_quad_disagrees_with_the_voxels(renderer: Renderer, cells: Any, camera: Camera, make_world: Make) -> None:
    picture = renderer.render(make_world(cells), camera, *SIZE, Look(View.BLEND, sky=False), samples=1)[..., :3]
    assert not ((picture[..., 0] > 240) & (picture[..., 1] < 20)).any()


def test_a_quad_that_disagrees_with_the_voxels_is_bright_red(
    renderer: Renderer, make_world: Make, draw_frame: Make
) -> None:
    from voxelwright.gpu_backend.renderer import Shown
    from voxelwright.voxel.jobs import finish

    camera = orbit_camera((0, 0, 0), (8, 8, 1), 0, 90, 1.0)
    world = make_world([(x, y, 0, 2) for x in range(8) for y in range(8)])
    pool = renderer.new_pool()
    finish(pool.bring(world, camera.eye))
    voxels = np.array(world.chunk((0, 0, 0)))
    voxels[2:6, 2:6, 0] = 1 << 8  # of another material than when it was meshed
    pool._pages.write(0, voxels)
    target = draw_frame(renderer, [Shown(pool, camera, Look(View.BLEND))], 64, 64)
    light = np.frombuffer(target.light.read(), np.float16).reshape(64, 64, 4)[..., :3].astype(float)
    assert (light[24:40, 24:40] == (1, 0, 0)).all()
    assert (light[4:8, 4:8, 0] < 0.1).all()
