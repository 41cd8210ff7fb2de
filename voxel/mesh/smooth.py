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
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import get_num_threads
from ..world import Coord, World
from . import nets
from .arrays import SmoothMesh
from .chunk_bits import BATCH_CHUNKS, BitBatch, bit_batches
from .lengthening import Lengthening
from .nets_field import STRENGTH_STEPS
from .nets_tables import SAMPLES


def mesh_smooth(world: World, *, coords: Iterable[Coord] | None = None) -> Job[SmoothMesh]:
    """Mesh the surfaces of smooth voxels: of all chunks, or of those at coords only."""
    strength = round(world.settings.smoothing * STRENGTH_STEPS)
    growing = _Growing()
    for batch in bit_batches(world, coords):
        _mesh_batch(batch, strength, growing)
        yield Progress(batch.done, "Meshing smooth surfaces")
    return growing.mesh()


class _Growing:
    """The arrays of a SmoothMesh, batch after batch."""

    def __init__(self) -> None:
        self.coords = Lengthening(np.int32, (3,))
        self.counts = Lengthening(np.uint32, (2,))
        self.positions, self.normals = Lengthening(np.float32, (3,)), Lengthening(np.float32, (3,))
        self.vertex_materials = tuple(Lengthening(np.uint8) for _ in range(3))
        self.quads, self.quad_materials = Lengthening(np.uint32, (4,)), Lengthening(np.uint8)

    def mesh(self) -> SmoothMesh:
        """As far as it is made."""
        counts = self.counts.all()
        return SmoothMesh(
            self.coords.all(),
            counts[:, 0].copy(),
            counts[:, 1].copy(),
            self.positions.all(),
            self.normals.all(),
            *(materials.all() for materials in self.vertex_materials),
            self.quads.all(),
            self.quad_materials.all(),
        )


@cache
def _scratch_rows() -> NDArray[np.int64]:
    """What all batches of all jobs are meshed in, because fresh memory costs as much time as much of the meshing.
    Nothing stays in it from one batch to the next."""
    return np.empty((BATCH_CHUNKS, 2, SAMPLES, SAMPLES), np.int64)


def _mesh_batch(batch: BitBatch, strength: int, growing: _Growing) -> None:
    n, done = len(batch.coords), batch.done
    rows, counts = _scratch_rows()[:n], np.empty((n, 2), np.int64)
    nets.count(batch.planes, batch.has_blocks, batch.tables, rows, counts)
    used = counts[:, 1] > 0
    counts[~used] = 0
    largest_first = np.argsort(-counts[:, 1])[: used.sum()]
    n_vertices, n_quads = counts.sum(axis=0).tolist()
    if n_quads == 0:
        return
    growing.coords.add(len(largest_first), done)[:] = batch.coords[used]
    growing.counts.add(len(largest_first), done)[:] = counts[used]
    first_vertex = len(growing.positions.all())
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
        growing.positions.add(n_vertices, done),
        growing.normals.add(n_vertices, done),
        tuple(materials.add(n_vertices, done) for materials in growing.vertex_materials),
        growing.quads.add(n_quads, done),
        growing.quad_materials.add(n_quads, done),
    )
