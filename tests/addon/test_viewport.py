# SPDX-License-Identifier: GPL-3.0-or-later
"""Both ways into a viewport, drawn into one of Blender's off-screen buffers; tests/window has real viewports."""

from collections.abc import Iterator
from typing import Any

import gpu
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.addon.viewport import handler
from voxelwright.addon.viewport.pictures import Pictures, Seen, picture_key
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.renderer import Look
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, edit_of_chunks, new_world

SIZE = (120, 80)


@pytest.fixture(scope="module")
def drawing() -> None:
    """Skips where this Blender does not draw without a window."""
    if not hasattr(gpu, "init"):
        pytest.skip("Blender draws without a window from 5.2 on")
    try:
        gpu.init()
    except SystemError as error:
        pytest.skip(f"Blender cannot draw here: {error}")
    if gpu.platform.backend_type_get() != "OPENGL":
        pytest.skip("Blender does not draw with OpenGL here")


@pytest.fixture
def world() -> World:
    """A red block with a pane of blue glass before it, which is higher."""
    palette = Palette.of({1: Material("red", (200, 60, 40)), 2: Material("glass", (60, 60, 200), opacity=0.4)})
    voxels = np.zeros((32, 32, 32), np.uint16)
    voxels[4:20, 8:20, :8] = palette.voxel(1)
    voxels[10:14, 2:3, :12] = palette.voxel(2)
    return new_world({(0, 0, 0): voxels}, palette)


@pytest.fixture
def camera() -> Camera:
    return orbit_camera((0, 0, 0), (24, 24, 10), 30, 30, SIZE[0] / SIZE[1])


@pytest.fixture
def buffer(drawing: None) -> Iterator[Any]:
    """An off-screen buffer of Blender's, bound and cleared to black."""
    made = gpu.types.GPUOffScreen(*SIZE)
    with made.bind():
        frame = gpu.state.active_framebuffer_get()
        frame.clear(color=(0, 0, 0, 1), depth=1.0)
        yield frame
    made.free()


def _seen(world: World, camera: Camera) -> list[Seen]:
    return [Seen("world", world, camera, Look(sky=False, haze=False))]


def _pixels(frame: Any) -> NDArray[np.int64]:
    return np.array(frame.read_color(0, 0, *SIZE, 4, 0, "UBYTE").to_list()).reshape(SIZE[1], SIZE[0], 4)


def _depths(frame: Any) -> NDArray[np.float64]:
    return np.array(frame.read_depth(0, 0, *SIZE).to_list()).reshape(SIZE[1], SIZE[0])


def _draw(way: Any, seen: list[Seen]) -> None:
    for _ in range(20):
        if way.draw("region", seen, SIZE):
            return
    raise AssertionError("the world is never complete")


def test_both_ways_give_the_same_picture(buffer: Any, world: World, camera: Camera) -> None:
    from voxelwright.addon.viewport.carried import CarriedWay
    from voxelwright.addon.viewport.direct import DirectWay

    results = []
    for make in (DirectWay, CarriedWay):
        buffer.clear(color=(0, 0, 0, 1), depth=1.0)
        way = make()
        _draw(way, _seen(world, camera))
        results.append((_pixels(buffer), _depths(buffer)))
        way.release()
    (direct, direct_depth), (carried, carried_depth) = results
    assert (direct[..., 0] > 100).mean() > 0.05
    assert (np.abs(direct - carried).max(axis=2) > 1).mean() <= 0.005
    np.testing.assert_allclose(direct_depth, carried_depth, atol=1e-6)
    seen = direct[..., :3].any(axis=2)
    assert seen[direct_depth < 1].all()
    assert seen[direct_depth == 1].any()  # what one sees through leaves no depth


def test_what_lies_before_the_world_hides_it(buffer: Any, world: World, camera: Camera) -> None:
    from voxelwright.addon.viewport.direct import DirectWay

    gpu.state.depth_mask_set(True)
    buffer.clear(color=(0, 0, 0, 1), depth=0.0)
    assert not _depths(buffer).any()
    way = DirectWay()
    _draw(way, _seen(world, camera))
    assert not _pixels(buffer)[..., :3].any()
    way.release()


@pytest.mark.parametrize("fails", [False, True])
def test_drawing_directly_leaves_opengls_state_as_it_was(
    fails: bool, buffer: Any, world: World, camera: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    from voxelwright.addon.viewport import direct

    way = direct.DirectWay()
    # Blender may have freed the program in use, which is then gone for good once another one is used.
    way._state._call["glUseProgram"](0)
    before = way._state.read()
    if fails:
        monkeypatch.setattr(way._present, "run", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            way.draw("region", _seen(world, camera), SIZE)
    else:
        _draw(way, _seen(world, camera))
    after = way._state.read()
    assert {name: (before[name], after[name]) for name in before if before[name] != after[name]} == {}
    way.release()


def test_an_unchanged_picture_is_not_drawn_again(
    buffer: Any, world: World, camera: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    from voxelwright.addon.viewport.direct import DirectWay

    way = DirectWay()
    _draw(way, _seen(world, camera))
    draws: list[object] = []
    draw = way.pools.draw
    monkeypatch.setattr(way.pools, "draw", lambda *arguments: (draws.append(arguments), draw(*arguments))[1])
    _draw(way, _seen(world, camera))
    assert not draws
    world.apply(edit_of_chunks(world, {(1, 0, 0): world.palette.voxel(1)}))
    _draw(way, _seen(world, camera))
    assert draws
    way.release()


def test_pictures_depend_on_all_that_is_seen(world: World, camera: Camera) -> None:
    key = picture_key(_seen(world, camera), SIZE)
    assert key == picture_key(_seen(world, camera), SIZE)
    assert key != picture_key(_seen(world, camera), (121, 80))
    assert key != picture_key(_seen(world, Camera(camera.view * 1.001, camera.projection)), SIZE)
    world.apply(edit_of_chunks(world, {(0, 0, 0): 0}))
    assert key != picture_key(_seen(world, camera), SIZE)


def test_a_draw_that_fails_is_said_once_and_not_called_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[object] = []

    def fail(context: object) -> None:
        calls.append(context)
        raise VoxelwrightError("the card is gone")

    monkeypatch.setattr(handler, "_preview", handler._Preview())
    monkeypatch.setattr(handler, "_draw", fail)
    for _ in range(3):
        handler.draw()
    assert len(calls) == 1
    assert handler.failure() == "the card is gone"
    assert capsys.readouterr().out.count("\n") == 1
    monkeypatch.setattr(handler, "_redraw", lambda: None)
    handler.retry()
    handler.draw()
    assert len(calls) == 2


def test_worlds_that_are_gone_leave_the_graphics_card(buffer: Any, world: World, camera: Camera) -> None:
    from voxelwright.addon.viewport.carried import CarriedWay
    from voxelwright.addon.viewport.direct import DirectWay

    for make in (DirectWay, CarriedWay):
        way = make()
        _draw(way, _seen(world, camera))
        way.keep_only({"world"})
        assert way.renderer.figures().chunks == 1
        way.keep_only(set())
        assert way.renderer.figures().nbytes == 0
        assert (_pixels(buffer)[..., 0] > 100).any()  # Blender's own objects are untouched
        way.release()


def test_pictures_of_closed_regions_are_forgotten() -> None:
    pictures = Pictures()
    forgotten = [old for i in range(Pictures.MAX + 3) for old in pictures.put(i, i, f"picture {i}")]
    assert forgotten == ["picture 0", "picture 1", "picture 2"]
    assert pictures.get(0) is None and pictures.key_of(0) is None
    assert pictures[3] == "picture 3" and pictures.key_of(3) == 3
    assert len(pictures.clear()) == Pictures.MAX
