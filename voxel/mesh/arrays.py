# SPDX-License-Identifier: GPL-3.0-or-later
"""What the meshers make: plain arrays, the same for the preview, the bake and the tests."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..layout import CHUNK_SIZE, FACE_U_AXIS, FACE_V_AXIS, quad_corner_offsets, unpack_quads


@dataclass(frozen=True)
class BlockyMesh:
    """Axis-aligned quads of several chunks, each a PackedQuad (layout.py) with slot 0.

    coords (n, 3) int32: the chunks that have quads. face_counts (n, 6) uint32: quads a chunk and face. quads
    (q,) uint64: chunk after chunk in the order of coords, within a chunk sorted by face. corner_light (q, 4) uint8,
    only if it was asked for: ambient light at the corners in the order of corners(), from 0, dark, to 3.
    """

    coords: NDArray[np.int32]
    face_counts: NDArray[np.uint32]
    quads: NDArray[np.uint64]
    corner_light: NDArray[np.uint8] | None = None

    @cached_property
    def chunk_of_quad(self) -> NDArray[np.int64]:
        """(q,) int64: the row in coords of each quad's chunk."""
        return np.repeat(np.arange(len(self.coords)), self.face_counts.sum(axis=1, dtype=np.int64))

    def corners(self) -> NDArray[np.int32]:
        """(q, 4, 3) int32: each quad's corners in voxel space, counter-clockwise from outside."""
        fields = unpack_quads(self.quads)
        face = fields["face"]
        size = np.ones((len(self.quads), 3), np.int32)
        rows = np.arange(len(self.quads))
        size[rows, FACE_U_AXIS[face]] = fields["width"]
        size[rows, FACE_V_AXIS[face]] = fields["height"]
        low = np.stack([fields["x"], fields["y"], fields["z"]], axis=1).astype(np.int32)
        low += self.coords[self.chunk_of_quad] * CHUNK_SIZE
        return low[:, None, :] + quad_corner_offsets().astype(np.int32)[face] * size[:, None, :]

    def splits_along_1_3(self) -> NDArray[np.bool_]:
        """(q,) bool: which quads are to be split into triangles along corners 1 and 3, not 0 and 2: those where that
        diagonal has more light, so that a single dark corner darkens one triangle only, however the quad is turned."""
        if self.corner_light is None:
            return np.zeros(len(self.quads), np.bool_)
        light = self.corner_light.astype(np.int64)
        return light[:, 1] + light[:, 3] > light[:, 0] + light[:, 2]


@dataclass(frozen=True)
class SmoothMesh:
    """Quads of smooth surfaces of several chunks.

    coords (n, 3) int32: the chunks that have vertices. vertex_counts, quad_counts (n,) uint32. positions (v, 3)
    float32: relative to the vertex's chunk's corner, in voxels, multiples of 2⁻¹² (so that chunk corner plus
    position is exact, and equal on both sides of a chunk border). normals (v, 3) float32: unit, outwards.
    materials and secondary_materials (v,) uint8: the commonest and the second commonest smooth material about the
    vertex, the same where there is only one; blend_weights (v,) uint8: the share of the second of both, 255 for 1, so
    at most 128. quads (q, 4) uint32: indices into the vertex arrays, counter-clockwise from outside, to be split along
    corners 0 and 2. quad_materials (q,) uint8: the material of the voxel that the quad covers. Vertices and quads lie
    chunk after chunk in the order of coords. Every cell with a surface in it that a chunk's voxels are corners of has
    its vertex in that chunk, so a few vertices on borders are used by none of the chunk's own quads.
    """

    coords: NDArray[np.int32]
    vertex_counts: NDArray[np.uint32]
    quad_counts: NDArray[np.uint32]
    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    materials: NDArray[np.uint8]
    secondary_materials: NDArray[np.uint8]
    blend_weights: NDArray[np.uint8]
    quads: NDArray[np.uint32]
    quad_materials: NDArray[np.uint8]

    @cached_property
    def chunk_of_vertex(self) -> NDArray[np.int64]:
        """(v,) int64: the row in coords of each vertex's chunk."""
        return np.repeat(np.arange(len(self.coords)), self.vertex_counts)

    def world_positions(self) -> NDArray[np.float64]:
        """(v, 3) float64: the vertices in voxel space, exact."""
        return self.positions.astype(np.float64) + self.coords[self.chunk_of_vertex] * CHUNK_SIZE
