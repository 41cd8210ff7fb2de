# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of pieces of work that threads take one after another, where pieces take unlike time: prange deals them out
beforehand, and then waits for the thread that has the longest ones.

In a parallel kernel a queue is np.zeros(1, np.int64), and each of prange(n_threads) takes from it. The caller asks
get_num_threads(), because kernels that do cannot be cached.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from .kernels import kernel


@kernel
def take(queue):
    """The next number, from 0 on, of a queue (1,) int64. Each is taken once, by whatever thread."""
    return _fetch_and_add_one(np.int64(queue.ctypes.data))


@intrinsic
def _fetch_and_add_one(_typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.get_value_type(signature.return_type)
        return builder.atomic_rmw("add", builder.inttoptr(arguments[0], number.as_pointer()), number(1), "monotonic")

    return types.int64(types.int64), generate
