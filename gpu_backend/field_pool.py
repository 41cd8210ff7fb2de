# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of smooth surfaces on the GPU, which rays of light march through: a place for each chunk that has such."""

from collections.abc import Collection, Iterable

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.world import Coord
from .buffers import grown
from .owned import Owned
from .passes.field import FieldPass
from .records import FIELD_JOB, FIELD_WORDS, StorageBinding

FIELD_BYTES = 4 * FIELD_WORDS


class FieldPool:
    """Places 0, 1, … in one buffer, each of one chunk's field."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        with Owned() as owned:
            self._pass = owned.add(FieldPass(ctx))
            self._buffer = ctx.buffer(reserve=FIELD_BYTES)
            owned.pop_all()
        self._places: dict[Coord, int] = {}
        self._free: list[int] = [0]

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._buffer.size

    def make(self, coords: Collection[Coord], smoothing: float, transparent: NDArray[np.bool_], max_bytes: int) -> None:
        """Make the fields of chunks that have slots, from the occupancy of theirs and of those about them. OCCUPANCY
        and the grid are bound; smoothing is the world's, transparent (256,) says which materials one sees through. The
        smooth voxels of chunks for whose fields there is no room in max_bytes stop rays as blocks do.

        Raises VoxelwrightError where graphics memory is short."""
        # Loaded here: the kernels take a while, and worlds of blocks never need them.
        from ..voxel.mesh.nets_field import STRENGTH_STEPS

        new = [coord for coord in coords if coord not in self._places]
        self._make_room(len(new), max_bytes)
        for coord in new[: len(self._free)]:
            self._places[coord] = self._free.pop()
        jobs = [(coord, self._places[coord]) for coord in coords if coord in self._places]
        if jobs:
            self.bind()
            self._pass.run(np.array(jobs, FIELD_JOB), round(smoothing * STRENGTH_STEPS), transparent)

    def drop(self, coords: Iterable[Coord]) -> None:
        """Free the places of chunks that have one; their occupancy must know of no field."""
        for coord in coords:
            place = self._places.pop(coord, None)
            if place is not None:
                self._free.append(place)

    def clear(self) -> None:
        """Free all places."""
        self.drop(list(self._places))

    def bind(self) -> None:
        """Bind the fields; what else has their binding point must be bound anew after."""
        self._buffer.bind_to_storage_buffer(StorageBinding.FIELD)

    def release(self) -> None:
        """Free the buffer and the programs."""
        self._buffer.release()
        self._pass.release()

    def _make_room(self, n: int, max_bytes: int) -> None:
        capacity = self._buffer.size // FIELD_BYTES
        missing = n - len(self._free)
        wanted = min(capacity + max(missing, capacity // 2), max_bytes // FIELD_BYTES)
        if missing > 0 and wanted > capacity:
            self._buffer = grown(self._ctx, self._buffer, wanted * FIELD_BYTES)
            self._free += range(capacity, wanted)
