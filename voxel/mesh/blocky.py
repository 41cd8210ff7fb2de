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
from .joining import joined
from .neighbourhood import PADDED_SHAPE, pad_chunks
from .packing import BATCH_CHUNKS, Batch, add_borders, chunk_batches, pack_chunks
from .rows import LANES, N_WORDS, TALL

_NO_QUADS = (
    np.empty((0, 3), np.int32),
    np.empty((0, N_FACES), np.uint32),
    np.empty(0, QUAD_DTYPE),
    np.empty((0, 4), np.uint8),
)


def mesh_blocky(
    world: World, *, merge: bool, ambient_occlusion: bool = False, coords: Iterable[Coord] | None = None
) -> Job[BlockyMesh]:
    """Mesh the blocky voxels of all chunks, or of those at coords only.

    merge joins faces of one material to larger quads, in the canonical order of docs/meshing.md, else each face is a
    quad. ambient_occlusion gives the quads light at their corners, and merges faces along an axis only where light is
    constant along it (ambient.py).
    """
    transparent = world.palette.transparent
    parts = []
    for batch in chunk_batches(world, coords):
        pack(batch, transparent, buffers())
        padded = buffers().padded[: len(batch.coords) if ambient_occlusion else 0]
        if ambient_occlusion:
            pad_chunks(world, batch.coords, padded)
        batch_counts, batch_quads, batch_lights = mesh_packed(buffers(), transparent, len(batch.coords), merge, padded)
        used = batch_counts.any(axis=1)
        parts.append((batch.coords[used], batch_counts[used], batch_quads, batch_lights))
        yield Progress(batch.done, "Meshing blocks")
    if not parts:
        parts.append(_NO_QUADS)
    coords_of_quads, counts, quads, lights = (joined(list(arrays)) for arrays in zip(*parts, strict=True))
    return BlockyMesh(coords_of_quads, counts, quads, lights if ambient_occlusion else None)


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
) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint8]]:
    """Face counts (n, 6), quads (q,) and corner light of the n packed chunks. If padded has the chunks, light is a
    merge key and (q, 4); else padded has none, and light is (0, 4)."""
    b = packed
    joins = b.joins[: len(padded)]
    if len(padded):
        light_joins(padded, transparent, joins)
    counts = np.empty((n, N_FACES), np.uint32)
    voxels = b.materials, b.words, b.apart, b.ends, b.alike_ends, b.exposed
    mesh_chunks(get_num_threads(), *voxels, bool(transparent.any()), merge, joins, b.quads, counts)
    ends = np.cumsum(counts.sum(axis=1, dtype=np.int64))
    quads = np.empty(ends[-1], np.int64)
    gather_quads(b.quads, ends, quads)
    lights = np.empty((len(quads) if len(padded) else 0, 4), np.uint8)
    if len(padded):
        quad_lights(get_num_threads(), quads, ends, padded, transparent, lights)
    return counts, quads.view(QUAD_DTYPE), lights
