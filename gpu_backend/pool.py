# SPDX-License-Identifier: GPL-3.0-or-later
"""One world on the GPU: its voxels, what is meshed of them, and what of both is to be done again."""

from collections.abc import Iterable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.jobs import Job, Progress
from ..voxel.layout import AIR, CHUNK_SIZE, FLAG_SMOOTH
from ..voxel.world import Chunk, Coord, World
from .chunk_grid import ChunkGrid
from .context import Capabilities
from .field_pool import FieldPool
from .gl import GlFunctions
from .levels import Levels
from .materials import PaletteMaterials
from .neighbours import beside, may_have_faces
from .owned import Owned
from .passes.cull import DrawCommands
from .passes.mesh import MeshPass
from .passes.occupancy import OccupancyPass
from .quad_pool import QuadPool, QuadPoolFullError
from .records import MESH_JOB, UNIFORM_CHUNK
from .residency import chunks_in_reach, nearest_chunks, shortage
from .rows import Rows
from .smooth_pool import SmoothPool
from .surfaces import Surfaces
from .timers import FrameTimers
from .voxel_pages import SLOT_BYTES, VOXEL_BYTES, VoxelPages
from .world_renderer import DEFAULT_BUDGET, Pool

UPLOAD_BYTES = 32 << 20
"""Bytes of voxels that one update uploads."""

_VOXEL_SHARE = 0.75
_QUAD_SHARE = 0.165
"""Of the budget. Listing the quads that are drawn takes half as much as they do; smooth surfaces take what quads and
their list do not need; the rest has what is left."""


class WorldPool(Pool):
    """Follows a world: update() brings over what changed since the last call, a bounded part of it at a time.

    Chunks of one value take no slot, and only chunks that may have faces a row among the quads. Where the budget is too
    small for all chunks the nearest ones to the eye are there, without levels of detail.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        gl: GlFunctions,
        able: Capabilities,
        timers: FrameTimers,
        *,
        merge: bool = True,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        self._ctx, self._gl, self._able, self._timers = ctx, gl, able, timers
        self._merge, self._budget = merge, budget
        self._build()

    @property
    def box(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        return self._grid.box

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self._parts) if self._built_budget is not None else 0

    @property
    def n_chunks(self) -> int:
        return len(self._rows)

    @property
    def has_levels(self) -> bool:
        """Whether there are levels of detail."""
        return self._levels.is_on

    @property
    def n_quads(self) -> int:
        return self.quads.n_quads + self.smooth.n_quads

    @property
    def n_draws(self) -> int:
        return self.commands.n_commands

    @property
    def has_transparency(self) -> bool:
        return self.materials.has_transparency

    @property
    def defines(self) -> dict[str, int]:
        """What shaders that read the voxels must know."""
        return self._pages.defines

    @property
    def has_smooth_voxels(self) -> bool:
        """Whether any voxel of the world is smooth."""
        return len(self._surfaces.chunks) > 0

    def set_budget(self, nbytes: int) -> None:
        self._budget = nbytes

    def update(self, world: World, eye: NDArray[np.float64], *, levels: bool = False) -> bool:
        """As Pool.update(): at most UPLOAD_BYTES of voxels."""
        self._follow_budget()
        self._note_changes(world)
        self._remesh(self._rows_without_room(self.quads, wait=False))
        if levels != self._levels.wanted:
            self._levels.wanted, self._unsettled = levels, True
        self._settle(world, eye)
        self._upload(world)
        self._make_levels(world)
        self._grid.upload()
        self._make_fields(world)
        self._mesh(world)
        self._mesh_smooth(world)
        waits = self._unsettled or self._waiting or self._to_mesh or self._surfaces.are_stale
        return self.quads.is_settled and self.smooth.is_settled and not waits

    def bring(self, world: World, eye: NDArray[np.float64], *, levels: bool = False) -> Job[None]:
        most = 1
        while not self.update(world, eye, levels=levels):
            self._remesh(self._rows_without_room(self.quads, wait=True))
            self._surfaces.remesh(self._rows_without_room(self.smooth, wait=True))
            most = max(most, len(self._waiting))
            yield Progress(1 - len(self._waiting) / most, "Meshing on the graphics card")

    def bind(self) -> None:
        """Bind all buffers and textures to their binding points."""
        for part in (self._pages, self._grid, self.quads, self.smooth, self.materials):
            part.bind()

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self._pages, self._grid, self.quads, self.smooth, self.fields, self.materials, self.commands

    def release(self) -> None:
        self._owned.close()

    def _build(self) -> None:
        """Make all buffers and passes for the budget."""
        ctx, able = self._ctx, self._able
        n_slots, quad_bytes = self._shares()
        with Owned() as owned:
            self._pages = owned.add(VoxelPages(ctx, able, n_slots))
            self._grid = owned.add(ChunkGrid(ctx))
            self.quads = owned.add(QuadPool(ctx, self._gl, able, max_bytes=quad_bytes))
            self.smooth = owned.add(SmoothPool(ctx, self._gl, able, max_bytes=quad_bytes))
            self.fields = owned.add(FieldPool(ctx, self._pages, self._grid))
            self.materials = owned.add(PaletteMaterials(ctx))
            self.commands = owned.add(DrawCommands(ctx))
            self._occupancy_pass = owned.add(OccupancyPass(ctx, self._pages.defines))
            self._mesh_pass = owned.add(MeshPass(ctx, self._pages.defines, merge=self._merge))
            self._rows = Rows()
            self._levels = owned.add(Levels(ctx, self._pages, self._grid, self._rows))
            self._surfaces = owned.add(Surfaces(ctx, self._pages, self._grid, self.smooth))
            self._owned = owned.pop_all()
        self._built_budget: int | None = self._budget
        self.notice = None
        self._forget()

    def _shares(self) -> tuple[int, int]:
        """How many slots for voxels the budget has, and how many bytes for quads."""
        return int(self._budget * _VOXEL_SHARE) // SLOT_BYTES, int(self._budget * _QUAD_SHARE)

    def _follow_budget(self) -> None:
        """Keep to another budget. Buffers that are too large for it cannot shrink, and more of them need other shaders:
        then everything is made and brought over anew."""
        if self._budget == self._built_budget:
            return
        n_slots, quad_bytes = self._shares()
        is_built = self._built_budget is not None
        fits = is_built and 3 * self.quads.nbytes + 2 * self.smooth.nbytes <= 3 * quad_bytes
        if fits and self._pages.limit(n_slots):
            self.quads.max_bytes = quad_bytes
            self._room, self._unsettled = self._pages.max_slots, True
            self._levels.fits = True
            self._built_budget = self._budget
        else:
            self._built_budget = None  # where memory is short now, the next call tries again
            self._owned.close()
            self._build()

    def _forget(self) -> None:
        self._world: World | None = None
        self._version = 0
        self._dense: set[Coord] = set()  # chunks of the world that need a slot
        self._slots: dict[Coord, int] = {}
        self._rows.clear()
        self._levels.forget()
        self._waiting: dict[Coord, None] = {}  # have a slot, and voxels to be uploaded, in this order
        self._to_mesh: set[Coord] = set()
        self._surfaces.forget()
        self.fields.clear()
        self._unsettled = False
        self._room = self._pages.max_slots
        self._settled_chunk: tuple[float, ...] = ()

    def _note_changes(self, world: World) -> None:
        if world is not self._world:
            self._levels.drop()
            self._grid.clear()
            self.quads.clear()
            self.smooth.clear()
            for slot in self._slots.values():
                self._pages.give_back(slot)
            self._forget()
            self._world = world
            changed = set(world.coords())
        elif world.version == self._version:
            return
        else:
            changed = world.changed_since(self._version)
        self._version = world.version
        if self.materials.update(world.palette):  # what one sees through is another: all bits and quads are
            changed = set(world.coords())
        for coord in changed:
            self._note_change(world, coord, world.chunk(coord))

    def _note_change(self, world: World, coord: Coord, chunk: Chunk) -> None:
        if isinstance(chunk, int):
            self._dense.discard(coord)
            self._surfaces.chunks.discard(coord)
            self._evict(coord)
            if chunk == AIR:
                self._grid.put(coord, 0)
            else:
                self._unsettled = True
            if chunk & FLAG_SMOOTH:
                self._surfaces.chunks.add(coord)
            self._touch(coord)
            return
        self._dense.add(coord)
        smooth = self._surfaces.chunks
        (smooth.add if (chunk & FLAG_SMOOTH).any() else smooth.discard)(coord)
        if coord in self._slots:
            self._waiting[coord] = None
        else:
            self._unsettled = True

    def _settle(self, world: World, eye: NDArray[np.float64]) -> None:
        """Decide which chunks have slots, where something changed or the eye moved on in a world that is too large."""
        eye_chunk = tuple(np.floor(np.asarray(eye) / CHUNK_SIZE))
        if not self._unsettled and (self.notice is None or eye_chunk == self._settled_chunk):
            return
        everything = world.coords()
        reachable = chunks_in_reach(everything, eye)
        wanted = [coord for coord in self._dense if coord in reachable]
        wanted = nearest_chunks(wanted, eye, self._room)
        n_missing = len(self._dense) - len(wanted) + len(everything) - len(reachable)
        self.notice = shortage(n_missing, len(wanted), self._budget) if n_missing else None
        for coord in set(self._slots).difference(wanted):
            self._evict(coord)
            self._grid.put(coord, 0)
            self._touch(coord)
        if reachable:
            table = np.array(list(reachable))
            self._grid.cover(tuple(table.min(axis=0).tolist()), tuple(table.max(axis=0).tolist()))
        n_coarse = self._levels.follow([] if n_missing else everything, self._room - len(wanted))
        self._pages.reserve(len(wanted) + n_coarse)
        for coord in wanted:
            if coord not in self._slots:
                self._slots[coord] = self._pages.take()
                self._waiting[coord] = None
        self._put_uniform(world, reachable)
        # At the end: where graphics memory was short on the way, the next call tries again.
        self._unsettled, self._settled_chunk = False, eye_chunk

    def _put_uniform(self, world: World, coords: Iterable[Coord]) -> None:
        for coord in coords:
            chunk = world.chunk(coord)
            if isinstance(chunk, int) and self._grid.put(coord, UNIFORM_CHUNK | chunk):
                self._touch(coord)

    def _evict(self, coord: Coord) -> None:
        """Take a chunk's slot, and forget what was to be done with it."""
        self._waiting.pop(coord, None)
        slot = self._slots.pop(coord, None)
        if slot is not None:
            self._pages.give_back(slot)

    def _touch(self, coord: Coord) -> None:
        """A chunk's voxels are others now: it and its neighbours are to be meshed."""
        self._levels.touch(coord)
        self._surfaces.touch(coord)
        self.fields.touch(coord)
        self._to_mesh.add(coord)
        self._to_mesh.update(beside(coord))

    def _upload(self, world: World) -> None:
        if not self._waiting:
            return
        with self._timers.stage("upload"):
            slots = [self._upload_chunk(world, c) for c in list(self._waiting)[: UPLOAD_BYTES // VOXEL_BYTES]]
            self._pages.bind()
            self._occupancy_pass.run(np.array(slots, np.uint32), world.palette.transparent)

    def _upload_chunk(self, world: World, coord: Coord) -> int:
        """The slot that a waiting chunk is in now."""
        chunk = world.chunk(coord)
        assert not isinstance(chunk, int)
        del self._waiting[coord]
        slot = self._slots[coord]
        self._pages.write(slot, chunk)
        self._grid.put(coord, slot + 1)
        self._touch(coord)
        return slot

    def _make_levels(self, world: World) -> None:
        if self._levels.is_on:
            with self._timers.stage("levels"):
                self._levels.update(self._waiting, world.palette.transparent)

    def _make_fields(self, world: World) -> None:
        smooth = (coord for coord in self._surfaces.chunks if coord in self._slots and coord not in self._waiting)
        room = min(int(self._budget * _VOXEL_SHARE) - self._pages.nbytes, self._able.max_storage_block_bytes)
        self.fields.update(world, smooth, room, self._timers)

    def _mesh(self, world: World) -> None:
        ready = [coord for coord in self._to_mesh if not self._waits(coord)]
        self._to_mesh.difference_update(ready)
        jobs, gone = self._levels.take_jobs()
        for coord in ready:
            node = (0, coord)
            if may_have_faces(world, coord, self._slots):
                jobs.append((coord, self._rows.take(node)))
            elif node in self._rows:
                gone.append(self._rows.give_back(node))
        self.n_changes += bool(jobs or gone)
        if gone:
            self.quads.free_rows(np.array(gone, np.uint32))
        if jobs:
            with self._timers.stage("mesh"):
                self._pages.bind()
                self._grid.bind()
                self.quads.mesh(self._mesh_pass, np.array(jobs, MESH_JOB), world.palette.transparent)

    def _rows_without_room(self, pool: QuadPool | SmoothPool, *, wait: bool) -> NDArray[np.int64]:
        """The rows that are to be meshed again. Where the budget has no room for their quads, levels of detail
        have to go, then far chunks."""
        try:
            return pool.finish() if wait else pool.poll()
        except QuadPoolFullError:
            if pool is self.quads and self._levels.is_on:
                self._levels.give_up()
                return np.empty(0, np.int64)
            if self._room <= 1:
                raise
            self._room = max(min(self._room, len(self._slots)) * 3 // 4, 1)
            self._unsettled = True
            return np.empty(0, np.int64)

    def _remesh(self, rows: NDArray[np.int64]) -> None:
        """Note rows that found no room for their quads."""
        for level, coord in filter(None, map(self._rows.node_of, rows.tolist())):
            if level:
                self._levels.remesh((level, coord))
            else:
                self._to_mesh.add(coord)

    def _waits(self, coord: Coord) -> bool:
        """Whether voxels that its faces depend on are still to be uploaded."""
        return coord in self._waiting or any(neighbour in self._waiting for neighbour in beside(coord))

    def _mesh_smooth(self, world: World) -> None:
        if self.smooth.n_rows:
            self._share_memory()
        self._surfaces.remesh(self._rows_without_room(self.smooth, wait=False))
        self.n_changes += self._surfaces.update(world, self._waiting, self._timers)

    def _share_memory(self) -> None:
        """Let quads of blocks and smooth surfaces each have what the other does not need."""
        _, quad_bytes = self._shares()
        self.smooth.max_bytes = 3 * (quad_bytes - self.quads.nbytes) // 2
        self.quads.max_bytes = quad_bytes - 2 * self.smooth.nbytes // 3
