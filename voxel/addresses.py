# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks by where they are in memory: so one kernel works on many chunks that are arrays each of its own.

Addresses are int64. The caller keeps the arrays alive.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from .kernels import kernel
from .layout import CHUNK_SIZE
from .world import Chunk

_N = CHUNK_SIZE


@kernel
def address_of(chunk):
    """Where the voxels of a chunk are in memory."""
    if chunk.shape != (_N, _N, _N) or chunk.itemsize != 2 or not chunk.flags.c_contiguous:
        raise ValueError("a chunk is a contiguous (32, 32, 32) uint16 array")
    return np.int64(chunk.ctypes.data)


def sources_of(chunks: Iterable[Chunk]) -> NDArray[np.int64]:
    """(n,) int64: the addresses of chunks, −1 − value where all of a chunk's voxels are that."""
    return np.array([-1 - chunk if isinstance(chunk, int) else address_of(chunk) for chunk in chunks], np.int64)


@kernel
def voxels_at(address):
    """The voxels (32, 32, 32) uint16 of the chunk at address, themselves and no copy."""
    return carray(_pointer(address), (_N, _N, _N))


@intrinsic
def _pointer(_typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.uint16)(types.int64), generate
