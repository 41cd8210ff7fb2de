# SPDX-License-Identifier: GPL-3.0-or-later
"""The quads of one world on the GPU, in one buffer that all chunks share.

Each row (a ChunkDraw) owns a range of whole blocks. Meshing allocates on the GPU: in place where the row's range is
large enough, else at the top, and the old range is left behind. Where there is no room a row keeps the quads that it
has. The CPU learns of that later, behind a fence: it then moves all ranges to a new buffer, larger where that must be,
and says which rows are to be meshed again. So no quad is ever lost, and nothing is waited for.
"""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import QUAD_DTYPE
from .context import Capabilities
from .gl import GlFunctions
from .owned import Owned
from .passes.mesh import MeshPass
from .readback import Readback
from .records import (
    CHUNK_DRAW,
    MESH_BLOCKS_MASK,
    MESH_HEADER,
    MESH_ROW,
    MESH_ROW_NUMBER,
    MESH_USED_SHIFT,
    MESH_WANTED_SHIFT,
    QUAD_BLOCK,
    StorageBinding,
)
from .row_pool import FIRST_ROWS, RowPool
from .shader import load_program
from .work_list import WorkList, dispatch

MAX_QUADS = 1 << 29
"""Four vertices a quad are counted in signed 32 bits."""

FIRST_QUADS = 1 << 16

_OWNER_BYTES = 4
_BLOCK_BYTES = QUAD_BLOCK * QUAD_DTYPE.itemsize + _OWNER_BYTES
_FREE_GROUP = 64
_ALL_WRITTEN = moderngl.SHADER_STORAGE_BARRIER_BIT | moderngl.BUFFER_UPDATE_BARRIER_BIT


class QuadPoolFullError(VoxelwrightError):
    """The quads do not fit into the bytes that the pool may take. All rows keep the quads that they have."""


class QuadPool(RowPool):
    """Buffers QUADS, QUAD_OWNERS, CHUNK_DRAWS and MESH_STATE. n_rows is one more than the highest row ever meshed;
    n_quads is how many quads there were when the GPU was last asked. max_bytes may be changed at any time."""

    _DRAW, _HEADER, _ROW = CHUNK_DRAW, MESH_HEADER, MESH_ROW

    def __init__(
        self, ctx: moderngl.Context, gl: GlFunctions, able: Capabilities, *, max_bytes: int, n_quads: int = FIRST_QUADS
    ) -> None:
        self._ctx, self.max_bytes = ctx, max_bytes
        self._max_block_bytes = able.max_storage_block_bytes
        self.n_rows = self.n_quads = 0
        self._capacity = -(-n_quads // QUAD_BLOCK)
        with Owned() as owned:
            self._compact = owned.add(load_program(ctx, compute_shader="mesh/compact.comp"))
            self._free = owned.add(load_program(ctx, compute_shader="mesh/free.comp"))
            self._work = owned.add(WorkList(ctx))
            self._quads, self._owners = map(owned.add, self._new_quads(self._capacity))
            self._draws, self._state = map(owned.add, self._new_rows(FIRST_ROWS))
            self._readback = owned.add(Readback(ctx, gl, self._state.size))
            owned.pop_all()
        self._write_header()

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory. While ranges are moved, the old quads are there too."""
        return self._work.nbytes + self._readback.nbytes + sum(buffer.size for buffer in self._buffers())

    @property
    def capacity(self) -> int:
        """How many quads there is room for."""
        return self._capacity * QUAD_BLOCK

    def mesh(self, mesh_pass: MeshPass, jobs: NDArray[Any], transparent: NDArray[np.bool_]) -> None:
        """Mesh chunks (n,) MESH_JOB, each row once. The world's voxels, occupancy and grid are bound.

        Raises VoxelwrightError where graphics memory is short; then nothing was meshed.
        """
        if len(jobs) == 0:
            return
        self._reserve_rows(int((jobs["row"] & MESH_ROW_NUMBER).max()) + 1)
        self._work.upload(jobs)
        self.bind()
        mesh_pass.run(len(jobs), transparent)
        self._readback.ask(self._state)

    def free_rows(self, rows: NDArray[np.uint32]) -> None:
        """Take the quads of rows (n,) away. Their ranges are free once the others have been moved together."""
        if len(rows) == 0:
            return
        self._work.upload(np.asarray(rows, np.uint32))
        self.bind()
        self._free["n_rows"] = len(rows)
        self._free.run(-(-len(rows) // _FREE_GROUP))
        self._ctx.memory_barrier(_ALL_WRITTEN)
        self._readback.ask(self._state)

    def bind(self) -> None:
        """Bind the buffers to their binding points."""
        self._quads.bind_to_storage_buffer(StorageBinding.QUADS)
        self._owners.bind_to_storage_buffer(StorageBinding.QUAD_OWNERS)
        self._draws.bind_to_storage_buffer(StorageBinding.CHUNK_DRAWS)
        self._state.bind_to_storage_buffer(StorageBinding.MESH_STATE)

    def release(self) -> None:
        """Free everything."""
        for buffer in self._buffers():
            buffer.release()
        for program in (self._compact, self._free):
            program.release()
        self._readback.release()
        self._work.release()

    def _buffers(self) -> tuple[moderngl.Buffer, ...]:
        return self._quads, self._owners, self._draws, self._state

    def _follow(self, state: bytes) -> NDArray[np.int64]:
        """As poll(), for what the GPU says of the pool."""
        header = np.frombuffer(state, MESH_HEADER, 1)[0]
        self.n_quads = int(header["n_quads"])
        if not header["n_without_room"]:
            return np.empty(0, np.int64)
        return self._make_room(int(header["top"]), np.frombuffer(state, MESH_ROW, offset=MESH_HEADER.itemsize))

    def _make_room(self, top: int, state: NDArray[Any]) -> NDArray[np.int64]:
        wanted = state["flags"].astype(np.int64) >> MESH_WANTED_SHIFT & MESH_BLOCKS_MASK
        used = state["flags"].astype(np.int64) >> MESH_USED_SHIFT & MESH_BLOCKS_MASK
        missing = int(wanted.sum())
        if top + missing > self._capacity:
            # A row that is meshed again keeps its old range until then.
            self._move(self._capacity_for(int(used.sum()) + missing))
        return np.flatnonzero(wanted)

    def _capacity_for(self, needed: int) -> int:
        """Blocks for needed ones, with room to spare."""
        beside = self.nbytes - self._capacity * _BLOCK_BYTES
        most = min(self._max_block_bytes // (QUAD_BLOCK * QUAD_DTYPE.itemsize), MAX_QUADS // QUAD_BLOCK)
        most = min(most, (self.max_bytes - beside) // _BLOCK_BYTES)
        if needed > most:
            raise QuadPoolFullError(
                f"The faces of this world take {needed * _BLOCK_BYTES / 2**20:.1f} MiB of graphics memory, and at most "
                f"{max(most, 0) * _BLOCK_BYTES / 2**20:.1f} MiB may go to them; raise the budget in the preferences, "
                "or use a smaller world."
            )
        wanted = self._capacity if 4 * needed <= 3 * self._capacity else needed + needed // 2
        # Never less than there is: it has room for all ranges in use, also for those that were not yet counted.
        return max(min(wanted, most), self._capacity)

    def _move(self, capacity: int) -> None:
        """Move all ranges to a new buffer of so many blocks, one behind the other."""
        quads, owners = self._new_quads(capacity)
        old = self._quads, self._owners
        self.bind()
        quads.bind_to_storage_buffer(StorageBinding.JOBS)  # which has nothing to say here
        owners.bind_to_storage_buffer(StorageBinding.QUAD_OWNERS)
        self._capacity = capacity
        self._write_header()
        dispatch(self._compact, self.n_rows, "first_row")
        self._ctx.memory_barrier(_ALL_WRITTEN)
        self._quads, self._owners = quads, owners
        for buffer in old:
            buffer.release()

    def _write_header(self) -> None:
        """Say that all blocks are free; what is counted in quads and rows stays."""
        self._state.write(np.array([0, self._capacity], np.uint32).tobytes())

    def _new_quads(self, capacity: int) -> tuple[moderngl.Buffer, moderngl.Buffer]:
        quads = self._ctx.buffer(reserve=capacity * QUAD_BLOCK * QUAD_DTYPE.itemsize)
        owners = self._ctx.buffer(reserve=capacity * _OWNER_BYTES)
        what = f"{capacity * QUAD_BLOCK} quads ({capacity * _BLOCK_BYTES / 2**20:.0f} MiB)"
        return self._checked([quads, owners], what)
