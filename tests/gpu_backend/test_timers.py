# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Callable

import moderngl
import pytest

from voxelwright.gpu_backend import timers
from voxelwright.gpu_backend.camera import Camera
from voxelwright.gpu_backend.gl import GlFunctions
from voxelwright.gpu_backend.renderer import Figures, Renderer
from voxelwright.gpu_backend.timers import FrameTimers
from voxelwright.voxel.world import World


class FakeGl:
    """Time stamps that the GPU passes when it is told to; they say their own number in milliseconds."""

    def __init__(self) -> None:
        self.n_made, self.passed, self.alive = 0, 0, set[int]()

    def time_stamp(self) -> int:
        self.n_made += 1
        self.alive.add(self.n_made)
        return self.n_made

    def nanoseconds(self, query: int) -> int | None:
        assert query in self.alive
        return query * query * 1_000_000 if query <= self.passed else None

    def delete_query(self, query: int) -> None:
        self.alive.remove(query)


@pytest.fixture
def gl() -> FakeGl:
    return FakeGl()


@pytest.fixture
def made(gl: FakeGl) -> FrameTimers:
    return FrameTimers(gl)  # type: ignore[arg-type]


def test_times_are_there_once_the_gpu_has_passed_them(gl: FakeGl, made: FrameTimers) -> None:
    for name in ("draw", "shade", "draw"):
        with made.stage(name):
            pass
    made.collect()
    assert made.gpu_milliseconds() == {}
    assert set(made.cpu_milliseconds()) == {"draw", "shade"}
    gl.passed = 3  # the end of the second stage is the fourth
    made.collect()
    assert made.gpu_milliseconds() == {"draw": 3.0}
    gl.passed = 6
    made.collect()
    assert made.gpu_milliseconds() == {"draw": (3 + 11) / 2, "shade": 7.0}
    assert not gl.alive


def test_old_times_are_left_out(gl: FakeGl, made: FrameTimers, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(timers.time, "perf_counter", lambda: now)
    gl.passed = 100
    for step in (0.0, 4.0, 4.0):
        now += step
        with made.stage("draw"):
            pass
        made.collect()
    assert made.gpu_milliseconds() == {"draw": (7 + 11) / 2}  # the first, 3, is more than 5 s old


def test_a_stage_that_fails_is_timed_too(gl: FakeGl, made: FrameTimers) -> None:
    with pytest.raises(ValueError, match="no"), made.stage("draw"):
        raise ValueError("no")
    gl.passed = 2
    made.collect()
    assert made.gpu_milliseconds() == {"draw": 3.0}


def test_frames_are_timed_by_their_numbers(gl: FakeGl, made: FrameTimers) -> None:
    for _ in range(3):
        with made.frame(), made.stage("draw"):
            pass
    assert (made.n_frames, made.frames) == (3, {})
    gl.passed = 8  # two frames of four time stamps
    made.collect()
    assert made.frames == {1: 15.0, 2: 64.0 - 25.0}
    assert made.gpu_milliseconds() == {"draw": (5.0 + 13.0) / 2}
    gl.passed = 1000
    for _ in range(timers.KEPT_FRAMES):
        with made.frame():
            pass
    made.collect()
    assert list(made.frames) == list(range(4, 4 + timers.KEPT_FRAMES))
    assert not gl.alive


def test_release_frees_what_was_not_read(gl: FakeGl, made: FrameTimers) -> None:
    for _ in range(3):
        with made.stage("draw"):
            pass
    made.release()
    assert not gl.alive
    made.collect()


def test_the_drivers_own_time_stamps_and_fences(
    ctx: moderngl.Context, count_objects: Callable[[], dict[str, int]]
) -> None:
    gl = GlFunctions(ctx)
    before = count_objects()
    made = FrameTimers(gl)
    with made.stage("nothing"):
        pass
    fence = gl.fence()
    ctx.finish()
    assert gl.passed(fence)
    gl.delete_fence(fence)
    made.collect()
    assert made.gpu_milliseconds()["nothing"] >= 0
    assert count_objects() == before


def test_figures_of_a_frame(renderer: Renderer, make_world: Callable[..., World], front: Camera) -> None:
    world = make_world([(0, 0, 0, 1), (40, 0, 0, 2), (5, 5, 5, 11)])
    renderer.render(world, front, 16, 16, samples=3)
    figures = renderer.settled_figures()
    assert figures.chunks == 2
    assert figures.quads >= 12
    assert figures.draws >= 3
    assert figures.nbytes > 2 * 65_536
    for table in (figures.gpu_milliseconds, figures.cpu_milliseconds):
        assert {"cull", "draw", "resolve", "shade", "sky"} <= set(table)
        assert all(value >= 0 for value in table.values())


def test_figures_as_text() -> None:
    text = Figures(7, 1234, 42, 5 << 20, {"draw": 1.5}, {"draw": 0.25}).text()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines == ["chunks 7", "quads 1,234", "draws 42", "memory 5.0 MiB", "draw 1.500 ms GPU 0.250 ms CPU"]
