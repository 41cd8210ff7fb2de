# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures without compute shaders, held to those of the main renderer without blending."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.light import Light
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import Coord, World, chunks_of_cells, edit_of_chunks, new_world

WIDTH, HEIGHT = 192, 108

PALETTE = Palette.of(
    {
        1: Material("grass", (98, 146, 58), texture="grass"),
        2: Material("sand", (222, 200, 142), texture="bricks", texture_contrast=1.0),
        3: Material("stone", (128, 126, 124), roughness=0.8, texture="rock"),
        4: Material("snow", (200, 204, 210), texture="bricks", texture_contrast=1.0, smooth=True),
        5: Material("glass", (52, 118, 158), roughness=0.15, opacity=0.6),
        6: Material("lamp", (255, 110, 50), emission=3.0),
        7: Material("gold", (255, 200, 90), roughness=0.3, metallic=1.0),
    }
)

VIEW = 32.0, 24.0
"""Azimuth and elevation."""


def _hill(corner: Coord = (0, 0, 0)) -> World:
    """A hill of 40 × 40 × 25 voxels about the corner of eight chunks, with a smooth top and a pool of glass."""
    x, y, z = np.indices((40, 40, 25))
    height = 3 + 21 * np.exp(-((x - 19.0) ** 2 + (y - 21.0) ** 2) / 180) + ((x * 7 + y * 13) % 5 == 0)
    material = np.where(z < height, np.select([height > 18, height > 12, height > 7], [4, 3, 1], 2), 0)
    material[(material == 0) & (z < 5)] = 5
    material[4:9, 7:12, 12:17] = 6
    material[31:36, 7:12, 12:17] = 7
    cells = np.argwhere(material > 0) - (20, 20, 12) + corner
    voxels = np.array([PALETTE.voxel(int(i)) if i else 0 for i in range(8)], np.uint16)[material[material > 0]]
    return new_world(chunks_of_cells(cells, voxels, 100), PALETTE)


def _camera(corner: Coord = (0, 0, 0)) -> Camera:
    low = np.array(corner) - (20, 20, 12)
    return orbit_camera(low, low + np.array((40, 40, 25)), *VIEW, WIDTH / HEIGHT)


@pytest.fixture(scope="module")
def hill() -> World:
    return _hill()


@pytest.fixture
def basic(ctx: moderngl.Context) -> Iterator[BasicRenderer]:
    with BasicRenderer(ctx) as made:
        yield made


def _shot(renderer: Renderer | BasicRenderer, world: World, camera: Camera, view: View = View.LIT) -> Any:
    return renderer.render(world, camera, WIDTH, HEIGHT, Look(view=view, blending=False), samples=2)


def _assert_alike(made: NDArray[np.uint8], expected: NDArray[np.uint8]) -> None:
    """Alike but for rounding, and for what lies at the very edge of a face."""
    difference = np.abs(made.astype(int) - expected).max(axis=2)
    assert difference.mean() < 0.25
    assert (difference > 8).mean() < 0.002


@pytest.mark.parametrize("view", [View.LIT, View.FACES, View.CHUNKS, View.NORMALS])
def test_pictures_are_those_of_the_main_renderer(
    view: View, basic: BasicRenderer, renderer: Renderer, hill: World
) -> None:
    camera = _camera()
    _assert_alike(_shot(basic, hill, camera, view), _shot(renderer, hill, camera, view))


def test_orthographic_pictures_are_too(
    basic: BasicRenderer, renderer: Renderer, hill: World, flat: Callable[..., Camera]
) -> None:
    camera = flat(_camera(), 24.0)
    _assert_alike(_shot(basic, hill, camera), _shot(renderer, hill, camera))


def test_pictures_of_mirrored_worlds_are_too(basic: BasicRenderer, renderer: Renderer, hill: World) -> None:
    seen = _camera()
    camera = Camera(seen.view @ np.diag((1.0, -1.0, 1.0, 1.0)), seen.projection)
    _assert_alike(_shot(basic, hill, camera), _shot(renderer, hill, camera))


def test_pictures_from_below_and_from_inside_are_too(basic: BasicRenderer, renderer: Renderer, hill: World) -> None:
    for low, azimuth, elevation in (((-20, -20, -12), 200, -40), ((-2, -2, -2), 120, 0)):
        camera = orbit_camera(low, np.array(low) + 16, azimuth, elevation, WIDTH / HEIGHT)
        _assert_alike(_shot(basic, hill, camera), _shot(renderer, hill, camera))


def _frame(renderer: Renderer | BasicRenderer, worlds: list[World], cameras: list[Camera], looks: list[Look]) -> Any:
    """(HEIGHT, WIDTH, 4): a frame's light with the layer over it, and the nearest depth of both."""
    pools = [renderer.new_pool() for _ in worlds]
    for pool, world, camera in zip(pools, worlds, cameras, strict=True):
        finish(pool.bring(world, camera.eye))
    shown = [Shown(*parts) for parts in zip(pools, cameras, looks, strict=True)]
    previous = renderer._ctx.detect_framebuffer()
    target = renderer.draw(shown, WIDTH, HEIGHT)
    previous.use()
    light = np.frombuffer(target.light.read(), np.float16).reshape(HEIGHT, WIDTH, 4).astype(float)
    depth = np.frombuffer(target.depth.read(), np.float32).reshape(HEIGHT, WIDTH).astype(float)
    if target.has_layer:
        layer = np.frombuffer(target.layer.light.read(), np.float16).reshape(HEIGHT, WIDTH, 4).astype(float)
        light = layer + light * (1 - layer[..., 3:])
        depth = np.minimum(depth, np.frombuffer(target.layer.depth.read(), np.float32).reshape(HEIGHT, WIDTH))
    return np.concatenate([light[..., :3], depth[..., None]], axis=-1)


@pytest.mark.parametrize("order", [1, -1])
def test_several_worlds_are_drawn_as_by_the_main_renderer(
    order: int, basic: BasicRenderer, renderer: Renderer, hill: World
) -> None:
    """One of them turned, smaller, with another palette and another look, half within the other."""
    a = np.radians(40)
    model = np.array([(np.cos(a), -np.sin(a), 0, 6), (np.sin(a), np.cos(a), 0, -9), (0, 0, 1, 2), (0, 0, 0, 2)]) / 2
    camera = _camera()
    second = Camera(camera.view @ model, camera.projection)
    other = _hill()
    palette = Palette.of({**dict(PALETTE.items()), 5: Material("ruby", (200, 20, 20), opacity=0.4)})
    other.apply(edit_of_chunks(other, {}, palette))
    looks = [Look(blending=False, haze=False), Look(blending=False, sun_direction=(1, 0, 1))]
    for one in (looks, [Look(View.FACES), Look(blending=False)]):
        parts = [[hill, other][::order], [camera, second][::order], one[::order]]
        made, expected = _frame(basic, *parts), _frame(renderer, *parts)
        off = np.abs(made - expected)
        assert (off[..., :3].max(axis=2) > 0.03).mean() < 0.01
        assert (off[..., 3] > 1e-4).mean() < 0.005
        assert (off[..., 3] > 1e-2).mean() < 0.002


@pytest.mark.parametrize("haze", [False, True])
def test_haze_is_as_the_look_says(haze: bool, basic: BasicRenderer, renderer: Renderer, hill: World) -> None:
    look, camera = Look(blending=False, haze=haze), _camera()
    made, expected = (each.render(hill, camera, WIDTH, HEIGHT, look, samples=2) for each in (basic, renderer))
    _assert_alike(made, expected)
    other = basic.render(hill, camera, WIDTH, HEIGHT, replace(look, haze=not haze), samples=2)
    assert (np.abs(made.astype(int) - other).max(axis=2) > 1).mean() > 0.1


@pytest.mark.parametrize("view", [View.BLEND, View.LEVELS])
def test_a_frame_for_a_view_of_what_is_left_out_is_lit(view: View, basic: BasicRenderer, hill: World) -> None:
    lit, shown = (_frame(basic, [hill], [_camera()], [Look(each)]) for each in (View.LIT, view))
    np.testing.assert_array_equal(lit, shown)


def test_nothing_trembles_far_from_the_origin(basic: BasicRenderer, hill: World) -> None:
    near = _shot(basic, hill, _camera())
    corner = (1 << 23, -(1 << 22), 1 << 20)  # whole periods of the textures
    _assert_alike(_shot(basic, _hill(corner), _camera(corner)), near)


def test_quads_have_colours_of_their_own(basic: BasicRenderer, hill: World) -> None:
    quads = _shot(basic, hill, _camera(), View.QUADS)
    faces = _shot(basic, hill, _camera(), View.FACES)
    assert len(np.unique(quads.reshape(-1, 4), axis=0)) > 10 * len(np.unique(faces.reshape(-1, 4), axis=0)) / 3


def test_what_is_left_out_is_refused_in_one_sentence(basic: BasicRenderer, hill: World) -> None:
    with pytest.raises(VoxelwrightError, match=r"^Without compute shaders .*; choose another view\.$"):
        _shot(basic, hill, _camera(), View.BLEND)
    with pytest.raises(VoxelwrightError, match="pixels along each edge"):
        basic.render(hill, _camera(), 0, 10)


def test_the_records_of_materials_lie_as_the_uniform_block_has_them(basic: BasicRenderer) -> None:
    block = basic._programs[0]["Materials"]
    assert isinstance(block, moderngl.UniformBlock)
    assert block.size == 256 * 48 <= 1 << 14  # of which OpenGL promises so many bytes


def test_of_two_panes_the_nearer_one_shows(basic: BasicRenderer, front: Camera) -> None:
    panes = Palette.of({1: Material("red", (255, 0, 0), opacity=0.5), 2: Material("blue", (0, 0, 255), opacity=0.5)})
    cells = np.array([(x, y, z) for y in (0, 4) for x in range(8) for z in range(8)])
    for near, far in ((1, 2), (2, 1)):
        voxels = np.where(cells[:, 1] == 0, panes.voxel(near), panes.voxel(far)).astype(np.uint16)
        world = new_world(chunks_of_cells(cells, voxels, 10), panes)
        red, _, blue, _ = basic.render(world, front, 32, 32, samples=1)[8:24, 8:24].reshape(-1, 4).mean(axis=0)
        assert (red > blue) == (near == 1)


def test_figures_tell_what_is_drawn(basic: BasicRenderer, renderer: Renderer, hill: World) -> None:
    for each in (basic, renderer):
        _shot(each, hill, _camera())
    found, expected = basic.settled_figures(), renderer.settled_figures()
    assert found.quads == expected.quads > 1000
    assert found.draws == 4  # two kinds, opaque and transparent
    assert found.nbytes > 20 * found.quads
    assert found.gpu_milliseconds.keys() == found.cpu_milliseconds.keys() >= {"draw", "accumulate"}
    assert "quads" in found.text()


def test_release_frees_everything(
    ctx: moderngl.Context, hill: World, count_objects: Callable[[], dict[str, int]]
) -> None:
    def count() -> dict[str, int]:
        # Mesa keeps shaders of programs that are gone already. moderngl deletes them where it links.
        return {kind: n for kind, n in count_objects().items() if kind != "Shader"}

    before = count()
    with BasicRenderer(ctx) as made:
        _shot(made, hill, _camera())
        made.render(hill, _camera(), 32, 32, Look(shadows=1.0, occlusion=1.0), samples=1)
        assert count() != before
    assert count() == before


_DRAW = """
import sys
from pathlib import Path
import numpy as np
from voxelwright.gpu_backend.camera import orbit_camera
from voxelwright.gpu_backend.context import create_context
from voxelwright.gpu_backend.tiers import create_renderer
from voxelwright.gpu_backend.world_renderer import Look
from voxelwright.voxel import kernels
from voxelwright.voxel.storage import world_from_bytes
cache, file, width, height, azimuth, elevation = sys.argv[1:]
kernels.use_cache(Path(cache))
world = world_from_bytes(Path(file).read_bytes()).world
low, high = world.bounds()
camera = orbit_camera(low, np.array(high) + 1, float(azimuth), float(elevation), int(width) / int(height))
ctx = create_context()
renderer, reason = create_renderer(ctx)
with renderer:
    look = Look(shadows=1.0, occlusion=1.0)
    np.save(file + ".npy", renderer.render(world, camera, int(width), int(height), look, samples=2))
print(type(renderer).__name__, ctx.version_code, ctx.error)
print(reason)
"""


def test_opengl_4_1_draws_the_same_picture(
    ctx: moderngl.Context, renderer: Renderer, hill: World, project_root: Path, tmp_path: Path
) -> None:
    if sys.platform != "linux" or "Mesa" not in ctx.info["GL_VERSION"]:
        pytest.skip("only Mesa can be told to be older")
    file = tmp_path / "hill.vxw"
    file.write_bytes(world_to_bytes(hill))
    older = {**os.environ, "MESA_GL_VERSION_OVERRIDE": "4.1", "MESA_GLSL_VERSION_OVERRIDE": "410"}
    values = (project_root / "build" / "kernel-cache", file, WIDTH, HEIGHT, *VIEW)
    done = subprocess.run(
        [sys.executable, "-c", _DRAW, *map(str, values)], env=older, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    said, reason = done.stdout.splitlines()
    assert said == "BasicRenderer 410 GL_NO_ERROR"
    assert "has OpenGL 4.1" in reason
    look = Look(blending=False, shadows=1.0, occlusion=1.0, light=Light.MAPS)
    _assert_alike(np.load(f"{file}.npy"), renderer.render(hill, _camera(), WIDTH, HEIGHT, look, samples=2))
