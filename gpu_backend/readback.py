# SPDX-License-Identifier: GPL-3.0-or-later
"""What the GPU wrote into a small buffer, read a frame or more later, when it is there."""

import moderngl

from .buffers import new_buffer
from .gl import GlFunctions


class Readback:
    """A copy of a buffer, behind a fence. One is under way at a time: with a new one each frame, a GPU that lags behind
    would never give an answer."""

    def __init__(self, ctx: moderngl.Context, gl: GlFunctions, size: int) -> None:
        self._ctx, self._gl = ctx, gl
        self._copy = new_buffer(ctx, size)
        self._fence: int | None = None
        self._is_stale = False  # more was written since what is under way was copied

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._copy.size

    @property
    def is_under_way(self) -> bool:
        """Whether there is something to be taken."""
        return self._fence is not None

    def ask(self, buffer: moderngl.Buffer) -> None:
        """Have a buffer copied, once what is under way was taken. Raises VoxelwrightError where graphics memory is
        short."""
        self._is_stale = self.is_under_way
        if self.is_under_way:
            return
        if self._copy.size != buffer.size:
            copy = new_buffer(self._ctx, buffer.size)
            self._copy.release()
            self._copy = copy
        self._ctx.copy_buffer(self._copy, buffer, buffer.size)
        self._fence = self._gl.fence()

    def has_arrived(self) -> bool:
        """Whether the copy is there; never waits."""
        return self._fence is not None and self._gl.passed(self._fence)

    def take(self) -> tuple[bytes, bool]:
        """The copy, and whether the buffer is to be asked for again. Waits where it is not there."""
        content, is_stale = self._copy.read(), self._is_stale
        self.forget()
        return content, is_stale

    def latest(self, buffer: moderngl.Buffer) -> bytes:
        """What is in the buffer now; waits for that."""
        if self._is_stale:
            self.forget()
            self.ask(buffer)
        self._ctx.finish()
        return self.take()[0]

    def forget(self) -> None:
        """Have nothing under way."""
        if self._fence is not None:
            self._gl.delete_fence(self._fence)
        self._fence, self._is_stale = None, False

    def release(self) -> None:
        """Free the copy."""
        self.forget()
        self._copy.release()
