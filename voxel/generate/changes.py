# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunks of a batch differ from a world's, and those as arrays of their own; by all threads."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..addresses import address_of, voxels_at
from ..kernels import parallel_kernel, prange
from ..layout import CHUNK_SHAPE, VOXEL_DTYPE
from ..world import Chunk, Coord, World


def changed_chunks(
    coords: Sequence[Coord], voxels: NDArray[np.uint16], uniform: NDArray[np.int64], world: World | None
) -> Iterator[tuple[Coord, Chunk]]:
    """Those chunks that differ from world's, or all of them where there is none.

    uniform (n,) int64 is the voxel of which a chunk is made throughout; where it is −1, voxels (n, 32, 32, 32) has the
    chunk, which is copied.
    """
    n = len(coords)
    changed = np.ones(n, np.bool_)
    if world is not None:
        before = [world.chunk(coord) for coord in coords]
        values = np.array([chunk if isinstance(chunk, int) else -1 for chunk in before], np.int64)
        addresses = np.array([0 if isinstance(chunk, int) else address_of(chunk) for chunk in before], np.int64)
        _compare(voxels, uniform, values, addresses, changed)
    copied = np.flatnonzero(changed & (uniform[:n] < 0))
    copies = [np.empty(CHUNK_SHAPE, VOXEL_DTYPE) for _ in copied]
    _copy(voxels, copied, np.array([address_of(copy) for copy in copies], np.int64))
    for i, copy in zip(copied.tolist(), copies, strict=True):
        copy.flags.writeable = False
        yield coords[i], copy
    for i in np.flatnonzero(changed & (uniform[:n] >= 0)).tolist():
        yield coords[i], int(uniform[i])


@parallel_kernel
def _compare(voxels, uniform, values, addresses, changed):
    """Write changed (n,) bool: whether a chunk differs from that of values (n,) int64, or, where that is −1, from the
    one at addresses (n,) int64. voxels and uniform are those of changed_chunks()."""
    for k in prange(len(changed)):
        i = np.int64(k)  # prange counts in uint64
        changed[i] = uniform[i] != values[i]
        if uniform[i] < 0 and values[i] < 0:
            before, after = voxels_at(addresses[i]).reshape(-1), voxels[i].reshape(-1)
            differing = np.uint16(0)
            for v in range(len(before)):
                differing |= before[v] ^ after[v]
            changed[i] = differing != 0


@parallel_kernel
def _copy(voxels, rows, addresses):
    """Write chunks rows (m,) int64 of voxels (n, 32, 32, 32) uint16 to the chunks at addresses (m,) int64."""
    for k in prange(len(rows)):
        voxels_at(addresses[k])[:] = voxels[rows[k]]
