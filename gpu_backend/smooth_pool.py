# SPDX-License-Identifier: GPL-3.0-or-later
"""The smooth surfaces of one world on the GPU: vertices and quads in two buffers that all chunks share.

Each row (a SMOOTH_DRAW) owns a range of either. They are found, kept and moved as those of blocks' quads are
(quad_pool.py).
"""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from .context import Capabilities
from .gl import GlFunctions
from .owned import Owned
from .passes.nets import NetsPass
from .quad_pool import MAX_QUADS, QuadPoolFullError
from .readback import Readback
from .records import NETS_HEADER, NETS_ROW, NETS_STEP, SMOOTH_DRAW, SMOOTH_QUAD, SMOOTH_VERTEX, StorageBinding
from .row_pool import FIRST_ROWS, RowPool
from .shader import load_program
from .work_list import WorkList, dispatch

FIRST_VERTICES, FIRST_QUADS = 1 << 12, 1 << 12

_RECORD_BYTES = np.array([SMOOTH_VERTEX.itemsize, SMOOTH_QUAD.itemsize])


class SmoothPool(RowPool):
    """Buffers SMOOTH_VERTICES, SMOOTH_QUADS, SMOOTH_DRAWS, and the state that nets.comp has at MESH_STATE. n_rows is
    one more than the highest row ever meshed; n_quads is how many quads there were when the GPU was last asked.
    max_bytes may be changed at any time."""

    _DRAW, _HEADER, _ROW = SMOOTH_DRAW, NETS_HEADER, NETS_ROW

    def __init__(
        self,
        ctx: moderngl.Context,
        gl: GlFunctions,
        able: Capabilities,
        *,
        max_bytes: int,
        capacity: tuple[int, int] = (FIRST_VERTICES, FIRST_QUADS),
    ) -> None:
        self._ctx, self.max_bytes = ctx, max_bytes
        self._most = np.minimum(able.max_storage_block_bytes // _RECORD_BYTES, MAX_QUADS)
        self.n_rows = self.n_quads = 0
        self._capacity = np.array(capacity) // NETS_STEP * NETS_STEP  # vertices, quads
        with Owned() as owned:
            self._compact = owned.add(load_program(ctx, compute_shader="mesh/nets_compact.comp"))
            self._work = owned.add(WorkList(ctx))
            self._vertices, self._quads = map(owned.add, self._new_surfaces(self._capacity))
            self._draws, self._state = map(owned.add, self._new_rows(FIRST_ROWS))
            self._readback = owned.add(Readback(ctx, gl, self._state.size))
            owned.pop_all()
        self._write_header()

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory. While ranges are moved, the old surfaces are there too."""
        return self._work.nbytes + self._readback.nbytes + sum(buffer.size for buffer in self._buffers())

    def mesh(self, nets_pass: NetsPass, jobs: NDArray[Any], transparent: NDArray[np.bool_], smoothing: float) -> None:
        """Mesh chunks (n,) MESH_JOB, each row once. The world's voxels, occupancy and grid are bound. A chunk without
        smooth voxels in reach has no quads and no range then.

        Raises VoxelwrightError where graphics memory is short; then nothing was meshed.
        """
        if len(jobs) == 0:
            return
        self._reserve_rows(int(jobs["row"].max()) + 1)
        self._work.upload(jobs)
        self._bind_all()
        nets_pass.run(len(jobs), transparent, smoothing)
        self._readback.ask(self._state)

    def bind(self) -> None:
        """Bind what is drawn to its binding points."""
        self._vertices.bind_to_storage_buffer(StorageBinding.SMOOTH_VERTICES)
        self._quads.bind_to_storage_buffer(StorageBinding.SMOOTH_QUADS)
        self._draws.bind_to_storage_buffer(StorageBinding.SMOOTH_DRAWS)

    def release(self) -> None:
        """Free everything."""
        for buffer in self._buffers():
            buffer.release()
        self._compact.release()
        self._readback.release()
        self._work.release()

    def _buffers(self) -> tuple[moderngl.Buffer, ...]:
        return self._vertices, self._quads, self._draws, self._state

    def _bind_all(self) -> None:
        self.bind()
        self._state.bind_to_storage_buffer(StorageBinding.MESH_STATE)

    def _follow(self, state: bytes) -> NDArray[np.int64]:
        """As poll(), for what the GPU says of the pool."""
        header = np.frombuffer(state, NETS_HEADER, 1)[0]
        self.n_quads = int(header["n_quads"])
        if not header["n_without_room"]:
            return np.empty(0, np.int64)
        rows = np.frombuffer(state, NETS_ROW, offset=NETS_HEADER.itemsize)
        wanted = np.stack([rows["wanted_vertices"], rows["wanted_quads"]], axis=1).astype(np.int64)
        top = np.array([header["vertex_top"], header["quad_top"]], np.int64)
        if (top + wanted.sum(axis=0) > self._capacity).any():
            # A row that is meshed again keeps its old range until then.
            used = np.stack([rows["vertex_capacity"], rows["quad_capacity"]], axis=1).astype(np.int64)
            self._move(self._capacity_for((used + wanted).sum(axis=0)))
        return np.flatnonzero(wanted[:, 1])

    def _capacity_for(self, needed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Vertices and quads (2,) for needed ones, with room to spare."""
        # Never less than there is: it has room for all ranges in use, also for those that were not yet counted.
        least = np.maximum(needed, self._capacity)
        beside = self.nbytes - int(self._capacity @ _RECORD_BYTES)
        spare = self.max_bytes - beside - int(least @ _RECORD_BYTES)
        if spare < 0 or (least > self._most).any():
            raise QuadPoolFullError(
                f"The smooth surfaces of this world take {least @ _RECORD_BYTES / 2**20:.1f} MiB of graphics memory, "
                f"and at most {max(self.max_bytes - beside, 0) / 2**20:.1f} MiB may go to them; raise the budget in "
                "the preferences, or use a smaller world."
            )
        more = np.where(4 * needed > 3 * self._capacity, np.minimum(needed + needed // 4, self._most), 0)
        more = np.maximum(more - least, 0)
        share = min(1.0, spare / max(int(more @ _RECORD_BYTES), 1))
        return least + (more * share).astype(np.int64) // NETS_STEP * NETS_STEP

    def _move(self, capacity: NDArray[np.int64]) -> None:
        """Move all ranges to new buffers for so many vertices and quads, one behind the other."""
        vertices, quads = self._new_surfaces(capacity)
        self._bind_all()
        vertices.bind_to_storage_buffer(StorageBinding.JOBS)  # which, as the next one, has nothing to say here
        quads.bind_to_storage_buffer(StorageBinding.QUADS)
        self._capacity = capacity
        self._write_header()
        dispatch(self._compact, self.n_rows, "first_row")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT | moderngl.BUFFER_UPDATE_BARRIER_BIT)
        for buffer in (self._vertices, self._quads):
            buffer.release()
        self._vertices, self._quads = vertices, quads

    def _write_header(self) -> None:
        """Say that all of the buffers is free; what is counted in quads and rows stays."""
        vertices, quads = self._capacity.tolist()
        self._state.write(np.array([0, vertices, 0, quads], np.uint32).tobytes())

    def _new_surfaces(self, capacity: NDArray[np.int64]) -> tuple[moderngl.Buffer, moderngl.Buffer]:
        made = [self._ctx.buffer(reserve=max(size, 4)) for size in (capacity * _RECORD_BYTES).tolist()]
        return self._checked(made, f"smooth surfaces ({capacity @ _RECORD_BYTES / 2**20:.0f} MiB)")
