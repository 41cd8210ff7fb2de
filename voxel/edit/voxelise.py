# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes made of voxels."""

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SIZE, VOXEL_DTYPE
from ..limits import MAX_EDIT_CHUNKS, MAX_MESH_PAIRS, MAX_MESH_TRIANGLES, MAX_WORLD_EDGE
from ..palette import Palette
from ..world import Chunk, Coord, World, as_chunk, new_world
from .triangle_boxes import REACH, chunks_met, go_near
from .triangle_columns import GRID, add_votes, columns_along, nearest_crossed

_N = CHUNK_SIZE
_CHUNKS_A_SLICE = 64


def voxelise(
    triangles: NDArray[np.float64], materials: NDArray[np.int64], palette: Palette, *, shell: bool = False
) -> Job[World]:
    """A job for the world of a mesh's voxels. triangles (n, 3, 3) are corners in voxels, counter-clockwise as seen from
    outside; materials (n,) their entries of the palette, and voxels have that of the nearest triangle.

    A solid has the voxels whose middles lie inside, as columns along the three axes see it: where a mesh is not closed
    those along one axis may not, and the others decide. A shell has the voxels that triangles reach into; what lies
    exactly between two voxels counts for that behind the face. Raises VoxelwrightError where the mesh is too large.
    """
    voxels = np.array([palette.voxel(index) for index in np.unique(materials).tolist()], VOXEL_DTYPE)
    if not len(triangles):
        raise VoxelwrightError("The mesh has no faces; choose another one.")
    yield Progress(0.0, "Measuring the mesh")
    mesh = _Mesh(triangles, voxels[np.unique(materials, return_inverse=True)[1].reshape(-1)])
    chunks = yield from mesh.shell() if shell else mesh.solid()
    if not chunks:
        raise VoxelwrightError("The mesh encloses no voxels; make it larger, or use Shell.")
    return new_world(chunks, palette)


class _Mesh:
    """Triangles in the box of chunks about them."""

    def __init__(self, triangles: NDArray[np.float64], voxels: NDArray[np.uint16]) -> None:
        """voxels (n,) are what triangles (n, 3, 3) are made of."""
        if len(triangles) > MAX_MESH_TRIANGLES:
            raise VoxelwrightError(
                f"The mesh has {len(triangles)} triangles; at most {MAX_MESH_TRIANGLES} can be used. Make it simpler."
            )
        low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
        size = np.ceil(high - low)
        if not (np.abs([low, high]) < 2**31).all() or size.max() > MAX_WORLD_EDGE:
            raise VoxelwrightError(f"A mesh may be at most {MAX_WORLD_EDGE} voxels on each axis; make it smaller.")
        first, last = np.floor(low - REACH).astype(np.int64) // _N, np.floor(high + REACH).astype(np.int64) // _N
        self._first, self._n_chunks = first, last - first + 1
        if int(self._n_chunks.prod()) > MAX_EDIT_CHUNKS:
            raise VoxelwrightError(
                f"The mesh's box has {self._n_chunks.prod()} chunks of 32³ voxels; make it smaller, for at most "
                f"{MAX_EDIT_CHUNKS}."
            )
        self._triangles = np.round((triangles - first * _N) * GRID) / GRID
        self._voxels = voxels
        self._has_one_voxel = bool((voxels == voxels[0]).all())

    def solid(self) -> Job[dict[Coord, Chunk]]:
        """The chunks of the voxels inside."""
        x, y, z = (self._n_chunks * _N).tolist()
        columns = []
        for axis in range(3):
            columns.append(columns_along(axis, self._triangles, (x, y, z)))
            yield Progress(0.1 * (axis + 1), "Looking through the mesh")
        near = None if self._has_one_voxel else _Near(self._triangles, self._triangles, self._n_chunks)
        chunks: dict[Coord, Chunk] = {}
        for number, at in enumerate(np.ndindex(*self._n_chunks.tolist())):
            if number % _CHUNKS_A_SLICE == 0:
                yield self._progress(number)
            corner, votes = np.array(at, np.int64) * _N, np.zeros(CHUNK_SHAPE, np.int8)
            for along in columns:
                add_votes(along, corner, votes)
            mask = votes > 0
            if not mask.any():
                continue
            nearest = np.zeros(CHUNK_SHAPE, np.int32)
            if near is not None:
                nearest = nearest_crossed(columns[2], corner, mask)
                near.find(number, corner, mask, nearest)
            self._put(chunks, at, mask, nearest)
        return chunks

    def shell(self) -> Job[dict[Coord, Chunk]]:
        """The chunks of the voxels that triangles reach into."""
        edges = self._triangles[:, 1:] - self._triangles[:, :1]
        normals = np.cross(edges[:, 0], edges[:, 1])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        behind = self._triangles - (normals / np.maximum(lengths, 1e-12))[:, None] / GRID
        near = _Near(self._triangles, behind, self._n_chunks)
        chunks: dict[Coord, Chunk] = {}
        for number, at in enumerate(np.ndindex(*self._n_chunks.tolist())):
            if number % _CHUNKS_A_SLICE == 0:
                yield self._progress(number)
            mask, nearest = np.zeros(CHUNK_SHAPE, np.bool_), np.zeros(CHUNK_SHAPE, np.int32)
            near.find(number, np.array(at, np.int64) * _N, mask, nearest, adds=True)
            if mask.any():
                self._put(chunks, at, mask, nearest)
        return chunks

    def _progress(self, number: int) -> Progress:
        return Progress(0.3 + 0.7 * number / int(self._n_chunks.prod()), "Filling voxels")

    def _put(
        self, chunks: dict[Coord, Chunk], at: tuple[int, ...], mask: NDArray[np.bool_], nearest: NDArray[np.int32]
    ) -> None:
        """Put the voxels of mask into the chunk at, each of its nearest triangle."""
        x, y, z = (self._first + at).tolist()
        chunks[x, y, z] = as_chunk(np.where(mask, self._voxels[nearest], VOXEL_DTYPE.type(AIR)))


class _Near:
    """The triangles near each chunk, and of those the nearest to each voxel."""

    def __init__(
        self, triangles: NDArray[np.float64], behind: NDArray[np.float64], n_chunks: NDArray[np.int64]
    ) -> None:
        self._triangles, self._behind = triangles, behind
        n_pairs = float(np.prod(np.ceil((np.ptp(triangles, axis=1) + 2 * REACH) / _N) + 1, axis=1).sum())
        if n_pairs > MAX_MESH_PAIRS:
            raise VoxelwrightError(
                f"The mesh's faces lie in {n_pairs:.0f} chunks of 32³ voxels, all together; the limit is "
                f"{MAX_MESH_PAIRS}. Make it smaller or simpler."
            )
        self._starts = np.zeros(int(n_chunks.prod()) + 1, np.int64)
        chunks_met(triangles, n_chunks, self._starts, np.zeros(0, np.int32))
        np.cumsum(self._starts, out=self._starts)
        self._chosen = np.empty(self._starts[-1], np.int32)
        chunks_met(triangles, n_chunks, self._starts[:-1].copy(), self._chosen)

    def find(
        self,
        chunk: int,
        corner: NDArray[np.int64],
        mask: NDArray[np.bool_],
        nearest: NDArray[np.int32],
        *,
        adds: bool = False,
    ) -> None:
        """Write the nearest triangle of each voxel of mask that has one near, for the chunk of that number at corner;
        adds says that those voxels are added to mask which a triangle of behind reaches into."""
        squares = np.full(CHUNK_SHAPE, REACH**2, np.float32)
        chosen = self._chosen[self._starts[chunk] : self._starts[chunk + 1]]
        go_near(self._triangles, self._behind, chosen, corner, adds, mask, squares, nearest)
