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
    """Cells as records.UNIFORM_CHUNK says. The box only grows; clear() makes it empty."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._cells = np.zeros((0, 0, 0), np.uint32)
        self._origin = np.zeros(3, np.int64)
        self._changed: tuple[int, int] | None = None  # the span of cells to be uploaded
        self._buffer = new_buffer(ctx, _CELL_BYTES)
        self._place = ctx.buffer(np.zeros((), WORLD_GRID).tobytes())

    @property
    def box(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """(3,) each: the box's lowest and highest corner in voxel space; None where it is empty."""
        if not self._cells.size:
            return None
        return self._origin * CHUNK_SIZE, (self._origin + self._cells.shape) * CHUNK_SIZE

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._buffer.size + self._place.size

    def cover(self, low: Coord, high: Coord) -> None:
        """Make the box reach from low to high (inclusive) at least. Raises VoxelwrightError where graphics memory is
        short."""
        first, end = np.array(low, np.int64), np.array(high, np.int64) + 1
        if self._cells.size:
            first = np.minimum(first, self._origin)
            end = np.maximum(end, self._origin + self._cells.shape)
        size = end - first
        if tuple(size) == self._cells.shape:
            return
        buffer = new_buffer(self._ctx, int(np.prod(size)) * _CELL_BYTES)
        cells = np.zeros(size, np.uint32)
        cells[tuple(map(slice, self._origin - first, self._origin - first + self._cells.shape))] = self._cells
        self._cells, self._origin = cells, first
        self._buffer.release()
        self._buffer = buffer
        place = np.zeros((), WORLD_GRID)
        place["origin"][:3], place["size"][:3] = first, size
        self._place.write(place.tobytes())
        self._changed = 0, cells.size

    def put(self, coord: Coord, cell: int) -> bool:
        """Set a cell; whether it was another. Where it lies outside the box it must be 0, and stays so."""
        x, y, z = (c - o for c, o in zip(coord, self._origin.tolist(), strict=True))
        nx, ny, nz = self._cells.shape
        if not (0 <= x < nx and 0 <= y < ny and 0 <= z < nz):
            assert cell == 0, "the grid does not cover this chunk"
            return False
        if self._cells[x, y, z] == cell:
            return False
        self._cells[x, y, z] = cell
        index = (x * ny + y) * nz + z
        first, end = self._changed or (index, index + 1)
        self._changed = min(first, index), max(end, index + 1)
        return True

    def clear(self) -> None:
        """Forget all chunks."""
        self._cells = np.zeros((0, 0, 0), np.uint32)
        self._place.write(np.zeros((), WORLD_GRID).tobytes())
        self._changed = None

    def upload(self) -> None:
        """Upload the cells that changed."""
        if self._changed is not None:
            first, end = self._changed
            self._buffer.write(self._cells.reshape(-1)[first:end].tobytes(), first * _CELL_BYTES)
            self._changed = None

    def bind(self) -> None:
        """Bind the cells and where they lie to their binding points."""
        self._buffer.bind_to_storage_buffer(StorageBinding.GRID)
        self._place.bind_to_uniform_block(UniformBinding.WORLD_GRID)

    def release(self) -> None:
        """Free the buffers."""
        self._buffer.release()
        self._place.release()
