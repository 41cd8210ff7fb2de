# SPDX-License-Identifier: GPL-3.0-or-later
"""A world with changes that are not made yet, and boxes of its voxels as one array."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..addresses import sources_of, voxels_at
from ..errors import VoxelwrightError
from ..kernels import kernel
from ..layout import CHUNK_SHIFT, CHUNK_SIZE, VOXEL_DTYPE
from ..limits import MAX_EDIT_CHUNKS
from ..palette import Palette
from ..world import Chunk, ChunkDelta, Coord, Edit, World, same_chunk

_N = CHUNK_SIZE

CHUNKS_PER_SLICE = 64
"""After how many chunks a job says how far it is: some hundredths of a second."""


class Voxels(Protocol):
    """What can be read like a world's voxels."""

    def chunk(self, coord: Coord) -> Chunk:
        """The chunk's voxels."""


class Draft:
    """The chunks of a world as they will be. The world is never changed by it.

    It holds the chunks that were put, and what they were before. Whoever shows the changes while they are being made
    may apply them to the world; but nobody else may change it until the draft is done with.
    """

    def __init__(self, world: World) -> None:
        self.palette: Palette = world.palette
        self.begin = _Begin(world)
        self._world = world
        self._palette_before, self._settings = world.palette, world.settings
        self._after: dict[Coord, Chunk] = {}
        self._step: dict[Coord, Chunk] = {}

    def chunk(self, coord: Coord) -> Chunk:
        """The chunk with the changes."""
        after = self._after.get(coord)
        return self._world.chunk(coord) if after is None else after

    def put(self, chunks: dict[Coord, Chunk]) -> None:
        """Change these chunks. Raises VoxelwrightError where there are too many, all in all, and then changes none."""
        check_chunks(len(self._after.keys() | chunks.keys()))
        for coord, after in chunks.items():
            self.begin.keep(coord)
            self._step.setdefault(coord, self.chunk(coord))
            self._after[coord] = after

    def step(self) -> Edit:
        """What was changed since the last step, as an edit; a new step begins."""
        before, self._step = self._step, {}
        return self._edit(before, self.palette)

    def edit(self) -> Edit:
        """All changes as one edit of the world as it was at the begin."""
        return self._edit({coord: self.begin.chunk(coord) for coord in self._after}, self._palette_before)

    def _edit(self, before: dict[Coord, Chunk], palette_before: Palette) -> Edit:
        deltas = [ChunkDelta(coord, chunk, self.chunk(coord)) for coord, chunk in sorted(before.items())]
        changed = tuple(delta for delta in deltas if not same_chunk(delta.before, delta.after))
        return Edit(changed, palette_before, self.palette, self._settings, self._settings)


class _Begin:
    """A draft's world as it was at the begin."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._before: dict[Coord, Chunk] = {}

    def keep(self, coord: Coord) -> None:
        self._before.setdefault(coord, self._world.chunk(coord))

    def chunk(self, coord: Coord) -> Chunk:
        before = self._before.get(coord)
        return self._world.chunk(coord) if before is None else before


def check_chunks(n_chunks: int) -> None:
    """Raise VoxelwrightError where one edit would touch too many chunks."""
    if n_chunks > MAX_EDIT_CHUNKS:
        raise VoxelwrightError(
            f"This would touch {n_chunks} chunks of 32³ voxels; do it in parts of at most {MAX_EDIT_CHUNKS}."
        )


def window(source: Voxels, low: Coord, high: Coord) -> int | NDArray[np.uint16]:
    """The voxels from low to high (exclusive): one value where all chunks there have it, else a new uint16 array."""
    first = [c >> CHUNK_SHIFT for c in low]
    end = [(c - 1 >> CHUNK_SHIFT) + 1 for c in high]
    chunks = [
        source.chunk((x, y, z))
        for x in range(first[0], end[0])
        for y in range(first[1], end[1])
        for z in range(first[2], end[2])
    ]
    alone = chunks[0]
    if isinstance(alone, int) and all(isinstance(chunk, int) and chunk == alone for chunk in chunks):
        return alone
    out = np.empty([b - a for a, b in zip(low, high, strict=True)], VOXEL_DTYPE)
    shape = [b - a for a, b in zip(first, end, strict=True)]
    _gather(
        sources_of(chunks).reshape(shape), low[0] - first[0] * _N, low[1] - first[1] * _N, low[2] - first[2] * _N, out
    )
    return out


@kernel
def _gather(table, x0, y0, z0, out):
    """Fill out (nx, ny, nz) uint16 with the voxels from (x0, y0, z0) on, counted from the corner of the first of the
    chunks in table (cx, cy, cz) int64: their addresses, or −1 − value where all of a chunk's voxels are that."""
    nx, ny, nz = out.shape
    for cx in range(table.shape[0]):
        ax, bx = max(0, cx * _N - x0), min(nx, (cx + 1) * _N - x0)
        for cy in range(table.shape[1]):
            ay, by = max(0, cy * _N - y0), min(ny, (cy + 1) * _N - y0)
            for cz in range(table.shape[2]):
                az, bz = max(0, cz * _N - z0), min(nz, (cz + 1) * _N - z0)
                entry = table[cx, cy, cz]
                if entry < 0:
                    value = np.uint16(-1 - entry)
                    for x in range(ax, bx):
                        for y in range(ay, by):
                            row = out[x, y, az:bz]
                            for z in range(len(row)):
                                row[z] = value
                else:
                    voxels = voxels_at(entry)
                    sx, sy, sz = x0 - cx * _N, y0 - cy * _N, z0 - cz * _N
                    for x in range(ax, bx):
                        for y in range(ay, by):
                            # Rows from 0 on: indices that cannot be negative are what compilers can vectorise.
                            row, there = out[x, y, az:bz], voxels[x + sx, y + sy, az + sz : bz + sz]
                            for z in range(len(row)):
                                row[z] = there[z]
