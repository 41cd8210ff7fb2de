# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth surfaces on the GPU: what the CPU's mesher made, in ranges of chunks."""

from bisect import insort
from collections.abc import Iterable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..voxel.layout import CHUNK_SIZE
from ..voxel.mesh.arrays import SmoothMesh
from ..voxel.world import Coord
from .buffers import grown
from .records import (
    BLEND_WEIGHT_SHIFT,
    HAS_OPAQUE,
    HAS_TRANSPARENT,
    SECONDARY_MATERIAL_SHIFT,
    SMOOTH_DRAW,
    SMOOTH_QUAD,
    SMOOTH_VERTEX,
    StorageBinding,
)


class Ranges:
    """Places for runs of records in one buffer: the first gap that a run fits into, else the end."""

    def __init__(self) -> None:
        self.end = 0
        self._gaps: list[tuple[int, int]] = []  # (start, end), sorted, none touching another

    def take(self, n: int) -> int:
        """The first place of a run of n."""
        for index, (start, end) in enumerate(self._gaps):
            if end - start >= n:
                self._gaps[index : index + 1] = [(start + n, end)] if end - start > n else []
                return start
        start = self.end
        self.end += n
        return start

    def give_back(self, start: int, n: int) -> None:
        """Free a run that was taken."""
        if n == 0:
            return
        insort(self._gaps, (start, start + n))
        at = self._gaps.index((start, start + n))
        low, high = max(at - 1, 0), min(at + 2, len(self._gaps))
        merged: list[tuple[int, int]] = []
        for gap in self._gaps[low:high]:
            if merged and merged[-1][1] == gap[0]:
                merged[-1] = merged[-1][0], gap[1]
            else:
                merged.append(gap)
        self._gaps[low:high] = merged
        if self._gaps[-1][1] == self.end:
            self.end = self._gaps.pop()[0]


class SmoothPool:
    """Vertices, quads and one SMOOTH_DRAW a chunk; rows 0 … n_rows − 1 may be drawn."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._vertices = ctx.buffer(reserve=SMOOTH_VERTEX.itemsize)
        self._quads = ctx.buffer(reserve=SMOOTH_QUAD.itemsize)
        self._draws = ctx.buffer(reserve=SMOOTH_DRAW.itemsize)
        self._vertex_ranges, self._quad_ranges = Ranges(), Ranges()
        self._chunks: dict[
            Coord, tuple[int, int, int, int, int]
        ] = {}  # row, first vertex, their number, quads likewise
        self._free_rows: list[int] = []
        self.n_rows = 0
        self.n_quads = 0

    @property
    def nbytes(self) -> int:
        """Bytes of graphics memory."""
        return self._vertices.size + self._quads.size + self._draws.size

    def replace(self, coords: Iterable[Coord], mesh: SmoothMesh, transparent: NDArray[np.bool_]) -> None:
        """Put the mesh of some chunks in the place of what they had; those of coords that it lacks have none now.

        transparent (256,) bool by material. Raises VoxelwrightError where graphics memory is short.
        """
        for coord in coords:
            self._remove(coord)
        first_vertices = np.cumsum(mesh.vertex_counts, dtype=np.int64) - mesh.vertex_counts
        first_quads = np.cumsum(mesh.quad_counts, dtype=np.int64) - mesh.quad_counts
        seen_through = transparent[mesh.quad_materials]
        for i, (x, y, z) in enumerate(mesh.coords.tolist()):
            vertices = slice(first_vertices[i], first_vertices[i] + mesh.vertex_counts[i])
            quads = slice(first_quads[i], first_quads[i] + mesh.quad_counts[i])
            some = seen_through[quads]
            flags = HAS_TRANSPARENT * bool(some.any()) | HAS_OPAQUE * (not some.all())
            self._add((x, y, z), mesh, vertices, quads, flags)

    def clear(self) -> None:
        """Forget all chunks."""
        for coord in list(self._chunks):
            self._remove(coord)

    def bind(self) -> None:
        """Bind the buffers to their binding points."""
        self._vertices.bind_to_storage_buffer(StorageBinding.SMOOTH_VERTICES)
        self._quads.bind_to_storage_buffer(StorageBinding.SMOOTH_QUADS)
        self._draws.bind_to_storage_buffer(StorageBinding.SMOOTH_DRAWS)

    def release(self) -> None:
        """Free the buffers."""
        for buffer in (self._vertices, self._quads, self._draws):
            buffer.release()

    def _add(self, coord: Coord, mesh: SmoothMesh, vertices: slice, quads: slice, flags: int) -> None:
        n_vertices, n_quads = vertices.stop - vertices.start, quads.stop - quads.start
        row = self._free_rows.pop() if self._free_rows else self.n_rows
        first_vertex, first_quad = self._vertex_ranges.take(n_vertices), self._quad_ranges.take(n_quads)
        self._vertices = self._roomy(self._vertices, self._vertex_ranges.end * SMOOTH_VERTEX.itemsize)
        self._quads = self._roomy(self._quads, self._quad_ranges.end * SMOOTH_QUAD.itemsize)
        self._draws = self._roomy(self._draws, (row + 1) * SMOOTH_DRAW.itemsize)
        self._vertices.write(vertex_records(mesh, vertices, row).tobytes(), first_vertex * SMOOTH_VERTEX.itemsize)
        records = quad_records(mesh, quads, first_vertex - vertices.start)
        self._quads.write(records.tobytes(), first_quad * SMOOTH_QUAD.itemsize)
        self._write_draw(row, coord, first_quad, n_quads, flags)
        self._chunks[coord] = row, first_vertex, n_vertices, first_quad, n_quads
        self.n_rows = max(self.n_rows, row + 1)
        self.n_quads += n_quads

    def _remove(self, coord: Coord) -> None:
        if coord not in self._chunks:
            return
        row, first_vertex, n_vertices, first_quad, n_quads = self._chunks.pop(coord)
        self._vertex_ranges.give_back(first_vertex, n_vertices)
        self._quad_ranges.give_back(first_quad, n_quads)
        self._write_draw(row, (0, 0, 0), 0, 0, 0)
        self._free_rows.append(row)
        self.n_quads -= n_quads

    def _write_draw(self, row: int, coord: Coord, first_quad: int, n_quads: int, flags: int) -> None:
        record = np.zeros((), SMOOTH_DRAW)
        record["corner"][:3] = np.array(coord) * CHUNK_SIZE
        record["quad_offset"], record["quad_count"], record["flags"] = first_quad, n_quads, flags
        self._draws.write(record.tobytes(), row * SMOOTH_DRAW.itemsize)

    def _roomy(self, buffer: moderngl.Buffer, size: int) -> moderngl.Buffer:
        return buffer if buffer.size >= size else grown(self._ctx, buffer, size + size // 2)


def vertex_records(mesh: SmoothMesh, vertices: slice, row: int) -> NDArray[Any]:
    """(v,) SMOOTH_VERTEX: some vertices of a mesh, of the chunk whose SMOOTH_DRAW is row."""
    records = np.zeros(vertices.stop - vertices.start, SMOOTH_VERTEX)
    records["position"] = mesh.positions[vertices]
    second = mesh.secondary_materials[vertices].astype(np.uint32)
    weight = mesh.blend_weights[vertices].astype(np.uint32)
    own = mesh.materials[vertices].astype(np.uint32)
    records["attributes"] = own | second << SECONDARY_MATERIAL_SHIFT | weight << BLEND_WEIGHT_SHIFT
    records["normal"] = mesh.normals[vertices]
    records["slot"] = row
    return records


def quad_records(mesh: SmoothMesh, quads: slice, moved: int) -> NDArray[Any]:
    """(q,) SMOOTH_QUAD: some quads of a mesh whose vertices lie moved places further in the buffer."""
    records = np.zeros(quads.stop - quads.start, SMOOTH_QUAD)
    records["vertices"] = mesh.quads[quads].astype(np.int64) + moved
    records["material"] = mesh.quad_materials[quads]
    return records
