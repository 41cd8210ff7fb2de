# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from voxelwright.gpu_backend.residency import chunks_in_reach, nearest_chunks
from voxelwright.voxel.layout import CHUNK_SIZE
from voxelwright.voxel.limits import MAX_DRAWN_CHUNK_COORD, MAX_GRID_CELLS

HERE = np.zeros(3)


def test_the_nearest_chunks_come_first() -> None:
    coords = [(3, 0, 0), (0, 0, 0), (-3, 0, 0), (1, 1, 1), (40, 0, 0)]
    eye = np.array([3.4 * CHUNK_SIZE, 16.0, 16.0])
    assert nearest_chunks(coords, eye, 5) == [(3, 0, 0), (1, 1, 1), (0, 0, 0), (-3, 0, 0), (40, 0, 0)]
    assert nearest_chunks(coords, eye, 2) == [(3, 0, 0), (1, 1, 1)]
    assert nearest_chunks(coords, eye, 0) == []
    assert len(nearest_chunks(coords, eye, 100)) == 5
    assert nearest_chunks([], eye, 3) == []


def test_which_of_equally_near_chunks_are_taken_does_not_depend_on_their_order() -> None:
    coords = [c for c in np.ndindex(3, 3, 3) if c != (1, 1, 1)]
    middle = np.full(3, 1.5 * CHUNK_SIZE)
    for n in range(27):
        assert nearest_chunks(coords, middle, n) == nearest_chunks(coords[::-1], middle, n)


def test_all_chunks_of_a_usual_world_are_in_reach() -> None:
    coords = [(x, y, z) for x in (-5, 90) for y in (0, 60) for z in (0, 7)]
    assert chunks_in_reach(coords, np.full(3, 1e6)) == set(coords)
    assert chunks_in_reach([], HERE) == set()


@pytest.mark.parametrize("edge", [MAX_DRAWN_CHUNK_COORD, -MAX_DRAWN_CHUNK_COORD])
def test_what_float32_cannot_place_is_out_of_reach(edge: int) -> None:
    beyond = edge + np.sign(edge)
    eye = np.array([edge * CHUNK_SIZE, 0.0, 0.0])
    assert chunks_in_reach([(edge, 0, 0), (int(beyond), 0, 0)], eye) == {(edge, 0, 0)}
    assert np.float32(edge * CHUNK_SIZE) + np.float32(1) == edge * CHUNK_SIZE + 1


def test_of_chunks_far_apart_those_about_the_eye_are_in_reach() -> None:
    far = 20_000
    islands = [(0, 0, 0), (1, 0, 0), (far, far, far), (far + 1, far, far)]
    assert chunks_in_reach(islands, HERE) == {(0, 0, 0), (1, 0, 0)}
    assert chunks_in_reach(islands, np.full(3, far * CHUNK_SIZE)) == {(far, far, far), (far + 1, far, far)}


def test_the_box_of_what_is_in_reach_fits_the_grid() -> None:
    rng = np.random.default_rng(3)
    for spread in (200, 400, 5000):
        coords = [tuple(c) for c in rng.integers(-spread, spread, (500, 3)).tolist()]
        reached = chunks_in_reach(coords, rng.uniform(-spread, spread, 3) * CHUNK_SIZE)
        table = np.array([*reached, *reached])
        assert not reached or np.prod(np.ptp(table, axis=0) + 1) <= MAX_GRID_CELLS
