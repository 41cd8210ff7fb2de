# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunk is where, for shaders: a dense grid over the box of all chunks."""

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import CHUNK_SIZE
from ..voxel.world import Coord
from .buffers import new_buffer
from .records import WORLD_GRID, StorageBinding, UniformBinding

_CELL_BYTES = 4


class ChunkGrid:
    """Cells as records.UNIFORM_CHUNK says. The box only grows; clear() makes it empty.

    Levels of detail, where they are kept, are coarser grids over the same box: cell (x, y, z) of one is about the cells
    (2x … 2x + 1, …) of that before it, and 0 where it has no chunk.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._n_levels = 0
        self._changed: tuple[int, int] | None = None  # the span of cells to be uploaded
        self._buffer = new_buffer(ctx, _CELL_BYTES)
        self._place = ctx.buffer(np.zeros((), WORLD_GRID).tobytes())
        self._lay_out(np.zeros(3, np.int64), np.zeros(3, np.int64))

    @property
    def box(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """(3,) each: the box's lowest and highest corner in voxel space; None where it is empty."""
        origin, cells = self._origins[0], self._cells[0]
        return (origin * CHUNK_SIZE, (origin + cells.shape) * CHUNK_SIZE) if cells.size else None

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._buffer.size + self._place.size

    def cover(self, low: Coord, high: Coord) -> None:
        """Make the box reach from low to high (inclusive) at least. Raises VoxelwrightError where graphics memory is
        short."""
        first, end = np.array(low, np.int64), np.array(high, np.int64) + 1
        if self._cells[0].size:
            first = np.minimum(first, self._origins[0])
            end = np.maximum(end, self._origins[0] + self._cells[0].shape)
        if tuple(end - first) != self._cells[0].shape:
            self._rebuild(first, end, self._n_levels)

    def keep_levels(self, n: int) -> None:
        """Have so many levels of detail, of which those that were not there have no chunk. Raises as cover()."""
        if n != self._n_levels:
            self._rebuild(self._origins[0], self._origins[0] + self._cells[0].shape, n)

    def put(self, coord: Coord, cell: int, level: int = 0) -> bool:
        """Set a cell; whether it was another. Where it lies outside the box it must be 0, and stays so."""
        index = self._index(coord, level)
        if index is None:
            assert cell == 0, "the grid does not cover this chunk"
            return False
        if self._flat[index] == cell:
            return False
        self._flat[index] = cell
        first, end = self._changed or (index, index + 1)
        self._changed = min(first, index), max(end, index + 1)
        return True

    def cell(self, coord: Coord, level: int = 0) -> int:
        """A cell; 0 outside the box."""
        index = self._index(coord, level)
        return 0 if index is None else int(self._flat[index])

    def clear(self) -> None:
        """Forget all chunks."""
        self._lay_out(np.zeros(3, np.int64), np.zeros(3, np.int64))
        self._write_place()
        self._changed = None

    def upload(self) -> None:
        """Upload the cells that changed."""
        if self._changed is not None:
            first, end = self._changed
            self._buffer.write(self._flat[first:end].tobytes(), first * _CELL_BYTES)
            self._changed = None

    def bind(self) -> None:
        """Bind the cells and where they lie to their binding points."""
        self._buffer.bind_to_storage_buffer(StorageBinding.GRID)
        self._place.bind_to_uniform_block(UniformBinding.WORLD_GRID)

    def release(self) -> None:
        """Free the buffers."""
        self._buffer.release()
        self._place.release()

    def _index(self, coord: Coord, level: int) -> int | None:
        """Where a cell lies among all."""
        x, y, z = (c - o for c, o in zip(coord, self._origins[level].tolist(), strict=True))
        nx, ny, nz = self._cells[level].shape
        if not (0 <= x < nx and 0 <= y < ny and 0 <= z < nz):
            return None
        return self._starts[level] + (x * ny + y) * nz + z

    def _rebuild(self, first: NDArray[np.int64], end: NDArray[np.int64], n_levels: int) -> None:
        """Move to a larger box, or to another number of levels."""
        sizes = _level_sizes(first, end, n_levels)
        buffer = new_buffer(self._ctx, max(sum(int(np.prod(size)) for size in sizes), 1) * _CELL_BYTES)
        old_cells, old_origins = self._cells, self._origins
        self._n_levels = n_levels
        self._lay_out(first, end)
        for cells, origin, old, old_origin in zip(self._cells, self._origins, old_cells, old_origins, strict=False):
            low = old_origin - origin
            cells[tuple(map(slice, low, low + old.shape))] = old
        self._buffer.release()
        self._buffer = buffer
        self._write_place()
        self._changed = 0, self._flat.size

    def _lay_out(self, first: NDArray[np.int64], end: NDArray[np.int64]) -> None:
        """Cells of zeros for a box and its levels, one grid behind the other."""
        sizes = _level_sizes(first, end, self._n_levels)
        counts = [int(np.prod(size)) for size in sizes]
        self._starts = [sum(counts[:level]) for level in range(len(counts))]
        self._flat = np.zeros(sum(counts), np.uint32)
        self._origins = [first >> level for level in range(len(sizes))]
        self._cells = [
            self._flat[start : start + n].reshape(size)
            for start, n, size in zip(self._starts, counts, sizes, strict=True)
        ]

    def _write_place(self) -> None:
        place = np.zeros((), WORLD_GRID)
        place["origin"][:3] = self._origins[0]
        place["size"] = *self._cells[0].shape, self._n_levels
        self._place.write(place.tobytes())


def _level_sizes(first: NDArray[np.int64], end: NDArray[np.int64], n_levels: int) -> list[tuple[int, ...]]:
    """How many cells each level has about a box of chunks, the world's own first."""
    return [tuple((((end - 1) >> k) - (first >> k) + 1).tolist()) for k in range(n_levels + 1)]
