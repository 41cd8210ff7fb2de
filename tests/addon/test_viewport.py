# SPDX-License-Identifier: GPL-3.0-or-later
"""Both ways into a viewport, drawn into one of Blender's off-screen buffers; tests/window has real viewports."""

from collections.abc import Iterator
from typing import Any

import gpu
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.addon.preferences import Choices
from voxelwright.addon.quality import Quality
from voxelwright.addon.viewport import handler
from voxelwright.addon.viewport import preview as preview_module
from voxelwright.addon.viewport.pacing import REST_SECONDS
from voxelwright.addon.viewport.pictures import Pictures, Seen, picture_key
from voxelwright.addon.viewport.preview import Preview
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


def _ways() -> list[Any]:
    from voxelwright.addon.viewport.carried import CarriedWay
    from voxelwright.addon.viewport.direct import DirectWay

    return [DirectWay, CarriedWay]


def _filled(buffer: Any, way: Any, seen: list[Seen], color: tuple[float, float, float], depth: float) -> Any:
    """The picture over a wall of that colour and depth, as Blender would have drawn one before."""
    _draw(way, seen)
    gpu.state.depth_mask_set(True)
    buffer.clear(color=(*color, 1), depth=depth)
    assert way.draw("region", seen, SIZE)
    return _pixels(buffer)[..., :3]


def _glass_depths(seen: list[Seen]) -> NDArray[np.float64]:
    """(height, width) of what one sees through, 1 where there is none."""
    from voxelwright.addon.viewport.direct import DirectWay

    way = DirectWay()
    _draw(way, seen)
    with way._state.kept():
        texels = np.frombuffer(way._pictures["region"].layer.texels.read(), np.float32)
    way.release()
    return texels.reshape(*SIZE[::-1], 2)[..., 1].astype(float)


@pytest.mark.parametrize("index", [0, 1], ids=["direct", "carried"])
def test_what_one_sees_through_tints_blenders_objects(index: int, buffer: Any, world: World, camera: Camera) -> None:
    """A wall of Blender's is put behind all, between the glass and the block behind it, and before all."""
    way, seen = _ways()[index](), _seen(world, camera)
    wall = (0.1, 0.6, 0.1)
    _filled(buffer, way, seen, (0, 0, 0), 1.0)
    ground = _depths(buffer)
    glass = _glass_depths(seen)
    over_ground, over_nothing = (glass < ground) & (ground < 1), (glass < 1) & (ground == 1)
    assert over_ground.sum() > 100 and over_nothing.sum() > 50

    behind = _filled(buffer, way, seen, wall, 0.9999999)
    alone = _filled(buffer, way, seen, (0, 0, 0), 1.0)
    np.testing.assert_array_equal(behind[over_ground], alone[over_ground])
    assert (behind[(glass == 1) & (ground == 1)] == _bytes(wall)).all()
    through = behind[over_nothing].astype(int) - alone[over_nothing]
    let_through = through[:, 1] / 255 / wall[1]
    assert (let_through > 0.2).all() and (let_through <= 0.61).all() and let_through.max() > 0.5
    np.testing.assert_allclose(through[:, 0], let_through * wall[0] * 255, atol=2)

    between = (glass[over_ground].max() + ground[over_ground].min()) / 2
    assert glass[over_ground].max() < between < ground[over_ground].min()
    tinted = _filled(buffer, way, seen, wall, between)
    assert _depths(buffer)[over_ground] == pytest.approx(between, abs=1e-6)
    assert (tinted[over_ground][:, 1] > alone[over_ground][:, 1]).all()  # the wall, not the block
    assert (np.abs(tinted[over_ground].astype(int) - _bytes(wall)).max(axis=1) > 20).all()

    hidden = _filled(buffer, way, seen, wall, 0.0)
    assert (hidden == _bytes(wall)).all()
    way.release()


def _bytes(color: tuple[float, float, float]) -> NDArray[np.int64]:
    return np.round(np.array(color) * 255).astype(np.int64)


def test_the_picture_is_that_off_screen(buffer: Any, world: World, camera: Camera) -> None:
    from voxelwright.addon.viewport.direct import DirectWay

    way, seen = DirectWay(), _seen(world, camera)
    linear = _filled(buffer, way, seen, (0, 0, 0), 1.0) / 255
    made = linear ** (1 / 2.2) * 255  # as Blender's display shader shows it
    with way._state.kept():
        expected = way.renderer.render(world, camera, *SIZE, seen[0].look, samples=1)[::-1, :, :3].astype(float)
    way.release()
    bright = linear > 0.1  # in the dark the buffer's steps are coarse
    assert bright.sum() > 1000
    assert np.abs(made - expected)[bright].max() <= 3


def test_both_ways_refine_alike(buffer: Any, world: World, camera: Camera) -> None:
    results = []
    for make in _ways():
        way, seen = make(), _seen(world, camera)
        first = _filled(buffer, way, seen, (0, 0, 0), 1.0)
        assert way.n_samples("region") == 1
        for n in (2, 3, 4, 4, 4):
            gpu.state.depth_mask_set(True)
            buffer.clear(color=(0, 0, 0, 1), depth=1.0)
            assert way.draw("region", seen, SIZE, 4)
            assert way.n_samples("region") == n
        refined, depths = _pixels(buffer)[..., :3], _depths(buffer)
        assert 0.005 < (np.abs(refined - first).max(axis=2) > 4).mean() < 0.2
        # It stays while nothing changes, and begins anew where something does.
        np.testing.assert_array_equal(_filled(buffer, way, seen, (0, 0, 0), 1.0), refined)
        moved = _seen(world, Camera(camera.view * 1.001, camera.projection))
        way.draw("region", moved, SIZE, 4)
        assert way.n_samples("region") == 1
        results.append((refined, depths))
        way.release()
    (direct, direct_depth), (carried, carried_depth) = results
    assert (np.abs(direct - carried).max(axis=2) > 1).mean() <= 0.005
    np.testing.assert_allclose(direct_depth, carried_depth, atol=1e-6)


@pytest.mark.parametrize("index", [0, 1], ids=["direct", "carried"])
def test_a_smaller_picture_is_shown_by_its_nearest_pixels(
    index: int, buffer: Any, world: World, camera: Camera
) -> None:
    way, seen = _ways()[index](), _seen(world, camera)
    small = (SIZE[0] // 4, SIZE[1] // 4)
    gpu.state.depth_mask_set(True)
    for _ in range(20):
        buffer.clear(color=(0, 0, 0, 1), depth=1.0)
        if way.draw("region", seen, small):
            break
    shown, depths = _pixels(buffer)[..., :3], _depths(buffer)
    assert (shown[..., 0] > 100).mean() > 0.05
    for image in (shown, depths):
        blocks = image.reshape(small[1], 4, small[0], 4, -1)
        assert (blocks == blocks[:, :1, :, :1]).all()
    way.release()


def test_another_budget_draws_all_again(buffer: Any, world: World, camera: Camera) -> None:
    for make in _ways():
        way, seen = make(), _seen(world, camera)
        _draw(way, seen)
        way.draw("region", seen, SIZE, 2)
        assert way.n_samples("region") == 2
        way.set_budget(1 << 26)
        _draw(way, seen)
        assert way.n_samples("region") == 1
        way.release()


def test_without_compute_shaders_the_picture_is_carried_too(
    buffer: Any, world: World, camera: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    from voxelwright.addon.viewport.carried import CarriedWay
    from voxelwright.gpu_backend import tiers

    results = []
    for reason in (None, "Worlds are drawn the simple way."):
        monkeypatch.setattr(tiers, "why_basic", lambda _, reason=reason: reason)
        way = CarriedWay()
        assert way.reduced == reason
        seen = [Seen("world", world, camera, Look(blending=False, sky=False, haze=False))]
        results.append((_filled(buffer, way, seen, (0.1, 0.6, 0.1), 1.0), _depths(buffer)))
        way.release()
    (full, full_depth), (basic, basic_depth) = results
    assert (np.abs(full - basic).max(axis=2) > 8).mean() < 0.01
    assert (np.abs(full_depth - basic_depth) > 1e-4).mean() < 0.005


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

    monkeypatch.setattr(handler, "preview", Preview())
    monkeypatch.setattr(handler, "redraw_in", lambda _: None)
    monkeypatch.setattr(handler, "_draw", fail)
    for _ in range(3):
        handler.draw()
    assert len(calls) == 1
    assert handler.preview.failure == "the card is gone"
    assert capsys.readouterr().out.count("\n") == 1
    monkeypatch.setattr(handler, "redraw", lambda: None)
    handler.retry()
    handler.draw()
    assert len(calls) == 2


class SlowWay:
    """A way whose frames take 80 ms of the GPU, by their pixels; they are known at once."""

    name = "carried"

    def __init__(self) -> None:
        self.renderer = self.timers = self
        self.n_frames, self.frames, self.drawn = 0, dict[int, float](), list[tuple[Any, ...]]()

    def set_budget(self, nbytes: int) -> None: ...

    def draw(self, region: object, seen: list[Seen], size: tuple[int, int], samples: int) -> bool:
        if (key := (picture_key(seen, size), samples)) not in [drawn[0] for drawn in self.drawn[-1:]]:
            self.n_frames += 1
            self.frames[self.n_frames] = 80.0 * size[0] * size[1] / (SIZE[0] * SIZE[1])
            self.drawn.append((key, size, seen[0].look.shadows, samples))
        return True

    def n_samples(self, region: object) -> int:
        return self.drawn[-1][3]


@pytest.mark.parametrize("automatic", [True, False])
def test_the_quality_is_lowered_while_a_viewport_moves_if_that_is_wanted(
    automatic: bool, world: World, camera: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(preview_module.time, "monotonic", lambda: now[0])
    preview, way, look = Preview(), SlowWay(), Look(sky=False, haze=False, shadows=1.0)
    preview._way, preview._wanted = way, "AUTO"
    choices = Choices(quality=Quality(samples=4), automatic=automatic)

    def draw(turn: int, after: float) -> tuple[Any, ...]:
        """The size of what was drawn, its shadows and samples, and the seconds after which more is to be drawn."""
        now[0] += after
        seen = [Seen("world", world, Camera(camera.view * (1 + 0.001 * turn), camera.projection), look)]
        remains = preview.draw("region", seen, SIZE, choices, playing=False)
        return *way.drawn[-1][1:], remains

    whole = (SIZE, 1.0, 4, None)
    moving = [draw(turn, 0.02) for turn in range(12)]
    if not automatic:
        assert moving == [whole] * 12
        return
    assert moving[0] == (SIZE, 1.0, 1, pytest.approx(REST_SECONDS + 0.08))
    lowered = ((SIZE[0] // 2, SIZE[1] // 2), 1.0, 1)
    assert moving[-1] == (*lowered, pytest.approx(REST_SECONDS + 0.02))
    assert draw(11, 0.1) == (*lowered, pytest.approx(REST_SECONDS - 0.08))
    assert draw(11, REST_SECONDS) == whole
    assert draw(12, 1.0)[:3] == lowered


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


def test_pictures_change_their_size(buffer: Any, world: World, camera: Camera) -> None:
    for make in _ways():
        way, seen = make(), _seen(world, camera)
        for size in (SIZE, (SIZE[0] // 2, SIZE[1] // 2), SIZE):
            gpu.state.depth_mask_set(True)
            buffer.clear(color=(0, 0, 0, 1), depth=1.0)
            for _ in range(20):
                if way.draw("region", seen, size):
                    break
            assert (_pixels(buffer)[..., 0] > 50).any()
        assert way.figures.chunks == 1
        assert way.figures.quads > 0
        way.release()
