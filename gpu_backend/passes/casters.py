# SPDX-License-Identifier: GPL-3.0-or-later
"""What casts shadows in a shadow map: the commands of its draws, written on the GPU."""

import moderngl

from ..buffers import new_buffer
from ..records import INDIRECT_DRAW, StorageBinding
from ..shader import load_program

_GROUP = 64
_DRAWS_A_CHUNK = 3
"""Of blocks: the faces that turn away from the sun, one of each axis."""


class CastersPass:
    """Writes the commands for the world and the frame that are bound; buffer has them, as DrawPass.run_casters() draws
    them."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, compute_shader="light/casters.comp")
        self.buffer = ctx.buffer(reserve=INDIRECT_DRAW.itemsize)

    def run(self, n_rows: int, n_smooth_rows: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Write the commands of so many rows of each kind; the first command and the number of commands of blocks, and
        of smooth surfaces. Raises VoxelwrightError where graphics memory is short."""
        n_blocky = _DRAWS_A_CHUNK * n_rows
        nbytes = (n_blocky + n_smooth_rows) * INDIRECT_DRAW.itemsize
        if self.buffer.size < nbytes:
            larger = new_buffer(self._ctx, nbytes + nbytes // 4)
            self.buffer.release()
            self.buffer = larger
        self.buffer.bind_to_storage_buffer(StorageBinding.COMMANDS)
        self._program["n_rows"] = n_rows
        self._program["n_smooth_rows"] = n_smooth_rows
        self._program.run(-(-(n_rows + n_smooth_rows) // _GROUP))
        self._ctx.memory_barrier(moderngl.COMMAND_BARRIER_BIT)
        return (0, n_blocky), (n_blocky, n_smooth_rows)

    def release(self) -> None:
        """Free the program and the buffer."""
        self._program.release()
        self.buffer.release()
