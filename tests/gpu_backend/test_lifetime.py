# SPDX-License-Identifier: GPL-3.0-or-later
"""What the renderer makes in the context it also frees, whatever happens."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend import buffers, row_pool, shader, target, work_list, world_renderer
from voxelwright.gpu_backend.basic_renderer import BasicRenderer
from voxelwright.gpu_backend.camera import Camera
from voxelwright.gpu_backend.context import check_errors
from voxelwright.gpu_backend.light import Light
from voxelwright.gpu_backend.passes import draw
from voxelwright.gpu_backend.renderer import Look, Renderer, Shown
from voxelwright.gpu_backend.views import View
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.world import World, edit_of_chunks

Make = Callable[..., Any]
CountObjects = Callable[[], dict[str, int]]


@pytest.fixture
def world(make_world: Make) -> World:
    """Blocks, a smooth one and glass."""
    return make_world([(0, 0, 0, 1), (1, 0, 0, 7), (4, 4, 4, 11), (40, 0, 0, 2)])


def _fail(*_: object) -> None:
    raise VoxelwrightError("no memory")


def test_everything_is_released(
    ctx: moderngl.Context, world: World, make_world: Make, front: Camera, count_objects: CountObjects
) -> None:
    before = count_objects()
    with Renderer(ctx) as made:
        made.render(world, front, 16, 16, Look(shadows=1.0, occlusion=1.0, light=Light.MAPS), samples=2)
        made.settled_figures()  # reads the time stamps, which are objects too
        working = count_objects()
        assert working["Buffer"] >= before["Buffer"] + 8
        assert working["Program"] >= before["Program"] + 8
        for view in View:
            made.render(world, front, 24, 16, Look(view), samples=1)
            made.settled_figures()
        other = make_world([(x, y, 0, 3) for x in range(0, 90, 40) for y in range(0, 90, 40)])
        made.render(other, front, 16, 16, samples=1)
        made.render(world, front, 16, 16, samples=2)
        made.settled_figures()
        assert count_objects() == working
        made.drop_pool(made.new_pool())
        assert count_objects() == working
        made.new_pool()
    assert count_objects() == before


@pytest.mark.parametrize("kind", [Renderer, BasicRenderer])
def test_framebuffers_that_are_freed_are_used_no_more(
    ctx: moderngl.Context, world: World, front: Camera, kind: type[Renderer | BasicRenderer]
) -> None:
    with kind(ctx) as made:
        pool = made.new_pool()
        finish(pool.bring(world, front.eye))
        for width in (16, 24):
            made.draw([Shown(pool, front)], width, 16)
    ctx.simple_framebuffer((4, 4)).release()  # moderngl binds again the one that was in use
    check_errors(ctx, "a framebuffer")


def test_edits_leave_nothing_behind(
    renderer: Renderer, world: World, front: Camera, palette: Any, count_objects: CountObjects
) -> None:
    renderer.render(world, front, 16, 16, samples=1)
    working = count_objects()
    rng = np.random.default_rng(2)
    for _ in range(3):
        voxels = np.where(rng.random((32, 32, 32)) < 0.5, palette.voxel(2), 0).astype(np.uint16)
        world.apply(edit_of_chunks(world, {(0, 0, 0): voxels, (0, 1, 0): int(palette.voxel(11)), (1, 0, 0): 0}))
        renderer.render(world, front, 16, 16, samples=1)
        world.apply(edit_of_chunks(world, {(0, 0, 0): 0, (0, 1, 0): 0, (1, 0, 0): voxels}))
        renderer.render(world, front, 16, 16, samples=1)
    assert count_objects() == working


def test_a_picture_beyond_memory_is_refused_and_the_next_one_drawn(
    renderer: Renderer, world: World, front: Camera, monkeypatch: pytest.MonkeyPatch, count_objects: CountObjects
) -> None:
    expected = renderer.render(world, front, 16, 16, samples=1)
    before = count_objects()
    with monkeypatch.context() as patch:
        patch.setattr(target, "check_errors", _fail)
        with pytest.raises(VoxelwrightError, match="no memory"):
            renderer.render(world, front, 32, 16, samples=1)
    assert sum(count_objects().values()) < sum(before.values())
    np.testing.assert_array_equal(renderer.render(world, front, 16, 16, samples=1), expected)
    assert count_objects() == before


def test_the_largest_picture_of_the_context_is_said(
    renderer: Renderer, front: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    able = target.capabilities(renderer._ctx)
    small = type(able)(**{name: getattr(able, name) for name in able.__slots__} | {"max_texture_edge": 64})
    monkeypatch.setattr(target, "capabilities", lambda _: small)
    with pytest.raises(VoxelwrightError, match="at most 64 pixels"):
        renderer.render(World(), front, 65, 16)
    assert renderer.render(World(), front, 64, 16).shape == (16, 64, 4)


@pytest.mark.parametrize("module", [world_renderer, draw], ids=lambda m: m.__name__)
def test_a_renderer_that_cannot_be_made_leaves_nothing(
    module: Any, ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch, count_objects: CountObjects
) -> None:
    before = count_objects()
    monkeypatch.setattr(module, "check_errors", _fail)
    with suppress(VoxelwrightError):
        Renderer(ctx).release()  # what is first made later may still fail then
    assert count_objects() == before


@pytest.mark.parametrize("module", [buffers, row_pool, work_list], ids=lambda m: m.__name__)
def test_a_world_that_finds_no_memory_is_drawn_once_there_is_some(
    module: Any,
    ctx: moderngl.Context,
    world: World,
    front: Camera,
    monkeypatch: pytest.MonkeyPatch,
    count_objects: CountObjects,
) -> None:
    before = count_objects()
    with Renderer(ctx) as other:
        expected = other.render(world, front, 16, 16, samples=1)
    with Renderer(ctx) as made:
        with monkeypatch.context() as patch:
            patch.setattr(module, "check_errors", _fail)
            with pytest.raises(VoxelwrightError, match="no memory"):
                made.render(world, front, 16, 16, samples=1)
        np.testing.assert_array_equal(made.render(world, front, 16, 16, samples=1), expected)
    assert count_objects() == before


def test_a_shader_that_the_driver_refuses_is_said_and_nothing_stays(
    ctx: moderngl.Context,
    world: World,
    front: Camera,
    monkeypatch: pytest.MonkeyPatch,
    count_objects: CountObjects,
) -> None:
    sources = shader.shader_sources()
    before = count_objects()
    with Renderer(ctx) as made:
        with monkeypatch.context() as patch:
            broken = {**sources, "resolve/smooth.comp": sources["resolve/smooth.comp"] + "\nbroken\n"}
            patch.setattr(shader, "shader_sources", lambda: broken)
            with pytest.raises(VoxelwrightError, match="refused a shader"):
                made.render(world, front, 16, 16, samples=1)
        assert made.render(world, front, 16, 16, samples=1)[..., :3].std() > 10
    # moderngl itself leaves the program that it could not compile.
    left = {kind: n for kind, n in count_objects().items() if kind not in ("Program", "Shader")}
    assert left == {kind: before[kind] for kind in left}
