# SPDX-License-Identifier: GPL-3.0-or-later
"""What pools of meshed chunks have in common: rows of draws, and a state that the GPU writes and the CPU reads."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from .buffers import copy
from .context import check_errors
from .readback import Readback

FIRST_ROWS = 256


class RowPool(ABC):
    """n_rows is one more than the highest row ever meshed; n_quads is how many quads there were when the GPU was last
    asked."""

    _DRAW: ClassVar[np.dtype[Any]]
    """A row as it is drawn."""
    _HEADER: ClassVar[np.dtype[Any]]
    _ROW: ClassVar[np.dtype[Any]]
    """The state's header, and what it says of a row."""

    _ctx: moderngl.Context
    _draws: moderngl.Buffer
    _state: moderngl.Buffer
    _readback: Readback
    n_rows: int
    n_quads: int

    @property
    def is_settled(self) -> bool:
        """Whether it is known that everything found room."""
        return not self._readback.is_under_way

    def poll(self) -> NDArray[np.int64]:
        """Where the GPU is done with what was meshed, make room for what found none. Never waits for that.

        Returns the rows that must be meshed again. Raises QuadPoolFullError where they need more than max_bytes, and
        VoxelwrightError where graphics memory is short; poll() tries again after the next change.
        """
        if not self._readback.has_arrived():
            return np.empty(0, np.int64)
        state, is_stale = self._readback.take()
        rows = self._follow(state)
        if is_stale:
            self._readback.ask(self._state)
        return rows

    def finish(self) -> NDArray[np.int64]:
        """As poll(), but waits. When it returns no rows, everything is there."""
        if not self._readback.is_under_way:
            return np.empty(0, np.int64)
        return self._follow(self._readback.latest(self._state))

    def clear(self) -> None:
        """Take everything away. The buffers stay."""
        self._readback.forget()
        self.n_rows = self.n_quads = 0
        for buffer in (self._draws, self._state):
            buffer.write(bytes(buffer.size))
        self._write_header()

    @abstractmethod
    def _follow(self, state: bytes) -> NDArray[np.int64]:
        """As poll(), for what the GPU says of the pool."""

    @abstractmethod
    def _write_header(self) -> None:
        """Say that all room is free; what is counted in quads and rows stays."""

    def _reserve_rows(self, n: int) -> None:
        room = self._draws.size // self._DRAW.itemsize
        if n > room:
            made = self._new_rows(max(n, 2 * room))
            for new, old in zip(made, (self._draws, self._state), strict=True):
                copy(self._ctx, new, old)
                old.release()
            self._draws, self._state = made
        self.n_rows = max(self.n_rows, n)

    def _new_rows(self, n: int) -> tuple[moderngl.Buffer, moderngl.Buffer]:
        """Buffers of zeros for n rows: their draws, and the state."""
        sizes = n * self._DRAW.itemsize, self._HEADER.itemsize + n * self._ROW.itemsize
        return self._checked([self._ctx.buffer(bytes(size)) for size in sizes], f"the records of {n} chunks")

    def _checked(self, made: Sequence[moderngl.Buffer], what: str) -> tuple[moderngl.Buffer, moderngl.Buffer]:
        """Two buffers; VoxelwrightError, and they are freed, where memory was short."""
        try:
            check_errors(self._ctx, what)
        except VoxelwrightError:
            for buffer in made:
                buffer.release()
            raise
        first, second = made
        return first, second
