# SPDX-License-Identifier: GPL-3.0-or-later
"""Two questions about rows of bits that the processor answers in one instruction, and numba has no name for.

Both take and return int64, so that no row ever meets an unsigned number (numba makes floats of the two).
"""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def lowest_bit(_typing: Any, bits: Any) -> Any:
    """The index of the lowest set bit of an int64 that is not 0."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.int64(types.int64), generate


@intrinsic
def count_bits(_typing: Any, bits: Any) -> Any:
    """How many bits of an int64 are set."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate
