# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from voxelwright.gpu_backend.chunk_grid import ChunkGrid
from voxelwright.gpu_backend.records import UNIFORM_CHUNK
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.world import Coord


@pytest.fixture
def grid(ctx: moderngl.Context) -> Iterator[ChunkGrid]:
    made = ChunkGrid(ctx)
    yield made
    made.release()


@pytest.fixture
def cells_at(run_glsl: Callable[..., NDArray[np.uint32]]) -> Callable[[ChunkGrid, list[Coord]], list[int]]:
    """A function that asks the shaders' grid_cell() for chunks."""

    def ask(grid: ChunkGrid, coords: list[Coord]) -> list[int]:
        grid.upload()
        grid.bind()
        body = "put(0u, grid_cell(ivec3(int(word(0u)), int(word(1u)), int(word(2u)))));"
        defines = {"VOXEL_PAGES": 1, "PAGE_SLOTS": 1}
        items = np.array(coords, np.int32)
        return run_glsl('#include "lib/pool.glsl"', body, items, 1, defines)[:, 0].tolist()

    return ask


def test_shaders_find_what_was_put(grid: ChunkGrid, cells_at: Callable[..., list[int]]) -> None:
    rng = np.random.default_rng(1)
    low, high = (-3, 2, -7), (4, 5, 0)
    grid.cover(low, high)
    coords = [(x, y, z) for x in range(-3, 5) for y in range(2, 6) for z in range(-7, 1)]
    cells = rng.integers(0, 1 << 32, len(coords), np.uint32).tolist()
    for coord, cell in zip(coords, cells, strict=True):
        grid.put(coord, cell)
    assert cells_at(grid, coords) == cells
    assert cells_at(grid, [(-4, 2, 0), (5, 2, 0), (0, 1, 0), (0, 6, 0), (0, 2, -8), (0, 2, 1)]) == [0] * 6


def test_the_box_grows_about_what_is_there(grid: ChunkGrid, cells_at: Callable[..., list[int]]) -> None:
    grid.cover((0, 0, 0), (1, 1, 1))
    grid.put((1, 0, 1), 7)
    assert cells_at(grid, [(1, 0, 1)]) == [7]
    for corner in ((-5, -6, -7), (9, 3, 2), (0, 0, 0)):
        grid.cover(corner, corner)
        grid.put(corner, UNIFORM_CHUNK | 5)
    found = cells_at(grid, [(1, 0, 1), (-5, -6, -7), (9, 3, 2), (0, 0, 0), (1, 1, 1)])
    assert found == [7, *[UNIFORM_CHUNK | 5] * 3, 0]
    assert grid.nbytes == 4 * 15 * 10 * 10 + 32


def test_levels_are_coarser_grids_about_the_same_box(grid: ChunkGrid, run_glsl: Callable[..., Any]) -> None:
    rng = np.random.default_rng(2)
    grid.cover((-3, 2, -7), (4, 5, 0))
    grid.put((-3, 5, -7), 3)
    grid.keep_levels(3)
    cells: dict[tuple[int, Coord], int] = {(0, (-3, 5, -7)): 3}
    for high in ((4, 5, 0), (11, 6, 9)):  # the second time in a larger box
        grid.cover((0, 4, 0), high)
        for level in range(4):
            for _ in range(12):
                place = rng.integers((-3, 2, -7), np.array(high) + 1) >> level
                coord: Coord = tuple(place.tolist())
                cells[level, coord] = int(rng.integers(1, 1 << 32))
                grid.put(coord, cells[level, coord], level)
                assert grid.cell(coord, level) == cells[level, coord]
    beyond = [(k, tuple(c + d for c, d in zip(coord, (0, 0, 40), strict=True))) for k, coord in cells]
    asked = [*cells, *beyond, (4, (0, 0, 0))]
    grid.upload()
    grid.bind()
    body = "put(0u, level_cell(word(0u), ivec3(int(word(1u)), int(word(2u)), int(word(3u)))));"
    items = np.array([(k, *coord) for k, coord in asked], np.int32)
    found = run_glsl('#include "lib/pool.glsl"', body, items, 1, {"VOXEL_PAGES": 1, "PAGE_SLOTS": 1})[:, 0].tolist()
    assert found == [*cells.values(), *[0] * (len(beyond) + 1)]
    grid.keep_levels(0)
    assert grid.cell((-3, 5, -7)) == 3 and grid.nbytes == 4 * 15 * 5 * 17 + 32


def test_put_tells_whether_anything_changed(grid: ChunkGrid) -> None:
    grid.cover((0, 0, 0), (3, 3, 3))
    assert grid.put((1, 2, 3), 9)
    assert not grid.put((1, 2, 3), 9)
    assert grid.put((1, 2, 3), 0)
    assert not grid.put((50, 0, 0), 0)


def test_only_the_span_of_changed_cells_is_uploaded(grid: ChunkGrid, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    write = moderngl.Buffer.write
    monkeypatch.setattr(
        moderngl.Buffer, "write", lambda self, data, offset=0: (written.append(len(data)), write(self, data, offset))[1]
    )
    grid.cover((0, 0, 0), (9, 9, 9))
    grid.upload()
    written.clear()
    grid.upload()
    assert written == []
    grid.put((5, 5, 5), 1)
    grid.put((5, 5, 8), 1)
    grid.upload()
    assert written == [4 * 4]


def test_cleared_it_holds_nothing(grid: ChunkGrid, cells_at: Callable[..., list[int]]) -> None:
    grid.cover((0, 0, 0), (3, 3, 3))
    grid.put((1, 1, 1), 4)
    assert cells_at(grid, [(1, 1, 1)]) == [4]
    grid.clear()
    assert cells_at(grid, [(1, 1, 1), (0, 0, 0)]) == [0, 0]
    grid.cover((1, 1, 1), (1, 1, 1))
    assert cells_at(grid, [(1, 1, 1)]) == [0]
    grid.put((1, 1, 1), 6)
    assert cells_at(grid, [(1, 1, 1)]) == [6]


def test_without_memory_it_stays_as_it_was(
    grid: ChunkGrid,
    cells_at: Callable[..., list[int]],
    monkeypatch: pytest.MonkeyPatch,
    count_objects: Callable[[], dict[str, int]],
) -> None:
    def fail(*_: object) -> None:
        raise VoxelwrightError("no memory")

    grid.cover((0, 0, 0), (3, 3, 3))
    grid.put((1, 1, 1), 4)
    before = count_objects()
    with monkeypatch.context() as patch:
        patch.setattr("voxelwright.gpu_backend.buffers.check_errors", fail)
        with pytest.raises(VoxelwrightError, match="no memory"):
            grid.cover((0, 0, 0), (9, 9, 9))
    assert count_objects() == before
    assert cells_at(grid, [(1, 1, 1)]) == [4]
    grid.cover((0, 0, 0), (9, 9, 9))
    grid.put((9, 9, 9), 5)
    assert cells_at(grid, [(1, 1, 1), (9, 9, 9)]) == [4, 5]
