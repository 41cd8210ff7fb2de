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

from voxelwright.gpu_backend import basic_quads
from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Look, Renderer
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.mesh import blocky
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import AIR, Coord, World, chunks_of_cells, edit_of_chunks, new_world

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


def test_pictures_from_below_and_from_inside_are_too(basic: BasicRenderer, renderer: Renderer, hill: World) -> None:
    for low, azimuth, elevation in (((-20, -20, -12), 200, -40), ((-2, -2, -2), 120, 0)):
        camera = orbit_camera(low, np.array(low) + 16, azimuth, elevation, WIDTH / HEIGHT)
        _assert_alike(_shot(basic, hill, camera), _shot(renderer, hill, camera))


def test_nothing_trembles_far_from_the_origin(basic: BasicRenderer, hill: World) -> None:
    near = _shot(basic, hill, _camera())
    corner = (1 << 23, -(1 << 22), 1 << 20)  # whole periods of the textures
    _assert_alike(_shot(basic, _hill(corner), _camera(corner)), near)


def test_quads_have_colours_of_their_own(basic: BasicRenderer, hill: World) -> None:
    quads = _shot(basic, hill, _camera(), View.QUADS)
    faces = _shot(basic, hill, _camera(), View.FACES)
    assert len(np.unique(quads.reshape(-1, 4), axis=0)) > 10 * len(np.unique(faces.reshape(-1, 4), axis=0)) / 3


def test_blending_is_refused_in_one_sentence(basic: BasicRenderer, hill: World) -> None:
    with pytest.raises(VoxelwrightError, match=r"^Without compute shaders .*; choose another view\.$"):
        _shot(basic, hill, _camera(), View.BLEND)
    with pytest.raises(VoxelwrightError, match="pixels along each edge"):
        basic.render(hill, _camera(), 0, 10)


def test_the_records_of_materials_lie_as_the_uniform_block_has_them(basic: BasicRenderer) -> None:
    block = basic._quads.blocky.program["Materials"]
    assert isinstance(block, moderngl.UniformBlock)
    assert block.size == 256 * 48 <= 1 << 14  # of which OpenGL promises so many bytes


@pytest.fixture
def meshed(monkeypatch: pytest.MonkeyPatch) -> list[list[Coord] | None]:
    """The chunks of each call of the mesher so far; None for all."""
    calls: list[list[Coord] | None] = []
    mesh = blocky.mesh_blocky

    def noted(world: World, *, merge: bool, coords: list[Coord] | None) -> Any:
        calls.append(coords)
        return mesh(world, merge=merge, coords=coords)

    monkeypatch.setattr(blocky, "mesh_blocky", noted)
    return calls


def test_only_chunks_about_an_edit_are_meshed_again(
    basic: BasicRenderer, ctx: moderngl.Context, meshed: list[list[Coord] | None]
) -> None:
    world = _hill()
    _shot(basic, world, _camera())
    _shot(basic, world, _camera())
    assert meshed == [None]
    cells = np.argwhere(np.ones((6, 6, 6))) + np.array((64, 0, 0))
    far = chunks_of_cells(cells, np.full(len(cells), PALETTE.voxel(4), np.uint16), 10)
    for edit in (edit_of_chunks(world, far), edit_of_chunks(world, {(-1, 0, 0): AIR})):
        world.apply(edit)
        made = _shot(basic, world, _camera())
        coords = meshed[-1]
        assert coords is not None
        assert len(coords) == 27
        with BasicRenderer(ctx) as fresh:
            np.testing.assert_array_equal(made, _shot(fresh, world, _camera()))
            assert basic.figures().quads == fresh.figures().quads
    world.apply(edit_of_chunks(world, dict.fromkeys(world.coords(), AIR)))
    empty = _shot(basic, world, _camera())
    np.testing.assert_array_equal(empty, _shot(basic, World(PALETTE), _camera()))
    assert basic.figures().quads == basic.figures().chunks == basic.figures().draws == 0


def test_palettes_and_settings_are_followed(
    basic: BasicRenderer, ctx: moderngl.Context, meshed: list[list[Coord] | None]
) -> None:
    world = _hill()
    before = _shot(basic, world, _camera())
    painted = Palette.of({**dict(PALETTE.items()), 1: Material("grass", (220, 20, 20))})
    seen_through = Palette.of({**dict(painted.items()), 3: Material("stone", (128, 126, 124), opacity=0.5)})
    smoother = replace(world.settings, smoothing=1.0 - world.settings.smoothing)
    for palette, settings, n_calls in ((painted, None, 1), (seen_through, None, 2), (None, smoother, 3)):
        world.apply(edit_of_chunks(world, {}, palette, settings))
        made = _shot(basic, world, _camera())
        assert len(meshed) == n_calls
        assert (np.abs(made.astype(int) - before).max(axis=2) > 8).mean() > 0.002
        before = made
    with BasicRenderer(ctx) as fresh:
        np.testing.assert_array_equal(before, _shot(fresh, world, _camera()))


def test_of_two_panes_the_nearer_one_shows(basic: BasicRenderer, front: Camera) -> None:
    panes = Palette.of({1: Material("red", (255, 0, 0), opacity=0.5), 2: Material("blue", (0, 0, 255), opacity=0.5)})
    cells = np.array([(x, y, z) for y in (0, 4) for x in range(8) for z in range(8)])
    for near, far in ((1, 2), (2, 1)):
        voxels = np.where(cells[:, 1] == 0, panes.voxel(near), panes.voxel(far)).astype(np.uint16)
        world = new_world(chunks_of_cells(cells, voxels, 10), panes)
        red, _, blue, _ = basic.render(world, front, 32, 32, samples=1)[8:24, 8:24].reshape(-1, 4).mean(axis=0)
        assert (red > blue) == (near == 1)


def test_a_job_that_is_stopped_leaves_what_was_there(basic: BasicRenderer, hill: World) -> None:
    before, figures = _shot(basic, hill, _camera()), basic.figures()
    job = basic.rendering(_hill((64, 0, 0)), _camera(), WIDTH, HEIGHT)
    next(job)
    job.close()
    assert basic.figures().quads == figures.quads
    np.testing.assert_array_equal(_shot(basic, hill, _camera()), before)


def test_a_world_beyond_memory_is_refused_and_drawn_once_there_is_room(
    basic: BasicRenderer, hill: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    before = _shot(basic, hill, _camera())
    other = _hill((64, 0, 0))
    with monkeypatch.context() as patch:
        patch.setattr(basic_quads, "check_errors", fail)
        with pytest.raises(VoxelwrightError, match="no memory"):
            _shot(basic, other, _camera())
    assert basic.figures().quads == 0
    np.testing.assert_array_equal(_shot(basic, hill, _camera()), before)


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
        made.render(hill, _camera(), 32, 32, samples=1)
        assert count() != before
    assert count() == before


_DRAW = """
import sys
from pathlib import Path
import numpy as np
from voxelwright.gpu_backend.camera import orbit_camera
from voxelwright.gpu_backend.context import create_context
from voxelwright.gpu_backend.tiers import create_renderer
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
    np.save(file + ".npy", renderer.render(world, camera, int(width), int(height), samples=2))
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
    _assert_alike(np.load(f"{file}.npy"), _shot(renderer, hill, _camera()))
