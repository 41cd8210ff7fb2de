# SPDX-License-Identifier: GPL-3.0-or-later
"""Foreign bytes, read value by value and never beyond their end."""

import struct
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import VoxelwrightError

_I32 = struct.Struct("<i")
_F32 = struct.Struct("<f")


class Reader:
    """A place in little-endian bytes that moves on with each value read.

    what names in messages the part that is read, such as 'The .vox file' or 'Chunk XYZI of the .vox file'. Every
    length is checked against what is left before anything is made from it; a method that is asked for more
    raises VoxelwrightError.
    """

    __slots__ = ("_data", "_end", "_position", "what")

    def __init__(self, data: bytes, what: str, start: int = 0, end: int | None = None) -> None:
        self.what = what
        self._data = data
        self._position = start
        self._end = len(data) if end is None else end

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return self._end - self._position

    def skip(self, n: int) -> int:
        """Move on by n bytes; returns the offset in the data at which they begin."""
        start = self._position
        if not 0 <= n <= self._end - start:
            raise VoxelwrightError(
                f"{self.what} is cut short or damaged: it claims {n} bytes where {self.left} are left; "
                "save it anew or get another copy."
            )
        self._position = start + n
        return start

    def i32(self) -> int:
        """A signed 32-bit number."""
        return _I32.unpack_from(self._data, self.skip(4))[0]

    def f32(self) -> float:
        """A 32-bit float; any of them, NaN and infinities too."""
        return _F32.unpack_from(self._data, self.skip(4))[0]

    def count(self, size: int) -> int:
        """A signed 32-bit number of items that take at least size bytes each, all of which are still to come."""
        n = self.i32()
        if not 0 <= n * size <= self.left:
            raise VoxelwrightError(
                f"{self.what} is cut short or damaged: it claims {n} entries where {self.left} bytes are left; "
                "save it anew or get another copy."
            )
        return n

    def bytes(self, n: int) -> bytes:
        """The next n bytes, copied."""
        start = self.skip(n)
        return self._data[start : start + n]

    def array(self, dtype: DTypeLike, n: int) -> NDArray[Any]:
        """The next n values of a dtype, (n,): a read-only view, nothing is copied."""
        dtype = np.dtype(dtype)
        start = self.skip(n * dtype.itemsize)
        return np.frombuffer(self._data, dtype, n, start)

    def part(self, n: int, what: str) -> "Reader":
        """A reader of the next n bytes alone; this one moves on behind them."""
        start = self.skip(n)
        return Reader(self._data, what, start, start + n)
