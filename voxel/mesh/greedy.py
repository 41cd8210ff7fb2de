# SPDX-License-Identifier: GPL-3.0-or-later
"""Packed chunks to quads.

Three steps a chunk:

1. The words along z of a chunk and its border are transposed to bits along x (for faces ±Y and ±Z) and along y (for
   faces ±X), so that a row of bits lies along the U axis of its face. "Is visible" is then
   shown & ~(hidden by the neighbour) & ~(of the neighbour's material), for 32 voxels at once; the last of these
   matters for transparent ones only.
2. For each row there are two more: which of its voxels may join the next one along U, and which along V. They may
   where the materials are equal (and where light is constant along that axis, if there is light).
3. Each slice is walked in the canonical order (V, then U, ascending), from one set bit to the next by counting zeros.
   A run of bits that join is as long as the zeros of the row's inverse say, and grows over the following rows while
   they have the same bits and join. It becomes one PackedQuad, and its bits are cleared, so nothing is visited twice.

Greedy quads leave T-junctions: a corner of one quad may lie on another's edge. crackfree.py closes them.
"""

import numpy as np

from ..kernels import kernel, parallel_kernel, prange
from ..layout import (
    CHUNK_SIZE,
    CHUNK_VOXELS,
    FACE_AXIS,
    FACE_U_AXIS,
    FACE_V_AXIS,
    N_FACES,
    NEG_X,
    NEG_Y,
    NEG_Z,
    POS_X,
    POS_Y,
    POS_Z,
    QUAD_FACE_SHIFT,
    QUAD_HEIGHT_SHIFT,
    QUAD_MATERIAL_SHIFT,
    QUAD_WIDTH_SHIFT,
    QUAD_Y_SHIFT,
    QUAD_Z_SHIFT,
)
from ..queue import take
from .bits import lowest_bit
from .packing import HIDING_BY_X, HIDING_BY_Y, SHOWN_BY_X, SHOWN_BY_Y
from .rows import LANES, N_WORDS, TALL, row_not_zero, rows_equal, transpose_bits

MAX_CHUNK_QUADS = CHUNK_VOXELS // 2 * N_FACES
"""Quads of a checkerboard, the most that a chunk can have."""

_N = CHUNK_SIZE

# The words of a chunk as they are transposed for a pair or two of faces, each with a row of words before the first
# and after the last. _ALIKE + axis: where a voxel has the material of the next one along that axis.
_HIDING, _SHOWN, _ALIKE = 0, 1, 2
_N_TURNED = 5
_FIRST = LANES + 1


@parallel_kernel
def mesh_chunks(n_threads, materials, words, apart, ends, alike_ends, exposed, glassy, merge, lit_joins, quads, counts):
    """Write counts (n, 6) uint32 of chunks with their borders (packing.py), and their quads from
    quads[i · MAX_CHUNK_QUADS] on, int64. glassy says whether any material is transparent. lit_joins (n, 6, 2,
    34 · LANES), of ambient.py, restricts what merges; it may have no chunks."""
    queue = np.zeros(1, np.int64)
    for _ in prange(n_threads):
        _mesh_taken(queue, materials, words, apart, ends, alike_ends, exposed, glassy, merge, lit_joins, quads, counts)


@kernel
def _mesh_taken(queue, materials, words, apart, ends, alike_ends, exposed, glassy, merge, lit_joins, quads, counts):
    """Write the quads and counts of the chunks that are taken from the queue, in the same scratch memory."""
    alike = np.empty((6, N_WORDS), np.uint32)
    # Only the words around those that are written need a value.
    turned = np.zeros((_N_TURNED, TALL), np.uint32)
    never = np.zeros(TALL, np.uint32)
    rows = np.empty(TALL, np.uint32)
    joins = np.empty((2, TALL), np.uint32)
    occupied = np.zeros(LANES, np.uint32)
    following = take(queue)
    while following < len(counts):
        i, following = following, take(queue)
        counts[i, :] = 0
        if not exposed[i]:
            continue
        own = materials[i * CHUNK_VOXELS : (i + 1) * CHUNK_VOXELS]
        if merge or glassy:
            _alike_words(own, glassy, alike)
        if glassy:
            _alike_borders(alike_ends[i], alike)
        at = i * MAX_CHUNK_QUADS
        for face in range(N_FACES):
            if face in (POS_X, POS_Y):
                _turn(words[i], alike, face == POS_X, apart[i], glassy, glassy or merge, turned)
            elif face == POS_Z:
                turned[_HIDING, -LANES:], turned[_HIDING, :LANES] = ends[i, 0], ends[i, 1]
                if glassy:
                    turned[_ALIKE + 2, -2 * LANES : -LANES] = alike_ends[i, POS_Z]
                    turned[_ALIKE + 2, :LANES] = alike_ends[i, NEG_Z]
            same = turned[_ALIKE + FACE_AXIS[face]] if glassy else never
            _face_rows(face, turned[_SHOWN if apart[i] else _HIDING], turned[_HIDING], same, rows)
            _find_occupied(face, rows, occupied)
            join_u = turned[_ALIKE + FACE_U_AXIS[face]] if merge else never
            join_v = turned[_ALIKE + FACE_V_AXIS[face]] if merge else never
            if len(lit_joins) > 0:
                joins[0] = join_u & lit_joins[i, face, 0]
                joins[1] = join_v & lit_joins[i, face, 1]
                join_u, join_v = joins[0], joins[1]
            start = at
            at = _walk(face, rows, occupied, join_u, join_v, own, at, quads)
            counts[i, face] = at - start


@kernel
def _alike_words(own, glassy, alike):
    """Write alike (6, N_WORDS), lanes 1 … 32 as in words: where a voxel has the material of the next one along x, y and
    z, in words by x (0 … 2) and by y (3 … 5, the first only where there is glass). What the last voxel of an axis gets
    there has no meaning."""
    for x in range(_N):
        for y in range(_N):
            row = np.int64(own.ctypes.data) + (x * _N + y) * _N
            along_x, along_y, along_z = (
                rows_equal(row, row + _N * _N),
                rows_equal(row, row + _N),
                rows_equal(row, row + 1),
            )
            by_x, by_y = x * LANES + y + 1, y * LANES + x + 1
            alike[0, by_x], alike[1, by_x], alike[2, by_x] = along_x, along_y, along_z
            alike[4, by_y], alike[5, by_y] = along_y, along_z
            if glassy:
                alike[3, by_y] = along_x


@kernel
def _alike_borders(ends, alike):
    """Write to alike what ends (6, LANES) says of the voxels beyond faces ±X and ±Y; lane k of alike is between voxels
    k − 1 and k."""
    for row in range(_N):
        alike[3, row * LANES + _N], alike[3, row * LANES] = ends[POS_X, row + 1], ends[NEG_X, row + 1]
        alike[1, row * LANES + _N], alike[1, row * LANES] = ends[POS_Y, row + 1], ends[NEG_Y, row + 1]


@kernel
def _turn(words, alike, by_y, apart, glassy, joined, turned):
    """Transpose a chunk's words by y or by x. Unless apart, the voxels that hide are all that are shown."""
    inner = slice(LANES, LANES + N_WORDS)
    transpose_bits(words[HIDING_BY_Y if by_y else HIDING_BY_X], turned[_HIDING, inner])
    if apart:
        transpose_bits(words[SHOWN_BY_Y if by_y else SHOWN_BY_X], turned[_SHOWN, inner])
    if joined:
        for axis in range(3):
            if glassy or not by_y or axis > 0:
                transpose_bits(alike[axis + 3 if by_y else axis], turned[_ALIKE + axis, inner])


@kernel
def _face_rows(face, shown, hiding, same, rows):
    """Write rows, the visible faces of one direction: shown & ~hiding of the neighbour & ~same, all (34 · LANES).
    Beyond lanes 1 … 32 they have no meaning."""
    step = LANES if face >= POS_Z else 1
    ahead, between = (-step, -step) if face & 1 else (step, 0)
    # Parts of arrays that are walked from 0, because LLVM makes vectors of those.
    own, out = shown[LANES : LANES + N_WORDS], rows[LANES : LANES + N_WORDS]
    beyond = hiding[LANES + ahead : LANES + ahead + N_WORDS]
    same = same[LANES + between : LANES + between + N_WORDS]
    for k in range(N_WORDS):
        out[k] = own[k] & ~beyond[k] & ~same[k]


@kernel
def _find_occupied(face, rows, occupied):
    """Write bit v of occupied[slice] (LANES) uint32, for the slices in lanes 1 … 32, where row v has any face."""
    if face >= POS_Z:
        for s in range(_N):
            occupied[s + 1] = row_not_zero(np.int64(rows.ctypes.data) + 4 * ((s + 1) * LANES + 1))
    else:
        inner = rows[_FIRST : _FIRST + N_WORDS]
        for s in range(_N):
            word = np.uint32(0)
            for v in range(_N):
                word |= np.uint32(inner[v * LANES + s] != 0) << np.uint32(v)
            occupied[s + 1] = word


@kernel
def _walk(face, rows, occupied, join_u, join_v, own, at, quads):
    """Write the quads of one direction from quads[at] on, and return where they end; rows is used up."""
    # Side faces lie in rows z and lanes of slices, ±Z the other way round. Materials are at [x, y, z].
    step_s, step_v = (LANES, 1) if face >= POS_Z else (1, LANES)
    strides = (_N * _N, _N, 1)
    shifts = (0, QUAD_Y_SHIFT, QUAD_Z_SHIFT)
    axis, u_axis, v_axis = FACE_AXIS[face], FACE_U_AXIS[face], FACE_V_AXIS[face]
    stride_s, stride_u, stride_v = strides[axis], strides[u_axis], strides[v_axis]
    shift_s, shift_u, shift_v = shifts[axis], shifts[u_axis], shifts[v_axis]
    slices = row_not_zero(np.int64(occupied.ctypes.data) + 4)
    while slices != 0:
        s = lowest_bit(slices)
        slices &= slices - 1
        waiting = np.int64(occupied[s + 1])
        while waiting != 0:
            v = lowest_bit(waiting)
            waiting &= waiting - 1
            k = _FIRST + s * step_s + v * step_v
            row = np.int64(rows[k])
            # Bit u is clear where face u joins the next one of the row.
            ends = ~(row >> 1 & np.int64(join_u[k]))
            while row != 0:
                u = lowest_bit(row)
                width = lowest_bit(ends >> u) + 1
                mask = ((np.int64(1) << width) - 1) << u
                row &= ~mask
                top, height = k, 1
                while v + height < _N:
                    following = np.int64(rows[top + step_v])
                    if following & np.int64(join_v[top]) & mask != mask:
                        break
                    top += step_v
                    height += 1
                    rows[top] = following & ~mask
                material = np.int64(own[s * stride_s + u * stride_u + v * stride_v])
                quads[at] = (
                    s << shift_s
                    | u << shift_u
                    | v << shift_v
                    | width << QUAD_WIDTH_SHIFT
                    | height << QUAD_HEIGHT_SHIFT
                    | face << QUAD_FACE_SHIFT
                    | material << QUAD_MATERIAL_SHIFT
                )
                at += 1
    return at


@parallel_kernel
def gather_quads(quads, ends, out):
    """Write the quads of all chunks one after another to out (q,) int64, those of chunk i up to out[ends[i]]."""
    for k in prange(len(ends)):
        i = np.int64(k)  # prange counts in uint64
        start = ends[i - 1] if i > 0 else np.int64(0)
        out[start : ends[i]] = quads[i * MAX_CHUNK_QUADS : i * MAX_CHUNK_QUADS + ends[i] - start]
