# SPDX-License-Identifier: GPL-3.0-or-later
"""The edges of selections, to draw them."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel
from ..layout import CHUNK_SIZE
from ..limits import MAX_OUTLINE_SEGMENTS
from ..world import Coord, chunk_overlaps
from .selection import Selection

_N = CHUNK_SIZE
_MAX_IN_CHUNK = 3 * _N * _N * (_N // 2)
"""Segments of a chunk: along each axis, on each line every other edge."""

_NONE, _ALL = np.zeros((_N, _N), np.uint64), np.full((_N, _N), (1 << _N) - 1, np.uint64)


def outline(selection: Selection, limit: int = MAX_OUTLINE_SEGMENTS) -> NDArray[np.float32]:
    """The edges of a selected set as line segments, (n, 2, 3) float32: their ends, in voxels.

    An edge of voxels counts where of the four about it one, three, or two that meet in it alone are selected: flat
    faces have edges at their borders only. Those in one line are one segment within a chunk. Where there would be more
    than limit, the edges of the selection's box.
    """
    found, n_found = [], 0
    segments = np.empty((_MAX_IN_CHUNK, 2, 3), np.float32)
    for coord, rows in _rows_about(selection):
        n_here = _edges(rows, segments)
        n_found += n_here
        if n_found > limit:
            bounds = selection.bounds()
            assert bounds is not None
            return box_edges(*bounds)
        found.append(segments[:n_here] + np.array(coord, np.float32) * _N)
    return np.concatenate(found) if found else np.empty((0, 2, 3), np.float32)


def box_edges(low: Coord, high: Coord) -> NDArray[np.float32]:
    """(12, 2, 3) float32: the edges of the box from voxel low to voxel high (inclusive), as outline() gives them."""
    corners = np.array(list(product(*zip(low, np.array(high) + 1, strict=True))), np.float32)
    ends = [(corner, corner | bit) for bit in (4, 2, 1) for corner in range(8) if not corner & bit]
    return corners[np.array(ends)]


def faces(selection: Selection) -> NDArray[np.float32]:
    """The faces between selected voxels and others, (n, 4, 3) float32: their corners, in voxels, in an order that goes
    round. It takes memory for the box of the selection."""
    bounds = selection.bounds()
    if bounds is None:
        return np.empty((0, 4, 3), np.float32)
    low, high = np.array(bounds[0]), np.array(bounds[1]) + 1
    selected = np.zeros(high - low + 2, np.bool_)
    for coord, inside, outside in chunk_overlaps(low.tolist(), high.tolist()):
        mask = selection.mask(coord)
        selected[1:-1, 1:-1, 1:-1][outside] = mask if isinstance(mask, bool) else mask[inside]
    found = []
    for axis in range(3):
        # Between a voxel and the next along the axis.
        places = np.argwhere(np.diff(selected, axis=axis)).astype(np.float32) + (low - 1).astype(np.float32)
        places[:, axis] += 1
        corners = np.zeros((4, 3), np.float32)
        corners[:, (axis + 1) % 3], corners[:, (axis + 2) % 3] = (0, 1, 1, 0), (0, 0, 1, 1)
        found.append(places[:, None] + corners)
    return np.concatenate(found)


def _rows_about(selection: Selection) -> Iterator[tuple[Coord, NDArray[np.uint64]]]:
    """Yield (chunk, rows) for the chunks in which there may be edges, their low sides included.

    rows (33, 33) uint64: one for each (x, y) from −1 on, of which bit 1 + z says whether that voxel is selected.
    """
    bits: dict[Coord, NDArray[np.uint64]] = {}
    selected = set(selection.coords())
    # No edge at a chunk's low corner has all of its voxels in chunks below it along all three axes.
    reach = [offset for offset in product((0, 1), repeat=3) if sum(offset) < 3]
    near = {(x + dx, y + dy, z + dz) for x, y, z in selected for dx, dy, dz in reach}
    for coord in sorted(near):
        x, y, z = coord
        about = [(x - dx, y - dy, z - dz) for dx, dy, dz in product((0, 1), repeat=3)]
        if all(selection.mask(there) is True for there in about):
            continue
        for there in about:
            if there not in bits:
                bits[there] = _bits(selection, there)
        rows = np.empty((_N + 1, _N + 1), np.uint64)
        for dx, dy in product((0, 1), repeat=2):
            target = slice(1 - dx, None if dx == 0 else 1), slice(1 - dy, None if dy == 0 else 1)
            source = slice(None if dx == 0 else -1, None), slice(None if dy == 0 else -1, None)
            here, below = bits[x - dx, y - dy, z], bits[x - dx, y - dy, z - 1]
            rows[target] = here[source] << np.uint64(1) | below[source] >> np.uint64(_N - 1)
        yield coord, rows


def _bits(selection: Selection, coord: Coord) -> NDArray[np.uint64]:
    """(32, 32) uint64: for each (x, y) of a chunk, of which bit z says whether that voxel is selected."""
    mask = selection.mask(coord)
    if isinstance(mask, bool):
        return _ALL if mask else _NONE
    return np.packbits(mask, axis=-1, bitorder="little").view("<u4")[..., 0].astype(np.uint64)


@kernel
def _between(a, b, c, d):
    """The bits in which one or three of four rows are 1, or two, a and d or b and c."""
    return (a ^ b ^ c ^ d) | ((a ^ b) & (a ^ c))


@kernel
def _edges(rows, segments):
    """Write a chunk's edges to segments (…, 2, 3) float32, counted from its corner; rows are those of _rows_about().
    Returns how many there are."""
    n = 0
    one = np.uint64(1)
    inside = np.uint64(((1 << _N) - 1) << 1)
    begun = np.zeros(_N, np.int64)
    for axis in range(2):
        for across in range(_N):
            before = np.uint64(0)
            for along in range(_N + 1):
                now = np.uint64(0)
                if along < _N:
                    if axis == 0:
                        one_row, other_row = rows[along + 1, across], rows[along + 1, across + 1]
                    else:
                        one_row, other_row = rows[across, along + 1], rows[across + 1, along + 1]
                    now = _between(one_row << one, other_row << one, one_row, other_row) & inside
                changed = now ^ before
                if changed:
                    for z in range(_N):
                        if (changed >> np.uint64(z + 1)) & one:
                            if (now >> np.uint64(z + 1)) & one:
                                begun[z] = along
                            else:
                                for end in range(2):
                                    segments[n, end, axis] = begun[z] if end == 0 else along
                                    segments[n, end, 1 - axis] = across
                                    segments[n, end, 2] = z
                                n += 1
                before = now
    for x in range(_N):
        for y in range(_N):
            now = _between(rows[x, y], rows[x + 1, y], rows[x, y + 1], rows[x + 1, y + 1]) & inside
            if not now:
                continue
            start = -1
            for z in range(_N + 1):
                if (now >> np.uint64(z + 1)) & one and z < _N:
                    if start < 0:
                        start = z
                elif start >= 0:
                    for end in range(2):
                        segments[n, end, 0] = x
                        segments[n, end, 1] = y
                        segments[n, end, 2] = start if end == 0 else z
                    n += 1
                    start = -1
    return n
