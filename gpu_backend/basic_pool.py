# SPDX-License-Identifier: GPL-3.0-or-later
"""One world on the GPU where there are no compute shaders: the quads that the CPU meshes of it."""

import time

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, finish
from ..voxel.layout import CHUNK_SIZE, FLAG_SMOOTH
from ..voxel.world import Coord, World
from .basic_quads import BLOCKY_INSTANCE, SMOOTH_INSTANCE, QuadInstances, blocky_instances, smooth_instances
from .materials import PaletteMaterials
from .neighbours import AROUND, FACES, around
from .owned import Owned
from .residency import nearest_chunks
from .world_renderer import Pool

MESH_CHUNKS = 16
"""Chunks that are meshed and uploaded at once."""

MESH_SECONDS = 0.02
"""After which an update begins with no more of them."""


class BasicPool(Pool):
    """Follows a world: chunks that changed, and those whose faces depend on them, are meshed again, a part of them an
    update. Edits come first, and of each edit and of a new world the chunks nearest to the eye.

    It keeps all chunks and takes what memory they need, whatever the budget, so that notice is always None.
    """

    def __init__(self, ctx: moderngl.Context, blocky: moderngl.Program, smooth: moderngl.Program) -> None:
        with Owned() as owned:
            self.blocky = owned.add(QuadInstances(ctx, blocky, BLOCKY_INSTANCE))
            self.smooth = owned.add(QuadInstances(ctx, smooth, SMOOTH_INSTANCE))
            self.materials = owned.add(PaletteMaterials(ctx))
            self._owned = owned.pop_all()
        self._forget()

    @property
    def box(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        return self._box

    @property
    def nbytes(self) -> int:
        return self.blocky.nbytes + self.smooth.nbytes + self.materials.nbytes

    @property
    def n_chunks(self) -> int:
        return len(self.blocky.coords | self.smooth.coords)

    @property
    def n_quads(self) -> int:
        return self.blocky.n + self.smooth.n

    @property
    def n_draws(self) -> int:
        return (2 if self.has_transparency else 1) * ((self.blocky.n > 0) + (self.smooth.n > 0))

    @property
    def has_transparency(self) -> bool:
        return self.materials.has_transparency

    def set_budget(self, nbytes: int) -> None:
        """Nothing: all chunks are kept."""

    def update(self, world: World, eye: NDArray[np.float64], *, levels: bool = False) -> bool:
        """As Pool.update(): MESH_CHUNKS chunks at a time, for MESH_SECONDS or a little more. There are no levels of
        detail. Where graphics memory is short nothing is drawn, and the next call begins anew."""
        try:
            self._note_changes(world, eye)
            end = time.perf_counter() + MESH_SECONDS
            while self._stale:
                self._mesh_some(world)
                if time.perf_counter() >= end:
                    break
        except VoxelwrightError:
            self._forget()
            raise
        return not self._stale

    def bring(self, world: World, eye: NDArray[np.float64], *, levels: bool = False) -> Job[None]:
        most = 1
        while not self.update(world, eye):
            most = max(most, len(self._stale))
            yield Progress(1 - len(self._stale) / most, "Meshing")

    def release(self) -> None:
        self._owned.close()

    def _forget(self) -> None:
        self._world: World | None = None
        self._version = 0
        self._smoothing = 0.0
        self._with_smooth: set[Coord] = set()  # chunks of the world that have smooth voxels
        self._stale: dict[Coord, None] = {}  # to be meshed, in this order
        self._box: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self.blocky.clear()
        self.smooth.clear()

    def _note_changes(self, world: World, eye: NDArray[np.float64]) -> None:
        is_other = world is not self._world
        if not is_other and world.version == self._version:
            return
        if is_other:
            self._forget()
        changed = world.coords() if is_other else world.changed_since(self._version)
        had_smooth = bool(self._with_smooth)
        for coord in changed:
            is_smooth = bool(np.any(world.chunk(coord) & FLAG_SMOOTH))
            (self._with_smooth.add if is_smooth else self._with_smooth.discard)(coord)
        if self.materials.update(world.palette):  # what one sees through is another
            changed = {*changed, *world.coords()}
        if world.settings.smoothing != self._smoothing:
            changed = {*changed, *self._with_smooth}
        reach = AROUND if had_smooth or self._with_smooth else FACES
        stale = nearest_chunks(around(changed, reach), eye, None)
        self._stale = dict.fromkeys([*stale, *self._stale])
        coords = np.array(world.coords(), np.int64).reshape(-1, 3)
        self._box = (coords.min(axis=0) * CHUNK_SIZE, (coords.max(axis=0) + 1) * CHUNK_SIZE) if len(coords) else None
        self._world, self._version, self._smoothing = world, world.version, world.settings.smoothing

    def _mesh_some(self, world: World) -> None:
        # Loaded here: kernels take a while.
        from ..voxel.mesh.blocky import mesh_blocky

        self.n_changes += 1
        coords = list(self._stale)[:MESH_CHUNKS]
        blocky = blocky_instances(finish(mesh_blocky(world, merge=True, coords=coords)))
        for coord in coords:
            self.blocky.put(coord, blocky.get(coord, _NO_BLOCKS))
        if self._with_smooth or self.smooth.n:
            from ..voxel.mesh.smooth import mesh_smooth

            smooth = smooth_instances(finish(mesh_smooth(world, coords=coords)))
            for coord in coords:
                self.smooth.put(coord, smooth.get(coord, _NO_SURFACE))
        for coord in coords:
            del self._stale[coord]


_NO_BLOCKS, _NO_SURFACE = np.empty(0, BLOCKY_INSTANCE), np.empty(0, SMOOTH_INSTANCE)
