# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of smooth surfaces on the GPU, which rays of light march through: a place for each chunk that has such."""

from collections.abc import Iterable

import moderngl
import numpy as np

from ..voxel.world import Coord, World
from .buffers import grown
from .chunk_grid import ChunkGrid
from .neighbours import around
from .owned import Owned
from .passes.field import FieldPass
from .records import FIELD_JOB, FIELD_WORDS, StorageBinding
from .timers import FrameTimers
from .voxel_pages import VoxelPages
from .work_list import WorkList

FIELD_BYTES = 4 * FIELD_WORDS


class FieldPool:
    """Places 0, 1, … in one buffer, each of one chunk's field. touch() notes what changed, update() makes the fields
    that follow from that, from the occupancy of pages and the grid."""

    def __init__(self, ctx: moderngl.Context, pages: VoxelPages, grid: ChunkGrid) -> None:
        self._ctx, self._pages, self._grid = ctx, pages, grid
        with Owned() as owned:
            self._pass = owned.add(FieldPass(ctx))
            self._work = owned.add(WorkList(ctx))
            self._buffer = ctx.buffer(reserve=FIELD_BYTES)
            owned.pop_all()
        self.clear()

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._buffer.size + self._work.nbytes

    def clear(self) -> None:
        """Forget all chunks."""
        self._places: dict[Coord, int] = {}
        self._free = list(range(self._buffer.size // FIELD_BYTES))
        self._touched: set[Coord] = set()
        self._smoothing = 0.0

    def touch(self, coord: Coord) -> None:
        """A chunk's occupancy is another now, and knows of no field."""
        self._touched.add(coord)

    def update(self, world: World, smooth: Iterable[Coord], max_bytes: int, timers: FrameTimers) -> None:
        """Make the fields that may be others now, of chunks that are smooth: they have slots and smooth voxels. All
        fields take at most max_bytes; smooth voxels of chunks for whose there is no room stop rays as blocks do.

        Raises VoxelwrightError where graphics memory is short."""
        is_resmoothed = world.settings.smoothing != self._smoothing
        if not (self._touched or is_resmoothed):
            return
        chunks = set(smooth)
        stale = chunks if is_resmoothed else chunks & around(self._touched)
        for coord in self._touched - chunks:
            if coord in self._places:
                self._free.append(self._places.pop(coord))
        if stale:
            with timers.stage("fields"):
                self._make(sorted(stale), world, max_bytes)
        self._touched, self._smoothing = set(), world.settings.smoothing

    def bind(self) -> None:
        """Bind the fields; what else has their binding point must be bound anew after."""
        self._buffer.bind_to_storage_buffer(StorageBinding.FIELD)

    def release(self) -> None:
        """Free everything."""
        for part in (self._buffer, self._work, self._pass):
            part.release()

    def _make(self, coords: list[Coord], world: World, max_bytes: int) -> None:
        new = [coord for coord in coords if coord not in self._places]
        self._make_room(len(new), max_bytes)
        for coord in new[: len(self._free)]:
            self._places[coord] = self._free.pop()
        jobs = [(coord, self._places[coord]) for coord in coords if coord in self._places]
        if jobs:
            self._pages.bind()
            self._grid.bind()
            self.bind()
            self._work.upload(np.array(jobs, FIELD_JOB))
            self._pass.run(len(jobs), world.settings.smoothing, world.palette.transparent)

    def _make_room(self, n: int, max_bytes: int) -> None:
        capacity = self._buffer.size // FIELD_BYTES
        missing = n - len(self._free)
        wanted = min(capacity + max(missing, capacity // 2), max_bytes // FIELD_BYTES)
        if missing > 0 and wanted > capacity:
            self._buffer = grown(self._ctx, self._buffer, wanted * FIELD_BYTES)
            self._free += range(capacity, wanted)
