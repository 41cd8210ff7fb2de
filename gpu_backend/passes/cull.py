# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunks and quads are drawn: the commands of the draws, written on the GPU."""

import moderngl

from ...voxel.layout import N_FACES
from ..buffers import new_buffer
from ..context import check_errors
from ..records import INDIRECT_DRAW, QUAD_BLOCK, StorageBinding
from ..shader import load_program
from ..target import FrameTarget
from ..work_list import dispatch

_GROUP = 64
_WORD_BYTES = 4


class DrawCommands:
    """The commands of one world's draws: for each row of blocks one of opaque quads, which quads lists, and six, a face
    each, of transparent ones; for each row of smooth surfaces one of either. Rows are those of its pool when it was
    last culled. seen says which rows were seen in the last frame, then, a bit each, which quads of blocks; a wrong
    guess costs time only."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self.buffer = ctx.buffer(reserve=INDIRECT_DRAW.itemsize)
        self.seen = ctx.buffer(bytes(_WORD_BYTES))
        self.quads = ctx.buffer(bytes(_WORD_BYTES))
        self.n_rows = self.n_smooth_rows = 0

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self.buffer.size + self.seen.size + self.quads.size

    @property
    def n_commands(self) -> int:
        """How many commands the draws of opaque materials have."""
        return self.n_rows + self.n_smooth_rows

    def resize(self, n_rows: int, n_smooth_rows: int, n_quads: int) -> None:
        """Make room for so many rows, and for the quads of a pool that has room for so many of blocks."""
        self.n_rows, self.n_smooth_rows = n_rows, n_smooth_rows
        self.buffer = self._roomy(self.buffer, ((1 + N_FACES) * n_rows + 2 * n_smooth_rows) * INDIRECT_DRAW.itemsize)
        self.seen = self._roomy(self.seen, (n_rows + n_smooth_rows + n_quads // QUAD_BLOCK) * _WORD_BYTES)
        if self.quads.size < n_quads * _WORD_BYTES:
            self.quads.release()
            self.quads = new_buffer(self._ctx, n_quads * _WORD_BYTES)

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
        return (self.n_rows, N_FACES * self.n_rows) if transparent else (0, self.n_rows)

    def smooth(self, *, transparent: bool) -> tuple[int, int]:
        """First command and number of commands."""
        return (1 + N_FACES) * self.n_rows + self.n_smooth_rows * transparent, self.n_smooth_rows

    def bind_quads(self) -> None:
        """Bind the list of quads where shaders that cull and draw have it: in the place of jobs."""
        self.quads.bind_to_storage_buffer(StorageBinding.JOBS)

    def release(self) -> None:
        """Free the buffers."""
        for buffer in (self.buffer, self.seen, self.quads):
            buffer.release()


class CullPass:
    """Writes DrawCommands for the world and the frame that are bound."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, compute_shader="cull/cull.comp")

    def run(self, commands: DrawCommands, target: FrameTarget, *, second: bool) -> None:
        """Write all commands, those of chunks out of sight without an instance. Runs twice a frame: for the chunks that
        were seen in the last one, then, behind what those left in the target's tiles of depth, for all. Only the second
        run writes the commands of transparent materials."""
        _set_up(self._program, commands, target, second)
        self._program["n_rows"] = commands.n_rows
        self._program["n_smooth_rows"] = commands.n_smooth_rows
        self._program.run(-(-(commands.n_rows + commands.n_smooth_rows) // _GROUP))
        self._ctx.memory_barrier(moderngl.COMMAND_BARRIER_BIT | moderngl.SHADER_STORAGE_BARRIER_BIT)

    def release(self) -> None:
        """Free the program."""
        self._program.release()


class CullQuadsPass:
    """Lists the opaque quads of blocks that are drawn, after a run of CullPass, of which it changes the commands."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, compute_shader="cull/quads.comp")

    def run(self, commands: DrawCommands, target: FrameTarget, *, second: bool) -> None:
        """List those that were seen in the last frame; in the second run those that are seen and were not listed in the
        first."""
        _set_up(self._program, commands, target, second)
        commands.bind_quads()
        self._program["first_seen_block"] = commands.n_rows + commands.n_smooth_rows
        dispatch(self._program, commands.n_rows, "first_row")
        self._ctx.memory_barrier(moderngl.COMMAND_BARRIER_BIT | moderngl.SHADER_STORAGE_BARRIER_BIT)

    def release(self) -> None:
        """Free the program."""
        self._program.release()


def _set_up(program: moderngl.ComputeShader, commands: DrawCommands, target: FrameTarget, second: bool) -> None:
    target.depth_tiles.use(1)
    target.depth_blocks.use(2)
    program["depth_tiles"] = 1
    program["depth_blocks"] = 2
    program["second"] = second
    commands.seen.bind_to_storage_buffer(StorageBinding.SEEN)
    commands.buffer.bind_to_storage_buffer(StorageBinding.COMMANDS)
