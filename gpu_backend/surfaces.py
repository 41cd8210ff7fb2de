# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunks of a world on the GPU have smooth surfaces, and which of these are to be meshed."""

from collections.abc import Collection

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.world import Coord, World
from .chunk_grid import ChunkGrid
from .neighbours import around
from .owned import Owned
from .passes.nets import NetsPass
from .records import MESH_JOB
from .rows import Rows
from .smooth_pool import SmoothPool
from .timers import FrameTimers
from .voxel_pages import VoxelPages


class Surfaces:
    """The smooth surfaces of a pool, whose parts it shares. touch() notes what changed, update() meshes what follows
    from that. chunks are the world's chunks that have smooth voxels; the pool keeps them."""

    def __init__(self, ctx: moderngl.Context, pages: VoxelPages, grid: ChunkGrid, pool: SmoothPool) -> None:
        self._pages, self._grid, self._pool = pages, grid, pool
        self._rows = Rows()
        with Owned() as owned:
            self._pass = owned.add(NetsPass(ctx, pages.defines))
            self._owned = owned.pop_all()
        self.forget()

    @property
    def are_stale(self) -> bool:
        """Whether any are to be meshed."""
        return len(self._stale) > 0

    def forget(self) -> None:
        """Have none, where the pool's are gone already."""
        self.chunks: set[Coord] = set()
        self._touched: set[Coord] = set()
        self._stale: set[Coord] = set()
        self._smoothing = 0.0
        self._rows.clear()

    def touch(self, coord: Coord) -> None:
        """A chunk's voxels are others now."""
        self._touched.add(coord)

    def remesh(self, rows: NDArray[np.int64]) -> None:
        """Note rows that found no room for their surface."""
        self._stale.update(coord for _, coord in filter(None, map(self._rows.node_of, rows.tolist())))

    def update(self, world: World, waiting: Collection[Coord], timers: FrameTimers) -> bool:
        """Mesh those that may be others now, but for those that depend on chunks which wait for their voxels; whether
        there were any. Raises VoxelwrightError where graphics memory is short; then the next call tries again."""
        if self.chunks or len(self._rows):
            self._stale |= around(self._touched)
        self._touched.clear()
        if world.settings.smoothing != self._smoothing:
            self._smoothing = world.settings.smoothing
            self._stale.update(coord for _, coord in self._rows.nodes())
        if not self._stale:
            return False
        ready = self._stale - around(waiting)
        jobs, gone = [], []
        for coord in ready:
            node = (0, coord)
            has_surface = self._may_have_surface(coord)
            if has_surface or node in self._rows:
                jobs.append((coord, self._rows.take(node)))
            if not has_surface and node in self._rows:
                gone.append(node)
        if jobs:
            with timers.stage("smooth"):
                self._pages.bind()
                self._grid.bind()
                self._pool.mesh(self._pass, np.array(jobs, MESH_JOB), world.palette.transparent, self._smoothing)
        for node in gone:  # meshed once more, they have nothing
            self._rows.give_back(node)
        self._stale -= ready
        return len(jobs) > 0

    def release(self) -> None:
        """Free the pass; the pool is its maker's."""
        self._owned.close()

    def _may_have_surface(self, coord: Coord) -> bool:
        """Whether a chunk may own quads: they lie between its own voxels and the next ones on each axis."""
        x, y, z = coord
        ends = (coord, (x + 1, y, z), (x, y + 1, z), (x, y, z + 1))
        return any(end in self.chunks for end in ends)
