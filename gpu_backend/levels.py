# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of detail of one world on the GPU: coarse chunks, which are made and meshed there from finer ones.

A chunk of level k has 32³ voxels of 2ᵏ voxels each along every axis, made of the eight chunks of level k − 1 in it. It
takes a slot, or none where all in it is of one value, and a row among the quads as the world's own chunks do; which of
them are drawn is decided on the GPU (shaders/lib/levels.glsl). Smooth voxels are blocks in it, with the light of a
smooth surface: what is drawn of one is not larger than a pixel or two.
"""

from collections.abc import Collection

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import FLAG_SMOOTH, MATERIAL_SHIFT
from ..voxel.world import Coord
from .chunk_grid import ChunkGrid
from .neighbours import beside
from .owned import Owned
from .passes.downsample import DownsamplePass
from .passes.occupancy import OccupancyPass
from .records import LEVEL_JOB, LEVEL_SMOOTH, MESH_LEVEL_SHIFT, UNIFORM_CHUNK
from .rows import Node, Rows
from .voxel_pages import VoxelPages

N_LEVELS = 4
"""Voxels of the coarsest one are 16 wide; shaders/lib/views.glsl has a colour for each."""

_OCTANTS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]


class Levels:
    """The coarse chunks of a pool, whose parts it shares. It has none until follow() says that there is room for them;
    then touch() notes what changed, update() makes what follows from that, and take_jobs() tells what is to be meshed.
    """

    def __init__(self, ctx: moderngl.Context, pages: VoxelPages, grid: ChunkGrid, rows: Rows) -> None:
        self._ctx, self._pages, self._grid, self._rows = ctx, pages, grid, rows
        self._passes: tuple[DownsamplePass, OccupancyPass] | None = None
        self.wanted = False
        self._owned = Owned()
        self.forget()

    def forget(self) -> None:
        """Have no coarse chunks, where their slots, cells and rows are gone already."""
        self.is_on, self.fits = False, True
        self._slots: dict[Node, int] = {}
        self._stale: set[Node] = set()
        self._to_mesh: set[Node] = set()

    def follow(self, coords: Collection[Coord], n_free_slots: int) -> int:
        """Have coarse chunks of the world's chunks (all that are not air) where they are wanted and would fit into so
        many slots. Returns how many of those they take at most, while those that are to go still have theirs."""
        nodes = _ancestors(coords) if self.wanted and self.fits and coords else set()
        n = len(nodes | self._slots.keys())
        if not nodes or n > n_free_slots:
            self.drop()
            return 0
        if not self.is_on:
            self.is_on = True
            self._make_passes()
            self._grid.keep_levels(N_LEVELS)
            self._stale.update((1, _half(coord)) for coord in coords)
        return n

    def drop(self) -> None:
        """Give all coarse chunks up; take_jobs() says whose quads go."""
        if not self.is_on:
            return
        for slot in self._slots.values():
            self._pages.give_back(slot)
        gone = {node for node in self._rows.nodes() if node[0] > 0}
        self.forget()
        self._to_mesh = gone
        self._grid.keep_levels(0)

    def give_up(self) -> None:
        """Have none until forget(), or until fits is set: there is no room for their quads."""
        self.drop()
        self.fits = False

    def touch(self, coord: Coord) -> None:
        """Note that a chunk of the world has other voxels."""
        if self.is_on:
            self._stale.add((1, _half(coord)))

    def update(self, waiting: Collection[Coord], transparent: NDArray[np.bool_]) -> None:
        """Make the coarse chunks above those that changed, but for those with chunks in them that are waiting to be
        uploaded. transparent (256,) says which materials one sees through."""
        jobs: list[tuple[int, list[int]]] = []
        counts = []
        blocked = {(1, _half(coord)) for coord in waiting}
        for level in range(1, N_LEVELS + 1):
            stale = [node for node in self._stale if node[0] == level and node not in blocked]
            n_before = len(jobs)
            jobs += filter(None, map(self._remake, stale))
            counts.append(len(jobs) - n_before)
            self._stale.difference_update(stale)
            if level < N_LEVELS:
                self._stale.update((level + 1, _half(coord)) for _, coord in stale)
                blocked = {(level + 1, _half(coord)) for at, coord in self._stale if at == level}
        if jobs:
            assert self._passes is not None
            downsample, occupancy = self._passes
            self._pages.bind()
            downsample.run(np.array(jobs, LEVEL_JOB), counts, transparent)
            occupancy.run(np.array([slot for slot, _ in jobs], np.uint32), transparent)

    def remesh(self, node: Node) -> None:
        """Have a coarse chunk meshed again."""
        self._to_mesh.add(node)

    def take_jobs(self) -> tuple[list[tuple[Coord, int]], list[int]]:
        """What is to be meshed, as MESH_JOBs, and rows whose quads go. It is forgotten here."""
        jobs, gone = [], []
        for level, coord in self._to_mesh:
            if self.is_on and self._grid.cell(coord, level):
                jobs.append((coord, self._rows.take((level, coord)) | level << MESH_LEVEL_SHIFT))
            elif (level, coord) in self._rows:
                gone.append(self._rows.give_back((level, coord)))
        self._to_mesh.clear()
        return jobs, gone

    def release(self) -> None:
        """Free the passes."""
        self._owned.close()

    def _make_passes(self) -> None:
        if self._passes is None:
            down = self._owned.add(DownsamplePass(self._ctx, self._pages.defines))
            self._passes = down, self._owned.add(OccupancyPass(self._ctx, self._pages.defines))

    def _remake(self, node: Node) -> tuple[int, list[int]] | None:
        """Give a coarse chunk its cell, and its slot where it needs one; a LEVEL_JOB for that."""
        level, (x, y, z) = node
        children = [(2 * x + dx, 2 * y + dy, 2 * z + dz) for dx, dy, dz in _OCTANTS]
        cells = [self._grid.cell(child, level - 1) for child in children]
        value = cells[0]
        if cells.count(value) == len(cells) and (value == 0 or value & UNIFORM_CHUNK):
            if node in self._slots:
                self._pages.give_back(self._slots.pop(node))
            if self._grid.put((x, y, z), _coarse_value(value) if level == 1 else value, level):
                self._touch_mesh(node)
            return None
        if node not in self._slots:
            self._slots[node] = self._pages.take()
        slot = self._slots[node]
        self._grid.put((x, y, z), slot + 1, level)
        self._touch_mesh(node)
        return slot, cells

    def _touch_mesh(self, node: Node) -> None:
        """A coarse chunk has other voxels: it and its neighbours are to be meshed."""
        level, coord = node
        self._to_mesh.add(node)
        self._to_mesh.update((level, neighbour) for neighbour in beside(coord))


def _coarse_value(cell: int) -> int:
    """The cell of a coarse chunk all of whose voxels have the value of this one's."""
    smooth = LEVEL_SMOOTH if cell & FLAG_SMOOTH else 0
    return cell & ~((1 << MATERIAL_SHIFT) - 1) | smooth


def _half(coord: Coord) -> Coord:
    x, y, z = coord
    return x >> 1, y >> 1, z >> 1


def _ancestors(coords: Collection[Coord]) -> set[Node]:
    """The coarse chunks about some chunks of the world."""
    table = np.array(list(coords), np.int64)
    nodes: set[Node] = set()
    for level in range(1, N_LEVELS + 1):
        table = np.unique(table >> 1, axis=0)
        nodes.update((level, (x, y, z)) for x, y, z in table.tolist())
    return nodes
