# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals as frames show them."""

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.decal_images import EDGE, DecalImage
from voxelwright.gpu_backend.decals import Decal, Decals
from voxelwright.gpu_backend.passes.decals import DecalsPass
from voxelwright.gpu_backend.records import DecalLayer
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.target import FrameTarget
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.jobs import finish

Make = Callable[..., Any]

SIZE = (96, 72)
FLOOR = [(x, y, 0, 2) for x in range(-8, 8) for y in range(-8, 8)]
CLIFF = [(x, y, z, 11 if x < 0 else 2) for x in range(-8, 8) for y in range(-8, 8) for z in range(4 if y > 0 else 1)]
LOOK = Look(sky=False)


def image(*rows: Any) -> DecalImage:
    """An image of rows of texels (r, g, b, a), the first one below."""
    texels = np.array(rows, np.uint8)
    repeats = EDGE // texels.shape[0], EDGE // texels.shape[1]
    return DecalImage(texels.repeat(repeats[0], axis=0).repeat(repeats[1], axis=1))


RED, BLUE, WHITE, CLEAR = (255, 0, 0, 255), (0, 0, 255, 255), (255, 255, 255, 255), (0, 0, 0, 0)


def box(half: Any = (3, 3, 2), at: Any = (0, 0, 1), turn: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))) -> NDArray[Any]:
    made = np.eye(4)
    made[:3, :3] = np.array(turn, np.float64).T * half
    made[:3, 3] = at
    return made


def from_above(by: Any = (0, 0, 0)) -> Camera:
    return orbit_camera(np.array((-6, -6, 0)) + by, np.array((6, 6, 1)) + by, 0, 90, SIZE[0] / SIZE[1])


@pytest.fixture
def colors_of(renderer: Renderer, make_world: Make, draw_frame: Make) -> Callable[..., NDArray[np.uint8]]:
    """A function that gives the G-buffer's colours, row 0 at the bottom, and with them the packed surfaces."""

    def run(cells: Any, camera: Camera, items: Any, look: Look = LOOK) -> tuple[NDArray[Any], NDArray[Any]]:
        pool = renderer.new_pool()
        finish(pool.bring(make_world(cells), camera.eye))
        target = draw_frame(renderer, [Shown(pool, camera, look, Decals.of(items))], *SIZE)
        colors, surfaces = _read(target)
        renderer.drop_pool(pool)
        return colors, surfaces

    return run


def _read(target: FrameTarget) -> tuple[NDArray[Any], NDArray[Any]]:
    colors = np.frombuffer(target.colors.read(), np.uint8).reshape(SIZE[1], SIZE[0], 4)
    return colors, np.frombuffer(target.surfaces.read(), np.uint32).reshape(SIZE[1], SIZE[0], 2)


def places(camera: Camera, rays_of: Make, z: float = 1.0) -> NDArray[np.float64]:
    """(height, width, 2): where the pixels' rays meet the plane of that height, row 0 at the bottom."""
    origins, directions = rays_of(camera, *SIZE)
    return (origins + directions * ((z - origins[..., 2]) / directions[..., 2])[..., None])[..., :2]


@pytest.mark.parametrize("by", [(0, 0, 0), (100_000, -50_000, 320)])
def test_the_image_lies_the_right_way_round(by: Any, colors_of: Make, rays_of: Make) -> None:
    """Its first row at −Y and its first column at −X, where the box is, and nowhere else; far from the origin too."""
    cells = [(x + by[0], y + by[1], z + by[2], m) for x, y, z, m in FLOOR]
    camera = from_above(by)
    quarters = image([RED, BLUE], [WHITE, RED])
    colors, _ = colors_of(cells, camera, [Decal("d", box(at=np.array((0, 0, 1)) + by), quarters)])
    plain, _ = colors_of(cells, camera, [])
    place = places(camera, rays_of, by[2] + 1.0) - by[:2]
    # Inside the sides' fade, and a little away from where colours meet.
    for x, y, expected in ((-1, -1, RED), (1, -1, BLUE), (-1, 1, WHITE), (1, 1, RED)):
        inside = (np.abs(place - (1.25 * x, 1.25 * y)) < 1.0).all(axis=-1)
        assert inside.sum() > 20
        np.testing.assert_allclose(colors[inside].astype(int), np.broadcast_to(expected, (inside.sum(), 4)), atol=1)
    outside = (np.abs(place) > 3.01).any(axis=-1)
    assert (colors[outside] == plain[outside]).all()
    assert outside.sum() > 100


def test_fades_and_mixes_are_the_formulas(colors_of: Make, rays_of: Make) -> None:
    camera, white = from_above(), image([WHITE])
    plain, _ = colors_of(FLOOR, camera, [])
    place = places(camera, rays_of)
    half = np.array((3.0, 3.0))
    base = {"image": white, "tint": (0.0, 0.0, 0.0), "color_mix": 0.8}
    # The floor is at z = 0.5, of the half-extent, in a box about z = 0, and at −0.5 in one about z = 2.
    cases = [
        ({}, 0.0, 1.0),
        ({"upper_fade": 0.75}, 0.0, 1 - _smooth(0.25, 1, 0.5)),
        ({"lower_fade": 0.75}, 2.0, 1 - _smooth(0.25, 1, 0.5)),
        ({"upper_fade": 0.25}, 0.0, 1.0),
    ]
    for settings, z, expected in cases:
        colors, _ = colors_of(FLOOR, camera, [Decal("d", box((3, 3, 2), (0, 0, z)), **base, **settings)])
        sides = np.prod([1 - _smooth(0.85, 1, np.abs(place[..., i]) / half[i]) for i in (0, 1)], axis=0)
        alpha = np.where((np.abs(place) <= 3).all(axis=-1), sides, 0) * expected * 0.8
        _assert_mixed(colors, plain, alpha)


def _smooth(low: float, high: float, value: Any) -> Any:
    t = np.clip((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def _linear(colors: NDArray[Any]) -> NDArray[np.float64]:
    value = colors[..., :3] / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _assert_mixed(colors: NDArray[Any], plain: NDArray[Any], alpha: NDArray[Any]) -> None:
    """Black laid over a plain colour."""
    expected = _linear(plain) * (1 - alpha[..., None])
    np.testing.assert_allclose(_linear(colors), expected, atol=0.012)


def test_distance_fades(colors_of: Make, rays_of: Make) -> None:
    camera, black = from_above(), image([(0, 0, 0, 255)])
    plain, _ = colors_of(FLOOR, camera, [])
    place = places(camera, rays_of)
    distance = np.linalg.norm(np.concatenate([place, np.ones((*place.shape[:2], 1))], axis=2) - camera.eye, axis=2)
    begin, length = float(distance.min()) - 0.5, float(np.ptp(distance)) + 1.0
    item = Decal("d", box((40, 40, 2)), black, distance_begin=begin, distance_length=length)
    colors, _ = colors_of(FLOOR, camera, [item])
    _assert_mixed(colors, plain, 1 - np.clip((distance - begin) / length, 0, 1))


@pytest.mark.parametrize(("degrees", "on_top", "on_side"), [(180, True, True), (90, True, False), (100, True, True)])
def test_what_is_steeper_than_the_angle_shows_nothing(
    colors_of: Make, degrees: float, on_top: bool, on_side: bool
) -> None:
    cells = [(x, y, 0, 2) for x in range(-8, 8) for y in range(-8, 8)] + [(x, 0, 1, 2) for x in range(-8, 8)]
    camera = orbit_camera((-8, -8, 0), (8, 8, 2), 10, 40, SIZE[0] / SIZE[1])
    plain, surfaces = colors_of(cells, camera, [])
    item = Decal("d", box((40, 40, 5)), image([RED]), max_angle=np.radians(degrees))
    colors, _ = colors_of(cells, camera, [item])
    is_seen = plain[..., 3] > 0
    changed = (colors != plain).any(axis=2)
    for face, expected in ((4, on_top), (3, on_side)):
        where = is_seen & (surfaces[..., 0] >> 24 & 7 == face)
        assert where.sum() > 100
        assert (changed[where] == expected).all()


@pytest.mark.parametrize(
    ("layers", "blocky", "smooth"),
    [
        (DecalLayer.BLOCKY, True, False),
        (DecalLayer.SMOOTH, False, True),
        (DecalLayer.TOPINGS | DecalLayer.FAR, False, False),
    ],
)
def test_layers_keep_decals_off_other_surfaces(colors_of: Make, layers: DecalLayer, blocky: bool, smooth: bool) -> None:
    camera = orbit_camera((-8, -8, 0), (8, 8, 4), 20, 50, SIZE[0] / SIZE[1])
    plain, surfaces = colors_of(CLIFF, camera, [])
    colors, _ = colors_of(CLIFF, camera, [Decal("d", box((60, 60, 60)), image([BLUE]), layers=layers)])
    is_smooth = surfaces[..., 0] >> 24 & 8 != 0
    is_seen = plain[..., 3] > 0
    changed = (colors != plain).any(axis=2)
    assert is_smooth.sum() > 100
    assert (changed[is_seen & is_smooth] == smooth).all()
    assert (changed[is_seen & ~is_smooth] == blocky).all()


def normal_texel(x: float, y: float) -> tuple[int, int, int, int]:
    z = np.sqrt(1 - x * x - y * y)
    return (*(round((c + 1) / 2 * 255) for c in (x, y, z)), 255)  # type: ignore[return-value]


def test_normals_bend_towards_the_boxs_axes(renderer: Renderer, make_world: Make, draw_frame: Make) -> None:
    """Seen as light: a texel that leans along the image's U turns the floor towards the box's X axis."""
    camera, world = from_above(), make_world(FLOOR)
    sun = np.array((0.8, 0.0, 0.6))
    pool = renderer.new_pool()
    finish(pool.bring(world, camera.eye))

    def light(items: Any) -> float:
        look = Look(sky=False, haze=False, sun_direction=sun)
        target = draw_frame(renderer, [Shown(pool, camera, look, Decals.of(items))], *SIZE)
        read = np.frombuffer(target.light.read(), np.float16).reshape(SIZE[1], SIZE[0], 4)
        return float(read[30:42, 42:54, 1].astype(float).mean())

    plain = light([])
    leaning = image([normal_texel(0.6, 0)])
    turned = ((-1, 0, 0), (0, -1, 0), (0, 0, 1))
    assert light([Decal("d", box(), None, leaning)]) > plain * 1.1
    assert light([Decal("d", box(turn=turned), None, leaning)]) < plain * 0.9
    assert light([Decal("d", box((-3, 3, 2)), None, leaning)]) < plain * 0.9  # mirrored
    assert light([Decal("d", box(), None, image([normal_texel(0, 0)]))]) == pytest.approx(plain, rel=0.01)
    assert light([Decal("d", box(), None, leaning, normal_mix=0.0)]) == plain


def scattered(n: int) -> list[Decal]:
    rng = np.random.default_rng(4)
    pictures = [image([RED, CLEAR], [WHITE, BLUE]), image([CLEAR, WHITE]), image([normal_texel(0.3, 0.4)])]
    items = []
    for index in range(n):
        matrix = np.eye(4)
        matrix[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0] * rng.uniform(0.5, 3, 3)
        matrix[:3, 3] = rng.uniform((-8, -8, 0), (8, 8, 4))
        normal_map = pictures[2] if index % 3 == 0 else None
        items.append(Decal(f"d{index}", matrix, pictures[index % 2], normal_map, color_mix=0.7, upper_fade=0.2))
    return items


@pytest.mark.parametrize("azimuth", [20, 200])
def test_tiles_change_no_byte(
    ctx: moderngl.Context, renderer: Renderer, make_world: Make, draw_frame: Make, azimuth: float
) -> None:
    """Decals overlap, lie before and behind the eye, and beside the picture."""
    camera = orbit_camera((-5, -5, 0), (5, 5, 4), azimuth, 35, SIZE[0] / SIZE[1])
    pool = renderer.new_pool()
    finish(pool.bring(make_world(CLIFF), camera.eye))
    decals = Decals.of([*scattered(50), Decal("wide", box((90, 90, 90), (0, 0, 60)), image([WHITE]), color_mix=0.1)])
    shown = [Shown(pool, camera, LOOK, decals)]
    tiled = _read(draw_frame(renderer, shown, *SIZE))
    before, renderer._decals = renderer._decals, DecalsPass(ctx, tiled=False)
    brute = _read(draw_frame(renderer, shown, *SIZE))
    renderer._decals.release()
    renderer._decals = before
    plain = _read(draw_frame(renderer, [Shown(pool, camera, LOOK)], *SIZE))
    assert (tiled[0] == brute[0]).all() and (tiled[1] == brute[1]).all()
    assert (tiled[0] != plain[0]).any(axis=2).mean() > 0.2


def test_without_decals_nothing_is_run_and_no_byte_changes(
    renderer: Renderer, make_world: Make, draw_frame: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, camera = make_world(CLIFF), orbit_camera((-8, -8, 0), (8, 8, 4), 20, 50, SIZE[0] / SIZE[1])
    pool = renderer.new_pool()
    finish(pool.bring(world, camera.eye))
    beside = Decals.of([Decal("d", box(at=(500, 0, 0)), image([RED]))])
    drawn = []
    for decals in (None, Decals.of([]), beside):
        monkeypatch.setattr(renderer._decals._pass, "run", lambda *_: pytest.fail("the pass was run"))
        drawn.append(draw_frame(renderer, [Shown(pool, camera, LOOK, decals)], *SIZE).light.read())
    assert drawn[0] == drawn[1] == drawn[2]
    assert "decals" not in renderer.settled_figures().gpu_milliseconds
    for view in set(View) - {View.LIT}:
        draw_frame(renderer, [Shown(pool, camera, Look(view), Decals.of([Decal("d", box(), image([RED]))]))], *SIZE)


def test_the_last_decal_lies_on_top_and_too_many_are_told(colors_of: Make, renderer: Renderer) -> None:
    camera = from_above()
    crowd = [Decal(f"d{i}", box(), image([RED]), color_mix=1.0) for i in range(63)]
    colors, _ = colors_of(FLOOR, camera, [*crowd, Decal("last", box(), image([BLUE]))])
    assert colors[36, 48].tolist() == list(BLUE)
    assert renderer.notices() == []
    colors_of(
        FLOOR, camera, [Decal("far", box(at=(0, 5, 0)), image([RED])), *crowd, Decal("last", box(), image([BLUE]))]
    )
    assert renderer.notices() == ['A view shows the 64 nearest decals; left out: "far".']


def test_images_come_and_go_within_the_texture(renderer: Renderer, colors_of: Make) -> None:
    camera = from_above()
    pictures = [image([(n, 255 - n, n // 2, 255)]) for n in range(0, 250, 50)]
    for shown in ([0], [1], [0, 1, 2], [3], [4, 0], [2]):
        colors, _ = colors_of(FLOOR, camera, [Decal(str(i), box(), pictures[i]) for i in shown])
        n = 50 * shown[-1]
        np.testing.assert_allclose(colors[36, 48].astype(int), (n, 255 - n, n // 2, 255), atol=1)
    # Of four layers, each with a third more for its smaller levels.
    assert renderer._decals._textures.nbytes == pytest.approx(4 * EDGE * EDGE * 4 * 4 / 3, rel=1e-4)
    assert renderer.figures().nbytes > renderer._decals._textures.nbytes


def test_two_worlds_have_their_own(renderer: Renderer, make_world: Make, draw_frame: Make) -> None:
    """One world beside another: a decal of the first does not show on the second, though its box reaches there."""
    camera = orbit_camera((-8, -8, 0), (8, 8, 1), 0, 90, SIZE[0] / SIZE[1])
    shown = []
    for cells, items in ((FLOOR[:128], [Decal("d", box((40, 40, 4)), image([BLUE]))]), (FLOOR[128:], [])):
        pool = renderer.new_pool()
        finish(pool.bring(make_world(cells), camera.eye))
        shown.append(Shown(pool, camera, LOOK, Decals.of(items)))
    colors, _ = _read(draw_frame(renderer, shown, *SIZE))
    assert (colors[36, 30:46] == BLUE).all()
    assert (colors[36, 50:66] != BLUE).any(axis=1).all()


def test_the_basic_renderer_says_that_it_leaves_decals_out(
    ctx: moderngl.Context, make_world: Make, draw_frame: Make
) -> None:
    camera = from_above()
    with BasicRenderer(ctx) as basic:
        pool = basic.new_pool()
        finish(pool.bring(make_world(FLOOR), camera.eye))
        draw_frame(basic, [Shown(pool, camera, LOOK, Decals.of([Decal("d", box(), image([RED]))]))], 8, 8)
        assert basic.notices() == ["Decals are not drawn the simple way; bake to see them."]
        draw_frame(basic, [Shown(pool, camera, LOOK)], 8, 8)
        assert basic.notices() == []
