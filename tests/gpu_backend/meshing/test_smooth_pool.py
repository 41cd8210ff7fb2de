# SPDX-License-Identifier: GPL-3.0-or-later
"""The pool of smooth surfaces grows, moves, frees and refuses without losing a quad."""

import struct
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend import row_pool
from voxelwright.gpu_backend.quad_pool import QuadPoolFullError
from voxelwright.gpu_backend.records import MESH_JOB, NETS_HEADER, NETS_ROW, SMOOTH_DRAW
from voxelwright.gpu_backend.smooth_pool import SmoothPool
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.world import Chunk, World, as_chunk, new_world

MakeRig = Callable[..., Any]


def noise_chunk(palette: Palette, seed: int, share: float) -> Chunk:
    solid = np.random.default_rng(seed).random((32, 32, 32)) < share
    return as_chunk(np.where(solid, palette.voxel(220), 0))


def noise_world(palette: Palette, n: int, share: float = 0.05, seed: int = 0) -> World:
    """n chunks that do not touch, of about 8,500 quads and 11,000 vertices."""
    return new_world({(2 * i, 0, -i): noise_chunk(palette, seed + i, share) for i in range(n)}, palette)


def assert_right(rig: Any) -> None:
    found, expected = rig.surfaces(), rig.expected()
    assert found.keys() == expected.keys()
    for coord in found:
        assert np.array_equal(found[coord].quads, expected[coord].quads)
        assert np.array_equal(found[coord].positions, expected[coord].positions)


def test_a_pool_that_is_too_small_grows(make_nets_rig: MakeRig, palette: Palette) -> None:
    for capacity in ((0, 0), (1 << 15, 64), (64, 1 << 15)):
        rig = make_nets_rig(capacity=capacity)
        rig.load(noise_world(palette, 2))
        rig.mesh()
        assert rig.header()["n_without_room"] > 0
        assert rig.settle() >= 1
        assert_right(rig)
        assert rig.header()["n_without_room"] == 0
        assert rig.pool.n_quads == rig.header()["n_quads"] > 0
        # Nothing is left to be done, and what is meshed again stays where it is.
        grown, draws = rig.pool._capacity, rig.draws()
        rig.mesh()
        assert rig.settle() == 0
        assert rig.pool._capacity is grown
        assert rig.draws().tobytes() == draws.tobytes()


def test_rows_without_room_keep_their_surface(make_nets_rig: MakeRig, palette: Palette) -> None:
    rig = make_nets_rig(capacity=(6_000, 6_000))
    rig.load(noise_world(palette, 1, 0.01))
    rig.mesh()
    assert rig.settle() == 0
    before, draws = rig.surfaces()[0, 0, 0], rig.draws()
    rig.load(noise_world(palette, 1, 0.1))
    rig.mesh()
    rig.mesh()  # counted once
    lacking = int((rig.state()["wanted_quads"] > 0).sum())
    assert rig.header()["n_without_room"] == lacking > 0
    assert rig.draws()[0].tobytes() == draws[0].tobytes()
    np.testing.assert_array_equal(rig.surfaces()[0, 0, 0].quads, before.quads)
    # What is small enough again needs no room.
    rig.load(noise_world(palette, 1, 0.01))
    rig.mesh()
    assert rig.header()["n_without_room"] == 0
    assert rig.settle() == 0
    assert_right(rig)


def test_random_edits(make_nets_rig: MakeRig, palette: Palette) -> None:
    rng = np.random.default_rng(3)
    rig = make_nets_rig(capacity=(2_000, 2_000))
    coords = [(x, y, 0) for x in (-1, 0) for y in (0, 1)]
    chunks: dict[Any, Chunk] = {}
    for step in range(8):
        for i in rng.choice(len(coords), 2, replace=False):
            share = rng.choice([0, 0.01, 0.05, 0.97, 1])
            chunks[coords[i]] = noise_chunk(palette, step, share) if 0 < share < 1 else int(share) * palette.voxel(220)
        rig.load(new_world(chunks, palette))
        rig.mesh()
        rig.settle()
        assert_right(rig)


def test_rows_grow(make_nets_rig: MakeRig, palette: Palette) -> None:
    rig = make_nets_rig()
    rig.load(new_world({(2 * x, 2 * y, 0): palette.voxel(220) for x in range(8) for y in range(9)}, palette))
    assert len(rig.rows) > row_pool.FIRST_ROWS
    rig.mesh(range(100))
    rig.mesh(range(100, len(rig.rows)))
    rig.settle()
    assert_right(rig)


def test_more_than_the_budget_is_refused(make_nets_rig: MakeRig, palette: Palette) -> None:
    rig = make_nets_rig(capacity=(1 << 14, 1 << 14), max_bytes=1_000_000)
    rig.load(noise_world(palette, 4))
    rig.mesh([0])
    assert rig.settle() == 0
    before = rig.surfaces()[0, 0, 0]
    rig.mesh(range(1, len(rig.rows)))
    with pytest.raises(QuadPoolFullError, match=r"smooth surfaces .* MiB may go to them; raise the budget"):
        rig.pool.finish()
    np.testing.assert_array_equal(rig.surfaces()[0, 0, 0].quads, before.quads)
    assert rig.pool.nbytes <= 1_000_000
    assert len(rig.pool.finish()) == 0  # said once
    rig.pool.max_bytes = 10_000_000
    rig.mesh()
    rig.settle()
    assert_right(rig)


def test_polling_never_waits(make_nets_rig: MakeRig, palette: Palette, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = make_nets_rig(capacity=(64, 64))
    rig.load(noise_world(palette, 1))
    with monkeypatch.context() as patch:
        patch.setattr(rig.pool._readback._gl, "passed", lambda fence: False)
        patch.setattr(SmoothPool, "_follow", None)
        rig.mesh([0])
        assert len(rig.pool.poll()) == 0
        rig.mesh([1, 2])  # after the state was copied
        assert len(rig.pool.poll()) == 0
    assert rig.pool.finish().tolist() == [0, 1, 2]
    rig.mesh()
    rig.settle()
    assert_right(rig)


def test_nothing_is_dispatched_for_nothing(
    make_nets_rig: MakeRig, monkeypatch: pytest.MonkeyPatch, palette: Palette
) -> None:
    rig = make_nets_rig()
    monkeypatch.setattr(moderngl.ComputeShader, "run", None)
    rig.load(new_world({}, palette))
    rig.pool.mesh(rig.nets_pass, np.zeros(0, MESH_JOB), palette.transparent, 0.0)
    assert len(rig.pool.poll()) == len(rig.pool.finish()) == 0
    assert rig.pool.n_rows == rig.pool.n_quads == 0


def test_clearing(make_nets_rig: MakeRig, palette: Palette) -> None:
    rig = make_nets_rig(capacity=(1_000, 1_000))
    rig.load(noise_world(palette, 1))
    rig.mesh()
    rig.pool.clear()
    assert len(rig.pool.finish()) == 0
    header = rig.header()
    assert rig.pool.n_rows == rig.pool.n_quads == header["n_quads"] == header["vertex_top"] == header["quad_top"] == 0
    rig.mesh()
    rig.settle()
    assert_right(rig)


def test_memory_that_is_short_leaves_all_as_it_was(
    make_nets_rig: MakeRig,
    palette: Palette,
    monkeypatch: pytest.MonkeyPatch,
    count_objects: Callable[[], dict[str, int]],
) -> None:
    rig = make_nets_rig(capacity=(1_000, 1_000))
    rig.load(noise_world(palette, 1))
    rig.mesh()
    objects = count_objects()

    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(row_pool, "check_errors", fail)
        with pytest.raises(VoxelwrightError, match="no memory"):
            rig.pool.finish()
    assert count_objects() == objects
    rig.mesh()
    rig.settle()
    assert_right(rig)


def test_bytes_are_those_of_all_buffers(make_nets_rig: MakeRig) -> None:
    rig = make_nets_rig(capacity=(6400, 640))
    rows = row_pool.FIRST_ROWS * (SMOOTH_DRAW.itemsize + 2 * NETS_ROW.itemsize) + 2 * NETS_HEADER.itemsize
    jobs = 4
    assert rig.pool.nbytes == 6400 * 32 + 640 * 20 + rows + jobs


def test_records_by_hand() -> None:
    header = np.array([(1, 2, 3, 4, 5, 6, (0, 0))], NETS_HEADER)
    assert header.tobytes() == struct.pack("<8I", 1, 2, 3, 4, 5, 6, 0, 0)
    assert np.array([(1, 2, 3, 4, 5, 6, 7, 0)], NETS_ROW).tobytes() == struct.pack("<8I", 1, 2, 3, 4, 5, 6, 7, 0)


def test_everything_is_released(make_nets_rig: MakeRig) -> None:
    pool = make_nets_rig().pool
    held = [*pool._buffers(), pool._readback._copy, pool._work._buffer, pool._compact]
    assert not any(isinstance(item.mglo, moderngl.InvalidObject) for item in held)
    pool.release()
    assert all(isinstance(item.mglo, moderngl.InvalidObject) for item in held)
