# SPDX-License-Identifier: GPL-3.0-or-later
"""The smooth surfaces that rays have come near: meshed by the mesher that everybody uses, when a ray asks for them, and
kept until a chunk changes that they depend on."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..jobs import finish
from ..mesh.arrays import SmoothMesh
from ..mesh.smooth import mesh_smooth
from ..world import Coord, World, new_world
from .ray_quads import N_STARTS, NO_QUADS, NOT_MESHED, STARTS, count_quads, sort_quads
from .ray_tree import ChunkTree, with_room

_AROUND = tuple((x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1))
_UP = tuple((x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1))
_EDGE_ENDS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))

MAX_SURFACE_BYTES = 1 << 27
"""Bytes of meshes that are kept from one cast to the next."""


class SmoothSurfaces:
    """table (n, 4) int64, by the tree's rows and the columns of ray_quads: 32 bytes for each chunk that a surface may
    reach into. A chunk that rays have come near takes some 50 KB more for 1,500 quads; n_bytes is the sum of those."""

    def __init__(self) -> None:
        self.tree = ChunkTree()
        self.table = np.zeros((1, 4), np.int64)
        self.n_bytes = 0
        self._smooth: set[Coord] = set()
        self._owners: set[Coord] = set()
        self._meshes: dict[Coord, tuple[NDArray[np.generic], ...]] = {}

    def __bool__(self) -> bool:
        """Whether there may be any surface."""
        return bool(self._owners)

    def update(self, world: World, is_smooth: dict[Coord, bool]) -> None:
        """Take the chunks that have changed, and whether they have any smooth voxels now."""
        before = {coord for coord in is_smooth if coord in self._smooth}
        self._smooth -= before
        self._smooth.update(coord for coord, smooth in is_smooth.items() if smooth)
        if not self._smooth and not before:
            return
        changed_owners = set()
        for owner in _moved(is_smooth, _EDGE_ENDS, -1):
            if (owner in self._owners) != self._may_own_quads(world, owner):
                self._owners ^= {owner}
                changed_owners.add(owner)
        for coord in _moved(changed_owners, _UP, -1):
            if any(near in self._owners for near in _moved([coord], _UP, 1)):
                if coord in changed_owners or coord not in self.tree.rows:
                    self.table = with_room(self.table, self.tree.add(coord) + 1)
                    self._set(coord, NOT_MESHED if coord in self._owners else NO_QUADS)
            else:
                self._set(coord, NO_QUADS)
                self.tree.remove(coord)
        if self._meshes:
            for coord in _moved(is_smooth, _AROUND, 1) & self._owners:
                self._set(coord, NOT_MESHED)

    def forget_meshes(self) -> None:
        """Mesh everything anew when it is asked for."""
        for coord in self._owners:
            self._set(coord, NOT_MESHED)

    def mesh(self, world: World, coords: Iterable[Coord]) -> None:
        """Mesh some of the chunks that are not meshed."""
        coords = list(coords)
        # Where few chunks of a large world are wanted, its mesher spends most of the time on finding them.
        near = new_world({c: world.chunk(c) for c in _moved(coords, _AROUND, 1)}, world.palette, world.settings)
        made = finish(mesh_smooth(near, coords=coords))
        for coord in coords:
            self._set(coord, NO_QUADS)
        vertex = quad = 0
        for i, (x, y, z) in enumerate(made.coords.tolist()):
            vertices, quads = vertex + int(made.vertex_counts[i]), quad + int(made.quad_counts[i])
            self._keep((x, y, z), made, slice(vertex, vertices), slice(quad, quads))
            vertex, quad = vertices, quads

    def _may_own_quads(self, world: World, coord: Coord) -> bool:
        """Whether an edge from the chunk's voxels upwards may leave a smooth voxel."""
        ends = [(coord[0] + x, coord[1] + y, coord[2] + z) for x, y, z in _EDGE_ENDS]
        if not any(end in self._smooth for end in ends):
            return False
        chunks = [world.chunk(end) for end in ends]
        return any(not isinstance(chunk, int) or chunk != chunks[0] for chunk in chunks)

    def _keep(self, coord: Coord, made: SmoothMesh, vertices: slice, quads: slice) -> None:
        positions, normals = made.positions[vertices].copy(), made.normals[vertices].copy()
        corners = made.quads[quads] - np.uint32(vertices.start)
        starts = np.empty(N_STARTS, np.int32)
        count_quads(positions, corners, starts)
        binned = np.empty((starts[-1], 4), np.uint16)
        sort_quads(positions, corners, starts, binned)
        arrays = starts, positions, normals, binned
        self._meshes[coord] = arrays
        self.n_bytes += sum(array.nbytes for array in arrays)
        self.table[self.tree.rows[coord]] = [array.ctypes.data for array in arrays]

    def _set(self, coord: Coord, state: int) -> None:
        """Drop a chunk's mesh, if there is one, and note that it has none, or none yet."""
        self.n_bytes -= sum(array.nbytes for array in self._meshes.pop(coord, ()))
        row = self.tree.rows.get(coord)
        if row is not None:
            self.table[row, STARTS] = state


def _moved(coords: Iterable[Coord], steps: tuple[Coord, ...], sign: int) -> set[Coord]:
    """The coordinates plus each of the steps, times sign."""
    return {(x + sign * i, y + sign * j, z + sign * k) for x, y, z in coords for i, j, k in steps}
