# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame in which nothing changed costs the CPU the same however large the world is, and meshes nothing."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest

import voxelwright.gpu_backend
from voxelwright.gpu_backend import timers
from voxelwright.gpu_backend.camera import Camera, orbit_camera
from voxelwright.gpu_backend.pool import WorldPool
from voxelwright.gpu_backend.renderer import Renderer, Shown
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.world import World, edit_of_chunks, new_world

ROOM = str(Path(voxelwright.gpu_backend.__file__).parent.parent)
CAMERA = orbit_camera((0, 0, 0), (128, 128, 128), 30, 30, 1.0)


class Counts:
    """lines of the package's Python that were run, and calls into compiled code, of which moderngl's apart."""

    def __init__(self) -> None:
        self.lines = self.calls = self.gl_calls = 0

    def trace(self, frame: Any, event: str, _: object) -> Any:
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        self.lines += event == "line"
        return self.trace

    def profile(self, _: object, event: str, argument: Any) -> None:
        if event == "c_call":
            self.calls += 1
            self.gl_calls += type(getattr(argument, "__self__", None)).__module__ == "mgl"

    @contextmanager
    def counting(self) -> Iterator[None]:
        before = sys.gettrace(), sys.getprofile()
        sys.setprofile(self.profile)
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(before[0])
            sys.setprofile(before[1])


def _cube_world(edge: int, palette: Palette) -> World:
    """edge³ chunks: every other one noise with a smooth voxel, the others of one value."""
    voxels = np.where(np.random.default_rng(1).random((32, 32, 32)) < 0.1, palette.voxel(1), 0).astype(np.uint16)
    voxels[4:8, 4:8, 4:8] = palette.voxel(11)
    voxels[20, 20, 20] = palette.voxel(7)
    chunks = {c: voxels if sum(c) % 2 else palette.voxel(2) for c in np.ndindex(edge, edge, edge)}
    return new_world(chunks, palette)


def _at_rest(renderer: Renderer, world: World) -> WorldPool:
    pool = renderer.new_pool()
    finish(pool.bring(world, CAMERA.eye))
    return pool


def test_the_second_frame_takes_the_same_calls_for_eight_times_the_chunks(
    ctx: moderngl.Context, palette: Palette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "AVERAGED_SECONDS", 1e9)  # else old times are dropped, one now and then
    found = []
    for edge in (2, 4):
        with Renderer(ctx) as renderer:
            world = _cube_world(edge, palette)
            pool = _at_rest(renderer, world)
            previous = ctx.detect_framebuffer()
            for _ in range(2):
                pool.update(world, CAMERA.eye)
                renderer.draw([Shown(pool, CAMERA)], 32, 32)
                ctx.finish()
            counts = Counts()
            with counts.counting():
                pool.update(world, CAMERA.eye)
                renderer.draw([Shown(pool, CAMERA)], 32, 32)
            previous.use()
            assert pool.n_chunks >= edge**3
            found.append((counts.lines, counts.calls, counts.gl_calls))
    assert found[0] == found[1]
    assert found[0][2] > 20


@pytest.fixture
def gpu_work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is dispatched and what is written to buffers, by the names of moderngl's methods."""
    done: list[str] = []

    def watch(kind: type, name: str) -> None:
        original: Callable[..., Any] = getattr(kind, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            done.append(f"{kind.__name__}.{name}")
            return original(*args, **kwargs)

        monkeypatch.setattr(kind, name, watched)

    for kind, name in (
        (moderngl.ComputeShader, "run"), (moderngl.Buffer, "write"), (moderngl.Buffer, "orphan"),
        (moderngl.Buffer, "read"), (moderngl.Context, "copy_buffer"), (moderngl.Context, "buffer"),
    ):  # fmt: skip
        watch(kind, name)
    return done


def test_an_update_of_an_unchanged_world_does_nothing(
    renderer: Renderer, palette: Palette, gpu_work: list[str]
) -> None:
    world = _cube_world(2, palette)
    pool = _at_rest(renderer, world)
    assert "ComputeShader.run" in gpu_work
    gpu_work.clear()
    elsewhere = orbit_camera((900, 0, 0), (950, 128, 128), 80, 10, 1.0)
    for camera in (CAMERA, elsewhere, CAMERA):
        assert pool.update(world, camera.eye)
    assert gpu_work == []


def test_only_what_changed_is_uploaded_and_meshed(
    renderer: Renderer, palette: Palette, gpu_work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = _cube_world(4, palette)
    pool = _at_rest(renderer, world)
    meshed: list[int] = []
    run = type(pool._mesh_pass).run
    monkeypatch.setattr(type(pool._mesh_pass), "run", lambda s, n, t: (meshed.append(n), run(s, n, t))[1])
    written: list[int] = []
    write = type(pool._pages).write
    monkeypatch.setattr(type(pool._pages), "write", lambda s, slot, v: (written.append(slot), write(s, slot, v))[1])
    chunk = np.array(world.chunk((1, 1, 1)))
    chunk[3, 3, 3] = palette.voxel(4)
    world.apply(edit_of_chunks(world, {(1, 1, 1): chunk}))
    finish(pool.bring(world, CAMERA.eye))
    assert len(written) == 1
    assert meshed == [7]  # it and its six neighbours


def test_a_frame_dispatches_as_often_for_every_world(
    ctx: moderngl.Context, palette: Palette, gpu_work: list[str], front: Camera
) -> None:
    counts = []
    for edge in (1, 3):
        with Renderer(ctx) as renderer:
            world = _cube_world(edge, palette) if edge > 1 else _cube_world(2, palette)
            pool = _at_rest(renderer, world)
            previous = ctx.detect_framebuffer()
            renderer.draw([Shown(pool, front)], 16, 16)
            gpu_work.clear()
            renderer.draw([Shown(pool, front)], 16, 16)
            previous.use()
            counts.append(list(gpu_work))
    assert counts[0] == counts[1]
