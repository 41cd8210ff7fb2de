# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks to quads: one quad a visible face, or merged by binary greedy meshing.

Three steps a chunk:

1. The voxels become bits: 32-bit rows along the U axis of each face, so that "is visible" is
   shown & ~(hidden by the neighbour) for 32 voxels at once. Faces ±X need rows along Y, the others rows along X;
   then the neighbour of a row is always another row, and no row is ever shifted against its border.
2. In each slice the rows are walked in the canonical order (V, then U, ascending). A run of bits is cut where the
   material changes, and grown over the following rows while they have the same bits and the same material.
3. Each rectangle becomes one PackedQuad and its bits are cleared, so nothing is visited twice.

Greedy quads leave T-junctions: a corner of one quad may lie on another's edge.
"""

import numpy as np
from numpy.typing import NDArray

from ..jobs import Job, Progress
from ..kernels import kernel, parallel_kernel, prange
from ..layout import (
    CHUNK_SIZE,
    FLAG_SMOOTH,
    MATERIAL_SHIFT,
    N_FACES,
    QUAD_DTYPE,
    QUAD_FACE_SHIFT,
    QUAD_HEIGHT_SHIFT,
    QUAD_MATERIAL_SHIFT,
    QUAD_WIDTH_SHIFT,
    QUAD_Y_SHIFT,
    QUAD_Z_SHIFT,
)
from ..world import World
from .arrays import BlockyMesh
from .neighbourhood import BORDER, padded_batches
from .visibility import shows_face

_N = CHUNK_SIZE


def mesh_blocky(world: World, *, merge: bool) -> Job[BlockyMesh]:
    """Mesh all blocky voxels; merge joins faces of one material to larger quads, else each face is a quad."""
    coords = world.coords()
    transparent = world.palette.transparent
    meshed, counts, quads = [], [], []
    yield Progress(0.0, "Meshing blocks")
    for batch_coords, padded, done in padded_batches(world, coords):
        batch_counts, batch_quads = mesh_padded(padded, transparent, merge)
        used = batch_counts.any(axis=1)
        meshed.append(batch_coords[used])
        counts.append(batch_counts[used])
        quads.append(batch_quads)
        yield Progress(done / len(coords), "Meshing blocks")
    if not meshed:
        return BlockyMesh(np.empty((0, 3), np.int32), np.empty((0, N_FACES), np.uint32), np.empty(0, QUAD_DTYPE))
    return BlockyMesh(np.concatenate(meshed), np.concatenate(counts), np.concatenate(quads))


def mesh_padded(
    padded: NDArray[np.uint16], transparent: NDArray[np.bool_], merge: bool
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Face counts (n, 6) uint32 and quads (q,) uint64, chunk after chunk, of padded chunks (n, 36, 36, 36) uint16."""
    n = len(padded)
    rows = np.empty((n, N_FACES, _N, _N), np.uint32)
    exposed = np.empty(n, np.int64)
    _face_rows(padded, transparent, rows, exposed)
    starts = np.cumsum(exposed) - exposed
    buffer = np.empty(int(exposed.sum()), QUAD_DTYPE)
    counts = np.zeros((n, N_FACES), np.uint32)
    _rows_to_quads(padded, rows, starts, merge, buffer, counts)
    made = counts.sum(axis=1, dtype=np.int64)
    kept = np.repeat(starts - (np.cumsum(made) - made), made) + np.arange(made.sum())
    return counts, buffer[kept]


@parallel_kernel
def _face_rows(padded, transparent, rows, exposed):
    """Write rows (n, 6, 32, 32) uint32, the visible faces as bits along U by (face, slice, V), and exposed (n,)
    int64, their number, from padded (n, 36, 36, 36) uint16."""
    for i in prange(len(padded)):
        voxels = padded[i]
        # By (y or x, z), each one voxel beyond the chunk: bits along x for faces ±Y and ±Z, along y for ±X.
        shown_x = np.zeros((_N + 2, _N + 2), np.int64)
        hides_x = np.zeros((_N + 2, _N + 2), np.int64)
        shown_y = np.zeros((_N + 2, _N + 2), np.int64)
        hides_y = np.zeros((_N + 2, _N + 2), np.int64)
        for x in range(-1, _N + 1):
            for y in range(-1, _N + 1):
                for z in range(-1, _N + 1):
                    voxel = np.int64(voxels[x + BORDER, y + BORDER, z + BORDER])
                    material = voxel >> MATERIAL_SHIFT
                    if material == 0:
                        continue
                    shown = np.int64(voxel & FLAG_SMOOTH == 0)
                    hides = np.int64(not transparent[material])
                    if 0 <= x < _N:
                        shown_x[y + 1, z + 1] |= shown << x
                        hides_x[y + 1, z + 1] |= hides << x
                    if 0 <= y < _N:
                        shown_y[x + 1, z + 1] |= shown << y
                        hides_y[x + 1, z + 1] |= hides << y
        total = 0
        for s in range(_N):
            for v in range(_N):
                rows[i, 0, s, v] = shown_y[s + 1, v + 1] & ~hides_y[s + 2, v + 1]
                rows[i, 1, s, v] = shown_y[s + 1, v + 1] & ~hides_y[s, v + 1]
                rows[i, 2, s, v] = shown_x[s + 1, v + 1] & ~hides_x[s + 2, v + 1]
                rows[i, 3, s, v] = shown_x[s + 1, v + 1] & ~hides_x[s, v + 1]
                rows[i, 4, s, v] = shown_x[v + 1, s + 1] & ~hides_x[v + 1, s + 2]
                rows[i, 5, s, v] = shown_x[v + 1, s + 1] & ~hides_x[v + 1, s]
                for face in range(N_FACES):
                    row = np.int64(rows[i, face, s, v])
                    if row != 0:
                        row = _without_like_glass(voxels, transparent, face, s, v, row)
                        rows[i, face, s, v] = row
                        total += _count_bits(row)
        exposed[i] = total


@kernel
def _without_like_glass(voxels, transparent, face, s, v, row):
    """row without the faces between two transparent voxels of one material, which the bits alone cannot tell."""
    bits = row
    while bits != 0:
        u = _lowest_bit(bits)
        bits &= bits - 1
        x, y, z = _voxel_of(face, s, u, v)
        voxel = voxels[x + BORDER, y + BORDER, z + BORDER]
        if transparent[voxel >> MATERIAL_SHIFT]:
            step = 1 - 2 * (face & 1)
            if face < 2:
                x += step
            elif face < 4:
                y += step
            else:
                z += step
            if not shows_face(voxel, voxels[x + BORDER, y + BORDER, z + BORDER], transparent):
                row &= ~(np.int64(1) << u)
    return row


@parallel_kernel
def _rows_to_quads(padded, rows, starts, merge, quads, counts):
    """Write each chunk's quads from quads[starts[i]] on, and counts (n, 6) uint32; rows is used up."""
    for i in prange(len(padded)):
        voxels = padded[i]
        at = starts[i]
        for face in range(N_FACES):
            before = at
            for s in range(_N):
                slice_rows = rows[i, face, s]
                for v in range(_N):
                    row = np.int64(slice_rows[v])
                    while row != 0:
                        u = _lowest_bit(row)
                        width, height = 1, 1
                        material = _material(voxels, face, s, u, v)
                        if merge:
                            width = _run(voxels, face, s, u, v, row, material)
                            mask = ((np.int64(1) << width) - 1) << u
                            while v + height < _N and _joins(
                                voxels, face, s, u, v + height, width, slice_rows, material
                            ):
                                slice_rows[v + height] = np.int64(slice_rows[v + height]) & ~mask
                                height += 1
                            row &= ~mask
                        else:
                            row &= row - 1
                        quads[at] = _pack(face, s, u, v, width, height, material)
                        at += 1
            counts[i, face] = at - before


@kernel
def _run(voxels, face, s, u, v, row, material):
    """How far the bits of row reach from u along U without a change of material."""
    width = 1
    while u + width < _N and row >> (u + width) & 1 != 0 and _material(voxels, face, s, u + width, v) == material:
        width += 1
    return width


@kernel
def _joins(voxels, face, s, u, v, width, slice_rows, material):
    """Whether row v has all the bits u … u + width − 1, and all of this material."""
    mask = ((np.int64(1) << width) - 1) << u
    if np.int64(slice_rows[v]) & mask != mask:
        return False
    for k in range(u, u + width):
        if _material(voxels, face, s, k, v) != material:
            return False
    return True


@kernel
def _voxel_of(face, s, u, v):
    """The voxel at slice s and tangents (u, v) of a face, in its chunk; the axes are those of layout.py."""
    if face < 2:
        return s, u, v
    if face < 4:
        return u, s, v
    return u, v, s


@kernel
def _material(voxels, face, s, u, v):
    x, y, z = _voxel_of(face, s, u, v)
    return np.int64(voxels[x + BORDER, y + BORDER, z + BORDER]) >> MATERIAL_SHIFT


@kernel
def _pack(face, s, u, v, width, height, material):
    x, y, z = _voxel_of(face, s, u, v)
    return (
        x
        | y << QUAD_Y_SHIFT
        | z << QUAD_Z_SHIFT
        | width << QUAD_WIDTH_SHIFT
        | height << QUAD_HEIGHT_SHIFT
        | face << QUAD_FACE_SHIFT
        | material << QUAD_MATERIAL_SHIFT
    )


@kernel
def _lowest_bit(bits):
    """The index of the lowest set bit of a positive int64."""
    index = 0
    while bits >> index & 1 == 0:
        index += 1
    return index


@kernel
def _count_bits(bits):
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count
