# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for viewports, of both renderers: what lies in their textures, and what comes out where they are laid over
one another."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.packed_picture import PackedImage, PackedPicture
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, edit_of_chunks

Make = Callable[..., Any]
AnyRenderer = Renderer | BasicRenderer

SIZE = (96, 64)
WATER = Palette.of(
    {
        1: Material("grass", (98, 146, 58), texture="grass"),
        2: Material("sand", (222, 200, 142), texture="sand"),
        3: Material("coal", (12, 12, 14), texture="plain"),
        4: Material("snow", (240, 244, 250), texture="plain"),
        5: Material("water", (52, 118, 158), roughness=0.15, opacity=0.6),
        6: Material("smoke", (4, 4, 4), roughness=1.0, opacity=0.5, texture="plain"),
        7: Material("glass", (200, 225, 230), 0.05, opacity=0.1, texture="plain"),
    }
)


@pytest.fixture(params=[Renderer, BasicRenderer], ids=lambda kind: kind.__name__)
def either(request: pytest.FixtureRequest, ctx: moderngl.Context) -> Iterator[AnyRenderer]:
    """Both renderers, one after another."""
    with request.param(ctx) as made:
        yield made


@dataclass(frozen=True)
class Texels:
    """(height, width): colour (sRGB, 0 … 1), opacity and depth, row 0 at the bottom."""

    color: NDArray[np.float64]
    opacity: NDArray[np.float64]
    depth: NDArray[np.float64]

    @property
    def seen(self) -> NDArray[np.bool_]:
        return self.depth < 1


def _texels(image: PackedImage) -> Texels:
    width, height = image.texels.size
    pairs = np.frombuffer(image.texels.read(), np.float32).reshape(height, width, 2)
    bits = pairs[..., 0].view(np.uint32).astype(np.int64)
    blue = bits >> 16 & 0x7F | (bits >> 31) << 7
    color = np.stack([bits & 0xFF, bits >> 8 & 0xFF, blue], axis=-1) / 255
    return Texels(color, ((bits >> 23 & 0xFF) - 64) / 127, pairs[..., 1].astype(float))


def _presented(picture: PackedPicture, background: NDArray[np.float64]) -> NDArray[np.float64]:
    """(height, width, 3) sRGB bytes of the picture over a colour, as a viewport blends and shows it."""
    ground = _texels(picture.opaque)
    shown = np.where(ground.seen[..., None], ground.color**2.2, background)
    if picture.layer is not None:
        layer = _texels(picture.layer)
        shown = np.where(layer.seen[..., None], layer.color**2.2 + shown * (1 - layer.opacity[..., None]), shown)
    return np.round(np.maximum(shown, 0) ** (1 / 2.2) * 255)


def _shown(renderer: AnyRenderer, world: World, camera: Camera, **look: Any) -> Shown:
    pool = renderer.new_pool()
    finish(pool.bring(world, camera.eye))
    return Shown(pool, camera, Look(**{"sky": False, "blending": False, **look}))


@pytest.fixture
def draw(ctx: moderngl.Context) -> Callable[..., None]:
    """A function that draws samples first … n − 1 into a picture, and puts the framebuffer in use back."""

    def draw(renderer: AnyRenderer, picture: PackedPicture, shown: list[Shown], n: int = 1, first: int = 0) -> None:
        previous = ctx.detect_framebuffer()
        try:
            for sample in range(first, n):
                renderer.draw_into(picture, shown, sample)
        finally:
            previous.use()

    return draw


@pytest.fixture
def new_picture(either: AnyRenderer) -> Iterator[Callable[..., PackedPicture]]:
    made: list[PackedPicture] = []

    def make(size: tuple[int, int] = SIZE) -> PackedPicture:
        made.append(either.new_picture(size))
        return made[-1]

    yield make
    for picture in made:
        picture.release()


def _pond(make_world: Make) -> World:
    """A floor of all opaque materials in a pool, and each of the transparent ones over all of them."""
    cells = [(x, y, -z // 6 - 1, 1 + x // 4) for x in range(16) for y in range(18) for z in range(1)]
    cells += [(x, y, 1, 5 + y // 6) for x in range(16) for y in range(18) if y % 6 < 5]
    return make_world(cells, WATER)


@pytest.fixture
def camera() -> Camera:
    return orbit_camera((0, 0, -1), (16, 18, 2), 24, 40, SIZE[0] / SIZE[1])


def test_over_our_own_ground_the_layer_shows_what_a_picture_off_screen_shows(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    world = _pond(make_world)
    shown = _shown(either, world, camera)
    picture = new_picture()
    draw(either, picture, [shown])
    expected = either.render(world, camera, *SIZE, shown.look, samples=1)[::-1, :, :3].astype(float)
    ground, layer = _texels(picture.opaque), _texels(picture.layer)
    assert (ground.seen & layer.seen).mean() > 0.2 and (ground.seen & ~layer.seen).mean() > 0.02
    assert (layer.depth[ground.seen & layer.seen] < ground.depth[ground.seen & layer.seen]).all()
    off = np.abs(_presented(picture, np.zeros(3)) - expected).max(axis=2)
    assert off[ground.seen].max() <= 2
    assert off[ground.seen].mean() < 0.7
    # Where there is no ground it is what it would be over black.
    assert off[layer.seen & ~ground.seen].max() <= 2


def test_refined_over_our_own_ground_too(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    world = _pond(make_world)
    shown = _shown(either, world, camera)
    picture = new_picture()
    draw(either, picture, [shown], 8)
    assert picture.n_samples == 8
    expected = either.render(world, camera, *SIZE, shown.look, samples=8)[::-1, :, :3].astype(float)
    off = np.abs(_presented(picture, np.zeros(3)) - expected).max(axis=2)
    seen = _texels(picture.opaque).seen
    inside = seen & np.roll(seen, 1, 0) & np.roll(seen, -1, 0) & np.roll(seen, 1, 1) & np.roll(seen, -1, 1)
    assert inside.mean() > 0.2
    assert (off[inside] > 2).mean() < 0.12  # at edges layer and ground are averaged each for itself
    assert off[inside].mean() < 1.2


def test_what_lies_behind_is_seen_through_the_layer_alone(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    glass = make_world([(x, y, 1, 7) for x in range(16) for y in range(18)], WATER)
    picture = new_picture()
    draw(either, picture, [_shown(either, glass, camera)])
    ground, layer = _texels(picture.opaque), _texels(picture.layer)
    assert not ground.seen.any()
    assert layer.seen.mean() > 0.2
    assert (layer.opacity[layer.seen] >= 0.1).all() and layer.opacity[layer.seen].mean() < 0.4
    dark, bright = (_presented(picture, np.full(3, light)) for light in (0.0, 1.0))
    assert (bright >= dark).all()
    assert (bright - dark)[layer.seen].mean() > 100
    np.testing.assert_array_equal(bright[~layer.seen], 255)


def test_without_transparency_there_is_no_layer(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    world = _pond(make_world)
    shown = _shown(either, world, camera)
    picture = new_picture()
    for look, has_layer in ((Look(sky=False), True), (Look(View.FACES, sky=False), False), (Look(sky=False), True)):
        draw(either, picture, [Shown(shown.pool, camera, look)])
        assert (picture.layer is not None) == has_layer
        assert len(picture.images) == 1 + has_layer
    opaque = make_world([(0, 0, 0, 3)], Palette.of({3: Material("coal", (12, 12, 14))}))
    draw(either, picture, [_shown(either, opaque, camera)])
    assert picture.layer is None


def test_the_view_of_materials_has_the_palettes_bytes_even_where_a_picture_is_refined(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    """Whatever the edge: the average is over those frames in which a surface was seen, so that no edge is darker."""
    materials = WATER.materials
    for material in range(1, 8):
        world = make_world([(x, y, x % 3, material) for x in range(16) for y in range(18)], WATER)
        picture = new_picture()
        for n in (1, 5):
            draw(either, picture, [_shown(either, world, camera, view=View.MATERIALS)], n)
            found = _texels(picture.opaque)
            assert found.seen.mean() > 0.2
            expected = np.broadcast_to(materials[material].color, (int(found.seen.sum()), 3))
            np.testing.assert_allclose(found.color[found.seen] * 255, expected, atol=1)


def test_depths_stay_those_of_the_first_sample(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    shown = [_shown(either, _pond(make_world), camera)]
    first, refined = new_picture(), new_picture()
    draw(either, first, shown)
    draw(either, refined, shown, 6)
    for one, other in zip(first.images, refined.images, strict=True):
        np.testing.assert_array_equal(_texels(one).depth, _texels(other).depth)
        assert (_texels(one).color != _texels(other).color).any()
    draw(either, refined, shown)
    for one, other in zip(first.images, refined.images, strict=True):
        assert one.texels.read() == other.texels.read()


def test_two_pictures_are_refined_in_turn(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    world = _pond(make_world)
    cameras = [camera, orbit_camera((0, 0, -1), (16, 18, 2), 200, 30, SIZE[0] / SIZE[1])]
    shown = [[_shown(either, world, seen_by)] for seen_by in cameras]
    alone, in_turn = ([new_picture() for _ in cameras] for _ in range(2))
    for sample in range(3):
        for picture, worlds in zip(in_turn, shown, strict=True):
            draw(either, picture, worlds, sample + 1, first=sample)
    for picture, other, worlds in zip(alone, in_turn, shown, strict=True):
        draw(either, picture, worlds, 3)
        for one, two in zip(picture.images, other.images, strict=True):
            np.testing.assert_array_equal(_texels(one).color, _texels(two).color)


def test_samples_come_one_after_another(
    either: AnyRenderer, new_picture: Make, draw: Make, make_world: Make, camera: Camera
) -> None:
    world = _pond(make_world)
    shown, picture = _shown(either, world, camera), new_picture()
    with pytest.raises(ValueError, match="sample 1 of a picture of 0"):
        draw(either, picture, [shown], 2, first=1)
    draw(either, picture, [shown])
    world.apply(edit_of_chunks(world, {}, Palette.of({1: Material("all", (9, 9, 9))})))
    shown.pool.update(world, camera.eye)
    with pytest.raises(ValueError, match="other worlds"):
        draw(either, picture, [shown], 2, first=1)


@pytest.mark.parametrize("kind", [Renderer, BasicRenderer])
def test_pictures_leave_nothing_behind(
    kind: type[AnyRenderer], ctx: moderngl.Context, draw: Make, make_world: Make, camera: Camera, count_objects: Make
) -> None:
    before = count_objects()
    with kind(ctx) as renderer:
        picture = renderer.new_picture(SIZE)
        draw(renderer, picture, [_shown(renderer, _pond(make_world), camera)], 2)
        renderer.settled_figures()
        picture.release()
    after = count_objects()
    assert {name: after[name] for name in before if name != "Shader"} == {
        name: before[name] for name in before if name != "Shader"
    }
