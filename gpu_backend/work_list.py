# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dispatch is to work on: a list that is uploaded anew for each."""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from .context import check_errors
from .owned import Owned
from .records import StorageBinding

ITEMS_A_DISPATCH = 4096
"""Work groups of one dispatch at most, so that none takes long."""


class WorkList:
    """The buffer at the binding point JOBS."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        with Owned() as owned:
            self._buffer = owned.add(ctx.buffer(reserve=4, dynamic=True))
            check_errors(ctx, "a list of work")
            owned.pop_all()

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._buffer.size

    def upload(self, items: NDArray[Any]) -> None:
        """Replace the list by these (n > 0,) items, and bind it. Dispatches given before keep theirs."""
        self._buffer.orphan(items.nbytes)
        check_errors(self._ctx, f"a list of {len(items)} chunks")
        self._buffer.write(np.ascontiguousarray(items).tobytes())
        self._buffer.bind_to_storage_buffer(StorageBinding.JOBS)

    def release(self) -> None:
        """Free the buffer."""
        self._buffer.release()


def dispatch(program: moderngl.ComputeShader, n_items: int, first: str) -> None:
    """Run a work group an item, in bounded dispatches; first names the uniform that says where one begins."""
    for start in range(0, n_items, ITEMS_A_DISPATCH):
        program[first] = start
        program.run(min(n_items - start, ITEMS_A_DISPATCH))
