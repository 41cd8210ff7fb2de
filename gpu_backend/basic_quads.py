# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads for contexts without storage blocks: instances of one draw a kind of surface."""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import CHUNK_SIZE
from ..voxel.mesh.arrays import BlockyMesh, SmoothMesh
from ..voxel.world import Coord
from .buffers import grown, new_buffer
from .passes.draw import Drawn
from .ranges import Ranges

BLOCKY_INSTANCE = np.dtype(
    [
        ("words", "<u4", 2),  # a PackedQuad
        ("chunk_corner", "<f4", 3),  # in voxel space
    ]
)

SMOOTH_INSTANCE = np.dtype(
    [
        ("positions", "<f4", (4, 3)),  # relative to the chunk's corner, in voxels
        ("normals", "<f4", (4, 3)),
        ("chunk_corner", "<f4", 3),  # in voxel space
        ("quad_material", "<u4"),
    ]
)

_FIRST_RECORDS = 1 << 12


class QuadInstances:
    """The quads of one kind of a world: one buffer, in which each chunk has a range.

    A chunk whose quads changed is written where it was if they fit, else to the first gap that they fit into. Records
    that no chunk has any more are zeros, which shaders leave out, so that one draw takes all.
    """

    def __init__(self, ctx: moderngl.Context, program: moderngl.Program, layout: np.dtype[Any]) -> None:
        self._ctx, self._program, self._itemsize = ctx, program, layout.itemsize
        self._names = layout.names or ()
        self._format = " ".join(_attribute(layout[name]) for name in self._names) + "/i"
        self._buffer = new_buffer(ctx, _FIRST_RECORDS * self._itemsize)
        self._vertices = self._new_vertices()
        self._ranges = Ranges()
        self._chunks: dict[Coord, tuple[int, int, int]] = {}  # first record, room for how many, how many there are
        self.n = 0

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._buffer.size

    @property
    def coords(self) -> set[Coord]:
        """The chunks that have quads."""
        return set(self._chunks)

    def put(self, coord: Coord, records: NDArray[Any]) -> None:
        """Replace a chunk's quads. Raises VoxelwrightError where graphics memory is short."""
        first, room, n_before = self._chunks.get(coord, (0, 0, 0))
        n = len(records)
        if n > room or n == 0:
            self._remove(coord)
            if n == 0:
                return
            first, room, n_before = self._ranges.take(n), n, 0
            self._chunks[coord] = first, room, 0
            self._reserve(self._ranges.end)
        unused = bytes(max(n_before - n, 0) * self._itemsize)
        self._buffer.write(records.tobytes() + unused, first * self._itemsize)
        self._chunks[coord] = first, room, n
        self.n += n - n_before

    def draw(self, drawn: Drawn) -> None:
        """Draw into the framebuffer in use."""
        if self.n:
            self._program["drawn"] = drawn
            self._vertices.render(moderngl.TRIANGLE_FAN, vertices=4, instances=self._ranges.end)

    def clear(self) -> None:
        """Draw nothing from now on."""
        self._ranges, self._chunks, self.n = Ranges(), {}, 0

    def release(self) -> None:
        """Free the buffer."""
        self._vertices.release()
        self._buffer.release()

    def _remove(self, coord: Coord) -> None:
        if coord not in self._chunks:
            return
        first, room, n = self._chunks.pop(coord)
        self._ranges.give_back(first, room)
        self._buffer.write(bytes(n * self._itemsize), first * self._itemsize)
        self.n -= n

    def _reserve(self, n: int) -> None:
        if n * self._itemsize > self._buffer.size:
            self._buffer = grown(self._ctx, self._buffer, (n + n // 2) * self._itemsize)
            self._vertices.release()
            self._vertices = self._new_vertices()

    def _new_vertices(self) -> moderngl.VertexArray:
        return self._ctx.vertex_array(self._program, [(self._buffer, self._format, *self._names)])


def blocky_instances(mesh: BlockyMesh) -> dict[Coord, NDArray[Any]]:
    """(q,) BLOCKY_INSTANCE by chunk."""
    records = np.empty(len(mesh.quads), BLOCKY_INSTANCE)
    records["words"] = mesh.quads.view("<u4").reshape(-1, 2)
    records["chunk_corner"] = mesh.coords[mesh.chunk_of_quad] * CHUNK_SIZE
    return _by_chunk(mesh.coords, mesh.face_counts.sum(axis=1, dtype=np.int64), records)


def smooth_instances(mesh: SmoothMesh) -> dict[Coord, NDArray[Any]]:
    """(q,) SMOOTH_INSTANCE by chunk."""
    records = np.empty(len(mesh.quads), SMOOTH_INSTANCE)
    records["positions"] = mesh.positions[mesh.quads]
    records["normals"] = mesh.normals[mesh.quads]
    records["chunk_corner"] = np.repeat(mesh.coords * CHUNK_SIZE, mesh.quad_counts, axis=0)
    records["quad_material"] = mesh.quad_materials
    return _by_chunk(mesh.coords, mesh.quad_counts, records)


def _by_chunk(coords: NDArray[np.int32], counts: NDArray[Any], records: NDArray[Any]) -> dict[Coord, NDArray[Any]]:
    """The records of each chunk that has some, copied, so that those of others do not stay with them."""
    ends = np.cumsum(counts, dtype=np.int64).tolist()
    starts = [0, *ends[:-1]]
    return {
        (x, y, z): records[start:end].copy()
        for (x, y, z), start, end in zip(coords.tolist(), starts, ends, strict=bool(ends))
        if end > start
    }


def _attribute(layout: np.dtype[Any]) -> str:
    """The format by which moderngl knows a field of a record."""
    return f"{layout.itemsize // 4}{layout.base.kind}4"
