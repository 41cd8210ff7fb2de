# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that are made part after part, each part written where it stays: to put them together at the end would write
everything twice, and fresh memory costs more than what is written to it."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..kernels import parallel_kernel, prange

_BLOCK = 1 << 18
"""Bytes that a thread copies at once."""

_MARGIN = 1.1
_LARGEST_STEP = 4.0


class Lengthening:
    """Rows of one shape and dtype, which become more."""

    def __init__(self, dtype: DTypeLike, shape: tuple[int, ...] = ()) -> None:
        self._rows: NDArray[Any] = np.empty((0, *shape), dtype)
        self._n = 0

    def add(self, n: int, done: float) -> NDArray[Any]:
        """The next n rows, to be written before more are added. done, 0 < … ≤ 1, is the share of all rows that there
        are then, as far as one knows: room is made for the others too, and the system gives memory to what is written
        only."""
        start, self._n = self._n, self._n + n
        if self._n > len(self._rows):
            step = min(_MARGIN / done, _LARGEST_STEP) if done < 1 else 1.0
            longer = np.empty((int(self._n * step), *self._rows.shape[1:]), self._rows.dtype)
            _copy(_as_bytes(self._rows[:start]), _as_bytes(longer))
            self._rows = longer
        return self._rows[start : self._n]

    def all(self) -> NDArray[Any]:
        """All rows."""
        return self._rows[: self._n]


def _as_bytes(rows: NDArray[Any]) -> NDArray[np.uint8]:
    return rows.reshape(-1).view(np.uint8)


@parallel_kernel
def _copy(source, target):
    """Write source (n,) uint8 to the first n of target (n or more,) uint8."""
    for k in prange((len(source) + _BLOCK - 1) // _BLOCK):
        start = np.int64(k) * _BLOCK  # prange counts in uint64
        end = min(start + _BLOCK, len(source))
        target[start:end] = source[start:end]
