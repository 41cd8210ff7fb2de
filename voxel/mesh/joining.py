# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays one after another as one, written by all threads: fresh memory costs more than what is written to it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels import parallel_kernel, prange

_BLOCK = 1 << 18
"""Bytes that a thread copies at once."""


def joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """What np.concatenate() makes of one or more contiguous arrays of one dtype."""
    if len(parts) == 1:
        return parts[0]
    out = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), parts[0].dtype)
    if out.nbytes <= _BLOCK:
        return np.concatenate(parts, out=out)
    start = 0
    for part in parts:
        end = start + len(part)
        _copy(part.reshape(-1).view(np.uint8), out[start:end].reshape(-1).view(np.uint8))
        start = end
    return out


@parallel_kernel
def _copy(source, target):
    """Write source (n,) uint8 to target (n,) uint8."""
    for k in prange((len(source) + _BLOCK - 1) // _BLOCK):
        start = np.int64(k) * _BLOCK  # prange counts in uint64
        target[start : start + _BLOCK] = source[start : start + _BLOCK]
