# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunks may be on the GPU at once."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import CHUNK_SIZE
from ..voxel.limits import MAX_DRAWN_CHUNK_COORD, MAX_GRID_CELLS
from ..voxel.world import Coord


def nearest_chunks(coords: Collection[Coord], eye: NDArray[np.float64], n: int | None) -> list[Coord]:
    """The n chunks whose middles are nearest to the eye (voxel space), nearest first; all for
    None and where there are no more."""
    listed = sorted(coords)
    middles = (np.array(listed, np.float64).reshape(-1, 3) + 0.5) * CHUNK_SIZE
    order = np.argsort(((middles - eye) ** 2).sum(axis=1), kind="stable")[:n]
    return [listed[i] for i in order.tolist()]


def chunks_in_reach(coords: Collection[Coord], eye: NDArray[np.float64]) -> set[Coord]:
    """Those chunks that one grid of chunks can hold: all, or those in a cube of MAX_GRID_CELLS about the eye where they
    lie too far apart for that."""
    if not coords:
        return set()
    table = np.array(list(coords), np.int64)
    inside = np.abs(table).max(axis=1) <= MAX_DRAWN_CHUNK_COORD
    low, high = table.min(axis=0), table.max(axis=0)
    if not inside.all() or int(np.prod((high - low + 1).astype(object))) > MAX_GRID_CELLS:
        half = round(MAX_GRID_CELLS ** (1 / 3)) // 2
        middle = np.floor(np.asarray(eye) / CHUNK_SIZE)
        inside &= (np.abs(table - middle) < half).all(axis=1)
    return {coord for coord, kept in zip(coords, inside.tolist(), strict=True) if kept}


def shortage(n_missing: int, n_shown: int, budget: int) -> str:
    """What people are told where a budget of so many bytes has no room for all chunks."""
    return (
        f"{n_missing} far chunks are not shown: the graphics memory budget of {budget >> 20} MiB holds "
        f"{n_shown} chunks with their faces; raise the budget in the preferences, or work on a part of the world."
    )
