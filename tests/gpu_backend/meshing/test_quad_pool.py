# SPDX-License-Identifier: GPL-3.0-or-later
"""The pool of quads grows, moves, frees and refuses without losing a quad."""

import struct
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest

from voxelwright.gpu_backend import quad_pool, row_pool, work_list
from voxelwright.gpu_backend.quad_pool import QuadPoolFullError
from voxelwright.gpu_backend.records import CHUNK_DRAW, MESH_HEADER, MESH_JOB, MESH_ROW, QUAD_BLOCK
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.palette import Palette
from voxelwright.voxel.world import Chunk, World, as_chunk, new_world

MakeRig = Callable[..., Any]


def noise_chunk(palette: Palette, seed: int, share: float) -> Chunk:
    rng = np.random.default_rng(seed)
    solid = rng.random((32, 32, 32)) < share
    return as_chunk(np.where(solid, rng.choice([palette.voxel(1), palette.voxel(200)], solid.shape), 0))


def noise_world(palette: Palette, n: int, share: float = 0.1, seed: int = 0) -> World:
    """n chunks of about 6 · 32768 · share faces."""
    return new_world({(2 * i, 0, -i): noise_chunk(palette, seed + i, share) for i in range(n)}, palette)


@pytest.fixture
def bare_jobs() -> np.ndarray:
    return np.zeros(0, MESH_JOB)


@pytest.mark.parametrize("merge", [False, True], ids=["single", "greedy"])
@pytest.mark.parametrize("n_quads", [1, 30_000])
def test_a_pool_that_is_too_small_grows(make_rig: MakeRig, palette: Palette, merge: bool, n_quads: int) -> None:
    rig = make_rig(merge=merge, n_quads=n_quads)
    rig.load(noise_world(palette, 4))
    rig.mesh()
    header = rig.header()
    assert header["n_without_room"] > 0
    assert rig.settle() >= 1
    assert rig.quads() == rig.expected()
    assert rig.header()["n_without_room"] == 0
    assert rig.pool.n_quads == rig.header()["n_quads"] == sum(map(len, rig.expected().values()))
    # Nothing is left to be done.
    capacity = rig.pool.capacity
    rig.mesh()
    assert rig.settle() == 0
    assert rig.pool.capacity == capacity


def test_the_same_quads_stay_where_they_are(make_rig: MakeRig, palette: Palette) -> None:
    rig = make_rig(merge=False)
    rig.load(noise_world(palette, 3))
    rig.mesh()
    rig.settle()
    draws, top = rig.draws(), rig.header()["top"]
    rig.mesh([1, 2])
    rig.settle()
    assert rig.draws().tobytes() == draws.tobytes()
    # Fewer quads stay in place, and so do more where the row's range is still as large as it was.
    rig.load(noise_world(palette, 3, 0.05))
    rig.mesh()
    np.testing.assert_array_equal(rig.draws()["quad_offset"], draws["quad_offset"])
    assert rig.quads() == rig.expected()
    rig.load(noise_world(palette, 3))
    rig.mesh()
    assert rig.draws().tobytes() == draws.tobytes()
    assert rig.header()["top"] == top
    assert rig.quads() == rig.expected()


def test_rows_without_room_keep_their_quads(make_rig: MakeRig, palette: Palette) -> None:
    rig = make_rig(merge=False, n_quads=10_000)
    rig.load(noise_world(palette, 1, 0.03))
    rig.mesh()
    assert rig.settle() == 0
    before, draws = rig.quads(), rig.draws()
    rig.load(noise_world(palette, 1, 0.3))
    rig.mesh()
    rig.mesh()  # counted once
    assert rig.header()["n_without_room"] == 1
    assert rig.draws().tobytes() == draws.tobytes()
    assert rig.quads() == before
    # What is small enough again needs no room.
    rig.load(noise_world(palette, 1, 0.03))
    rig.mesh()
    assert rig.header()["n_without_room"] == 0
    assert rig.settle() == 0
    assert rig.quads() == before == rig.expected()


def test_freed_ranges_are_used_again(make_rig: MakeRig, palette: Palette) -> None:
    rig = make_rig(merge=False, n_quads=130_016)
    rig.load(noise_world(palette, 6))
    rig.mesh()
    assert rig.settle() == 0
    quads = rig.quads()
    rig.pool.free_rows(np.array([0, 2, 3, 5], np.uint32))
    left = {coord: own for coord, own in quads.items() if rig.rows[coord] in (1, 4)}
    assert rig.quads() == left
    assert (rig.state()["capacity"] > 0).tolist() == [False, True, False, False, True, False]
    rig.load(noise_world(palette, 6, seed=1))  # into the same rows; the old quads and these are more than the pool has
    rig.mesh([0, 2, 3])
    assert rig.settle() == 1
    assert rig.pool.capacity == 130_016  # moved together, not made larger
    rig.mesh()
    rig.settle()
    assert rig.quads() == rig.expected()


def test_chunks_that_became_air_have_no_range(make_rig: MakeRig, palette: Palette) -> None:
    rig = make_rig(merge=True)
    rig.load(noise_world(palette, 3))
    rig.mesh()
    rig.load(noise_world(palette, 1))
    rig.mesh()
    assert rig.quads() == rig.expected()
    assert rig.state()["capacity"].tolist()[1:] == [0, 0]


@pytest.mark.parametrize("merge", [False, True], ids=["single", "greedy"])
def test_random_edits(make_rig: MakeRig, palette: Palette, merge: bool) -> None:
    rng = np.random.default_rng(3)
    rig = make_rig(merge=merge, n_quads=2_000)
    coords = [(x, y, 0) for x in (-1, 0, 1) for y in (0, 1)]
    chunks: dict[Any, Chunk] = {}
    for step in range(12):
        for i in rng.choice(len(coords), 3, replace=False):
            share = rng.choice([0, 0.02, 0.1, 0.3, 0.95, 1])
            chunks[coords[i]] = noise_chunk(palette, step, share) if 0 < share < 1 else int(share) * palette.voxel(1)
        rig.load(new_world(chunks, palette))
        if step % 4 == 3:
            rig.pool.free_rows(rng.choice(len(rig.rows), 2, replace=False))
        rig.mesh()
        rig.settle()
        assert rig.quads() == rig.expected(), step


def test_rows_grow(make_rig: MakeRig, palette: Palette) -> None:
    rig = make_rig(merge=True)
    chunks = {(2 * x, 2 * y, 0): palette.voxel(1) for x in range(20) for y in range(15)}
    rig.load(new_world(chunks, palette))
    rig.mesh(range(100))
    rig.mesh(range(100, 300))
    assert rig.pool.n_rows == 300 > row_pool.FIRST_ROWS
    assert rig.settle() == 0
    assert rig.quads() == rig.expected()


def test_much_work_goes_in_slices(make_rig: MakeRig, palette: Palette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_list, "ITEMS_A_DISPATCH", 3)
    rig = make_rig(merge=True, n_quads=32)
    rig.load(noise_world(palette, 8, 0.03))
    rig.mesh()
    assert rig.settle() == 1
    assert rig.quads() == rig.expected()


def test_more_than_the_budget_is_refused_until_something_is_freed(make_rig: MakeRig, palette: Palette) -> None:
    rig = make_rig(merge=False, n_quads=40_000, max_bytes=600_000)
    rig.load(noise_world(palette, 4))
    rig.mesh([0, 1])
    assert rig.settle() == 0
    before = rig.quads()
    rig.mesh([2, 3])
    with pytest.raises(QuadPoolFullError, match=r"MiB may go to them; raise the budget"):
        rig.pool.finish()
    assert rig.quads() == before
    assert rig.pool.nbytes <= 600_000
    assert len(rig.pool.finish()) == 0  # said once
    rig.pool.free_rows(np.array([0, 1], np.uint32))
    rows = rig.pool.finish()
    assert rows.tolist() == [2, 3]
    rig.mesh(rows.tolist())
    assert rig.settle() == 0
    expected = rig.expected()
    assert rig.quads() == {coord: expected[coord] for coord in rig.rows if rig.rows[coord] > 1}
    assert rig.pool.nbytes <= 600_000
    rig.pool.max_bytes = 10_000_000
    rig.mesh()
    rig.settle()
    assert rig.quads() == expected


def test_polling_never_waits(make_rig: MakeRig, palette: Palette, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = make_rig(merge=False, n_quads=32)
    rig.load(noise_world(palette, 3))
    with monkeypatch.context() as patch:
        patch.setattr(rig.pool._readback._gl, "passed", lambda fence: False)
        patch.setattr(quad_pool.QuadPool, "_follow", None)
        rig.mesh([0])
        assert len(rig.pool.poll()) == 0
        rig.mesh([1, 2])  # after the state was copied
        assert len(rig.pool.poll()) == 0
    assert rig.pool.finish().tolist() == [0, 1, 2]
    rig.mesh()
    rig.settle()
    assert rig.quads() == rig.expected()


def test_nothing_is_dispatched_for_nothing(
    make_rig: MakeRig, bare_jobs: np.ndarray, monkeypatch: pytest.MonkeyPatch, palette: Palette
) -> None:
    rig = make_rig(merge=False)
    monkeypatch.setattr(moderngl.ComputeShader, "run", None)
    rig.load(new_world({}, palette))
    rig.pool.mesh(rig.mesh_pass, bare_jobs, palette.transparent)
    rig.pool.free_rows(np.zeros(0, np.uint32))
    assert len(rig.pool.poll()) == len(rig.pool.finish()) == 0
    assert rig.pool.n_rows == rig.pool.n_quads == 0


def test_clearing(make_rig: MakeRig, palette: Palette) -> None:
    rig = make_rig(merge=True, n_quads=1000)
    rig.load(noise_world(palette, 2))
    rig.mesh()
    rig.pool.clear()
    assert len(rig.pool.finish()) == 0
    assert rig.pool.n_rows == rig.pool.n_quads == rig.header()["n_quads"] == rig.header()["top"] == 0
    rig.mesh()
    rig.settle()
    assert rig.quads() == rig.expected()


def test_memory_that_is_short_leaves_all_as_it_was(
    make_rig: MakeRig, palette: Palette, monkeypatch: pytest.MonkeyPatch, count_objects: Callable[[], dict[str, int]]
) -> None:
    rig = make_rig(merge=False, n_quads=25_000)
    rig.load(noise_world(palette, 3))
    rig.mesh([0])
    rig.settle()
    before, objects = rig.quads(), count_objects()
    rig.mesh()

    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(row_pool, "check_errors", fail)
        with pytest.raises(VoxelwrightError, match="no memory"):
            rig.pool.finish()
    assert count_objects() == objects
    assert rig.quads() == before
    rig.mesh()
    rig.settle()
    assert rig.quads() == rig.expected()


def test_bytes_are_those_of_all_buffers(make_rig: MakeRig) -> None:
    rig = make_rig(merge=False, n_quads=6400)
    rows = row_pool.FIRST_ROWS * (CHUNK_DRAW.itemsize + 2 * MESH_ROW.itemsize) + 2 * MESH_HEADER.itemsize
    jobs = 4
    assert rig.pool.nbytes == 6400 * 8 + 6400 // QUAD_BLOCK * 4 + rows + jobs


def test_records_by_hand() -> None:
    header = np.array([(1, 2, 3, 4, (0, 0, 0, 0))], MESH_HEADER)
    assert header.tobytes() == struct.pack("<8I", 1, 2, 3, 4, 0, 0, 0, 0)
    assert np.array([(5, 6)], MESH_ROW).tobytes() == struct.pack("<2I", 5, 6)
    assert np.array([((-1, 2, -3), 4)], MESH_JOB).tobytes() == struct.pack("<3iI", -1, 2, -3, 4)


def test_everything_is_released(make_rig: MakeRig, palette: Palette) -> None:
    pool = make_rig(merge=False).pool
    held = [*pool._buffers(), pool._readback._copy, pool._work._buffer, pool._compact, pool._free]
    assert not any(isinstance(item.mglo, moderngl.InvalidObject) for item in held)
    pool.release()
    assert all(isinstance(item.mglo, moderngl.InvalidObject) for item in held)
