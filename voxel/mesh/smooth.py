# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth voxels to a surface: naive Surface Nets over the binary field or a smoothed one.

The samples are the voxels' centres; a cell c spans the samples c … c + 1. A cell whose corners are partly inside
and partly outside has one vertex, at the centroid of its edges' crossings, so that a flat top lies on the voxels' top:
an edge of the binary field is crossed in its middle, of the smoothed one where the world's setting "smoothing" puts it
(nets_field.py). Every crossed edge between two samples is covered by one quad through its four cells.

Blocks and smooth voxels share one field (chunk_bits.GROUND), but only edges that leave a smooth voxel get a
quad; those that leave a block are the block's own faces. So that the two meet without a gap, the vertex of a cell
that holds a block's visible face is moved to the cell's centre, which is the grid point where eight voxels meet:
there quads over blocks would be exactly the blocks' faces. The blocky mesh of 1×1 quads and this mesh together are
therefore closed wherever blocks are opaque.

An edge belongs to the chunk that holds its lower sample, so chunks neither miss nor repeat a quad. Vertices of
cells across a border exist in both chunks with the same bits: positions are multiples of 2⁻¹², and areas are summed
exactly.

Source of the method: S. Gibson, "Constrained elastic surface nets", MICCAI 1998; the centroid variant is known as
naive Surface Nets. Where the time goes: docs/surface_nets.md.
"""

from collections.abc import Iterable
from dataclasses import fields
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import get_num_threads
from ..world import Coord, World
from . import nets
from .arrays import SmoothMesh
from .chunk_bits import BATCH_CHUNKS, BitBatch, bit_batches
from .joining import joined
from .nets_field import STRENGTH_STEPS
from .nets_tables import SAMPLES


def mesh_smooth(world: World, *, coords: Iterable[Coord] | None = None) -> Job[SmoothMesh]:
    """Mesh the surfaces of smooth voxels: of all chunks, or of those at coords only."""
    strength = round(world.settings.smoothing * STRENGTH_STEPS)
    parts = []
    n_vertices = 0
    for batch in bit_batches(world, coords):
        parts.append(_mesh_batch(batch, strength, n_vertices))
        n_vertices += len(parts[-1].positions)
        yield Progress(batch.done, "Meshing smooth surfaces")
    return _joined(parts)


@cache
def _scratch_rows() -> NDArray[np.int64]:
    """What all batches of all jobs are meshed in, because fresh memory costs as much time as much of the meshing.
    Nothing stays in it from one batch to the next."""
    return np.empty((BATCH_CHUNKS, 2, SAMPLES, SAMPLES), np.int64)


def _mesh_batch(batch: BitBatch, strength: int, first_vertex: int) -> SmoothMesh:
    """The batch's part of a mesh; its quads' indices count from first_vertex."""
    n = len(batch.coords)
    rows, counts = _scratch_rows()[:n], np.empty((n, 2), np.int64)
    nets.count(batch.planes, batch.has_blocks, batch.tables, rows, counts)
    used = counts[:, 1] > 0
    counts[~used] = 0
    largest_first = np.argsort(-counts[:, 1])[: used.sum()]
    n_vertices, n_quads = counts.sum(axis=0).tolist()
    vertex_materials = np.empty((3, n_vertices), np.uint8)
    mesh = SmoothMesh(
        batch.coords[used],
        counts[used, 0].astype(np.uint32),
        counts[used, 1].astype(np.uint32),
        np.empty((n_vertices, 3), np.float32),
        np.empty((n_vertices, 3), np.float32),
        vertex_materials[0],
        vertex_materials[1],
        vertex_materials[2],
        np.empty((n_quads, 4), np.uint32),
        np.empty(n_quads, np.uint8),
    )
    if n_quads:
        nets.emit(
            get_num_threads(),
            batch.planes,
            batch.addresses,
            batch.has_blocks,
            batch.smooth_materials,
            batch.tables,
            strength,
            first_vertex,
            rows,
            counts,
            np.cumsum(counts, axis=0) - counts,
            largest_first,
            mesh.positions,
            mesh.normals,
            vertex_materials,
            mesh.quads,
            mesh.quad_materials,
        )
    return mesh


def _joined(parts: list[SmoothMesh]) -> SmoothMesh:
    if not parts:
        no_bytes = np.empty(0, np.uint8)
        no_numbers, no_vectors = np.empty(0, np.uint32), np.empty((0, 3), np.float32)
        return SmoothMesh(
            np.empty((0, 3), np.int32),
            no_numbers,
            no_numbers,
            no_vectors,
            no_vectors,
            no_bytes,
            no_bytes,
            no_bytes,
            np.empty((0, 4), np.uint32),
            no_bytes,
        )
    return SmoothMesh(*(joined([getattr(part, field.name) for part in parts]) for field in fields(SmoothMesh)))
