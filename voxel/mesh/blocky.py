# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks to quads: one quad a visible face, or merged by binary greedy meshing.

packing.py makes bits of the voxels, greedy.py quads of the bits, in two parallel passes over a batch of chunks.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import get_num_threads
from ..layout import CHUNK_VOXELS, N_FACES, QUAD_DTYPE, VOXEL_DTYPE
from ..world import Coord, World
from .ambient import light_joins, quad_lights
from .arrays import BlockyMesh
from .greedy import MAX_CHUNK_QUADS, gather_quads, mesh_chunks
from .lengthening import Lengthening
from .neighbourhood import PADDED_SHAPE, pad_chunks
from .packing import BATCH_CHUNKS, Batch, add_borders, chunk_batches, pack_chunks
from .rows import LANES, N_WORDS, TALL


def mesh_blocky(
    world: World, *, merge: bool, ambient_occlusion: bool = False, coords: Iterable[Coord] | None = None
) -> Job[BlockyMesh]:
    """Mesh the blocky voxels of all chunks, or of those at coords only.

    merge joins faces of one material to larger quads, in the canonical order of docs/meshing.md, else each face is a
    quad. ambient_occlusion gives the quads light at their corners, and merges faces along an axis only where light is
    constant along it (ambient.py).
    """
    transparent = world.palette.transparent
    coords_of_quads, face_counts = Lengthening(np.int32, (3,)), Lengthening(np.uint32, (N_FACES,))
    quads, corner_light = Lengthening(np.int64), Lengthening(np.uint8, (4,))
    for batch in chunk_batches(world, coords):
        n, done = len(batch.coords), batch.done
        pack(batch, transparent, buffers())
        padded = buffers().padded[: n if ambient_occlusion else 0]
        if ambient_occlusion:
            pad_chunks(world, batch.coords, padded)
        counts, ends = mesh_packed(buffers(), transparent, n, merge, padded)
        added = quads.add(ends[-1], done)
        gather_quads(buffers().quads, ends, added)
        if ambient_occlusion:
            quad_lights(get_num_threads(), added, ends, padded, transparent, corner_light.add(len(added), done))
        used = counts.any(axis=1)
        n_used = np.count_nonzero(used)
        coords_of_quads.add(n_used, done)[:] = batch.coords[used]
        face_counts.add(n_used, done)[:] = counts[used]
        yield Progress(done, "Meshing blocks")
    lights = corner_light.all() if ambient_occlusion else None
    return BlockyMesh(coords_of_quads.all(), face_counts.all(), quads.all().view(QUAD_DTYPE), lights)


class Buffers:
    """What all batches of all jobs are meshed in, made once, because fresh memory costs as much time as meshing.

    Nothing stays in them from one batch to the next. That for quads has room for checkerboards, and joins and padded
    are for light; the system gives them memory as far as they are ever written.
    """

    def __init__(self) -> None:
        n = BATCH_CHUNKS
        # Rows of materials are compared with those a plane further, of the last chunk too.
        self.materials = np.zeros((n + 1) * CHUNK_VOXELS, np.uint8)
        self.words = np.zeros((n, 4, N_WORDS), np.uint32)
        self.apart = np.zeros(n, np.bool_)
        self.ends = np.zeros((n, 2, LANES), np.uint32)
        self.alike_ends = np.zeros((n, N_FACES, LANES), np.uint32)
        self.exposed = np.zeros(n, np.bool_)
        self.joins = np.zeros((n, N_FACES, 2, TALL), np.uint32)
        self.padded = np.empty((n, *PADDED_SHAPE), VOXEL_DTYPE)
        self.quads = np.empty(n * MAX_CHUNK_QUADS, np.int64)


@cache
def buffers() -> Buffers:
    return Buffers()


def pack(batch: Batch, transparent: NDArray[np.bool_], into: Buffers) -> None:
    """Fill the buffers with the voxels of a batch and what is around them, as bits."""
    b, glasses = into, np.flatnonzero(transparent).astype(np.uint8)
    pack_chunks(batch.addresses, glasses, b.materials, b.words, b.apart)
    sources = batch.addresses, batch.values, batch.near
    add_borders(*sources, transparent, glasses, b.materials, b.words, b.apart, b.ends, b.alike_ends, b.exposed)


def mesh_packed(
    packed: Buffers, transparent: NDArray[np.bool_], n: int, merge: bool, padded: NDArray[np.uint16]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Mesh the n packed chunks to quads in the buffers: face counts (n, 6), and (n,) where each chunk's quads end when
    they are gathered. If padded has the chunks, and not none, light at corners is a merge key."""
    b = packed
    joins = b.joins[: len(padded)]
    if len(padded):
        light_joins(padded, transparent, joins)
    counts = np.empty((n, N_FACES), np.uint32)
    voxels = b.materials, b.words, b.apart, b.ends, b.alike_ends, b.exposed
    mesh_chunks(get_num_threads(), *voxels, bool(transparent.any()), merge, joins, b.quads, counts)
    return counts, np.cumsum(counts.sum(axis=1, dtype=np.int64))
