# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunks and faces are drawn: the commands of the draws, written on the GPU."""

import moderngl

from ...voxel.layout import N_FACES
from ..context import check_errors
from ..records import INDIRECT_DRAW, StorageBinding
from ..shader import load_program
from ..target import FrameTarget

_GROUP = 64
_FLAG_BYTES = 4


class DrawCommands:
    """The commands of one world's draws: for the faces of each row of blocks, opaque then transparent, and for each row
    of smooth surfaces likewise. Rows are those of its pool when it was last culled. seen says which rows were seen in
    the last frame; a wrong guess costs time only."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self.buffer = ctx.buffer(reserve=INDIRECT_DRAW.itemsize)
        self.seen = ctx.buffer(bytes(_FLAG_BYTES))
        self.n_rows = self.n_smooth_rows = 0

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self.buffer.size + self.seen.size

    @property
    def n_commands(self) -> int:
        """How many commands the draws of opaque materials have."""
        return N_FACES * self.n_rows + self.n_smooth_rows

    def resize(self, n_rows: int, n_smooth_rows: int) -> None:
        """Make room for so many rows."""
        self.n_rows, self.n_smooth_rows = n_rows, n_smooth_rows
        self.buffer = self._roomy(self.buffer, 2 * (N_FACES * n_rows + n_smooth_rows) * INDIRECT_DRAW.itemsize)
        self.seen = self._roomy(self.seen, (n_rows + n_smooth_rows) * _FLAG_BYTES)

    def _roomy(self, buffer: moderngl.Buffer, size: int) -> moderngl.Buffer:
        """The buffer, or a larger one of zeros where it is too small."""
        if buffer.size >= size:
            return buffer
        buffer.release()
        larger = self._ctx.buffer(bytes(size + size // 4 // 4 * 4))
        check_errors(self._ctx, "the commands of the draws")
        return larger

    def blocky(self, *, transparent: bool) -> tuple[int, int]:
        """First command and number of commands."""
        n = N_FACES * self.n_rows
        return n * transparent, n

    def smooth(self, *, transparent: bool) -> tuple[int, int]:
        """First command and number of commands."""
        return 2 * N_FACES * self.n_rows + self.n_smooth_rows * transparent, self.n_smooth_rows

    def release(self) -> None:
        """Free the buffers."""
        self.buffer.release()
        self.seen.release()


class CullPass:
    """Writes DrawCommands for the world and the frame that are bound."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, compute_shader="cull/cull.comp")

    def run(self, commands: DrawCommands, target: FrameTarget, *, second: bool) -> None:
        """Write all commands, those of chunks out of sight without an instance. Runs twice a frame: for the chunks that
        were seen in the last one, then, behind what those left in the target's tiles of depth, for the others. Only the
        second run writes the commands of transparent materials."""
        target.depth_tiles.use(1)
        target.depth_blocks.use(2)
        self._program["depth_tiles"] = 1
        self._program["depth_blocks"] = 2
        self._program["second"] = second
        commands.seen.bind_to_storage_buffer(StorageBinding.SEEN)
        commands.buffer.bind_to_storage_buffer(StorageBinding.COMMANDS)
        self._program["n_rows"] = commands.n_rows
        self._program["n_smooth_rows"] = commands.n_smooth_rows
        self._program.run(-(-(commands.n_rows + commands.n_smooth_rows) // _GROUP))
        self._ctx.memory_barrier(moderngl.COMMAND_BARRIER_BIT | moderngl.SHADER_STORAGE_BARRIER_BIT)

    def release(self) -> None:
        """Free the program."""
        self._program.release()
