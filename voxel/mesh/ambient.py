# SPDX-License-Identifier: GPL-3.0-or-later
"""Ambient occlusion at the corners of blocky faces, 32 faces at a time.

At each corner of a face three voxels on its outer side can darken it: the two beside the face and the one between
them. Light is 3 less the number that are opaque, and 0 where both beside are. A corner's light depends on its lattice
point and the face's direction alone, as long as the faces there are visible: faces side by side agree about theirs.

Quads with light merge along an axis only where light is constant along it, in each of the faces that become one. So
light between the corners of a merged quad, however it is interpolated, is what it was between those of its faces.
"""

import numpy as np

from ..kernels import kernel, parallel_kernel, prange
from ..layout import (
    CHUNK_SIZE,
    FACE_AXIS,
    FACE_CORNERS_UV,
    FACE_SIGN,
    FACE_U_AXIS,
    FACE_V_AXIS,
    MATERIAL_SHIFT,
    N_FACES,
    POS_X,
    POS_Y,
    POS_Z,
    QUAD_FACE_SHIFT,
    QUAD_HEIGHT_SHIFT,
    QUAD_WIDTH_SHIFT,
    QUAD_Y_SHIFT,
    QUAD_Z_SHIFT,
)
from ..queue import take
from .neighbourhood import BORDER
from .rows import LANES

_N = CHUNK_SIZE


@parallel_kernel
def light_joins(padded, transparent, joins):
    """Write joins (n, 6, 2, 34 · LANES) uint32: by face, for U and for V, where a face and the next one along that axis
    both have constant light along it, if both are visible. padded (n, 36, 36, 36) uint16 are the chunks with their
    neighbours. Words and lanes lie as in greedy.py: rows z and lanes y (x for faces ±X), from lane LANES + 1 on."""
    for k in prange(len(padded)):
        _light_joins(padded[k], transparent, joins[k])


@kernel
def _light_joins(voxels, transparent, joins):
    occluders = np.empty((_N + 2, _N + 2), np.int64)
    constant = np.empty((_N + 1, _N + 1, 2), np.int64)
    for face in range(N_FACES):
        if face in (POS_X, POS_Y):
            _occluder_words(voxels, transparent, face == POS_X, occluders)
        constant[:] = 0
        for row in range(_N):
            for lane in range(_N):
                _constant_light(occluders, face, row, lane, constant[row, lane])
        next_row, next_lane = (0, 1) if face >= POS_Z else (1, 0)
        for row in range(_N):
            for lane in range(_N):
                k = (row + 1) * LANES + lane + 1
                along_u = constant[row, lane, 0]
                joins[face, 0, k] = along_u & along_u >> 1
                joins[face, 1, k] = constant[row, lane, 1] & constant[row + next_row, lane + next_lane, 1]


@kernel
def _occluder_words(voxels, transparent, by_y, words):
    """Write words (34, 34) int64: bit x + 1 of word [z + 1, y + 1] where voxel (x, y, z) is opaque; bit y + 1 of word
    [z + 1, x + 1] if by_y."""
    words[:] = 0
    first = BORDER - 1
    for x in range(_N + 2):
        for y in range(_N + 2):
            bit, lane = (y, x) if by_y else (x, y)
            for z in range(_N + 2):
                material = voxels[x + first, y + first, z + first] >> MATERIAL_SHIFT
                words[z, lane] |= np.int64(material != 0 and not transparent[material]) << bit


@kernel
def _constant_light(occluders, face, row, lane, constant):
    """Write constant (2,): the bits of one row of faces where light is constant along U, and along V."""
    r, c = row + 1, lane + 1
    if face < POS_Z:
        c += FACE_SIGN[face]
        below, here, above = occluders[r - 1, c], occluders[r, c], occluders[r + 1, c]
    else:
        r += FACE_SIGN[face]
        below, here, above = occluders[r, c - 1], occluders[r, c], occluders[r, c + 1]
    low_00, high_00 = _light_bits(here, below >> 1, below)
    low_10, high_10 = _light_bits(here >> 2, below >> 1, below >> 2)
    low_01, high_01 = _light_bits(here, above >> 1, above)
    low_11, high_11 = _light_bits(here >> 2, above >> 1, above >> 2)
    constant[0] = ~((low_00 ^ low_10) | (high_00 ^ high_10) | (low_01 ^ low_11) | (high_01 ^ high_11)) & 0xFFFFFFFF
    constant[1] = ~((low_00 ^ low_01) | (high_00 ^ high_01) | (low_10 ^ low_11) | (high_10 ^ high_11)) & 0xFFFFFFFF


@kernel
def _light_bits(beside_u, beside_v, between):
    """The low and the high bits of how many occluders darken a corner, 3 where both beside do."""
    both = beside_u & beside_v
    return (beside_u ^ beside_v ^ between) | both, both | (between & (beside_u ^ beside_v))


@parallel_kernel
def quad_lights(n_threads, quads, ends, padded, transparent, lights):
    """Write lights (q, 4) uint8, the light at the corners of PackedQuads (q,) int64 in their order; those of padded[i]
    go up to ends[i]."""
    queue = np.zeros(1, np.int64)
    for _ in prange(n_threads):
        at = np.empty(3, np.int64)
        following = take(queue)
        while following < len(ends):
            i, following = following, take(queue)
            for q in range(ends[i - 1] if i > 0 else np.int64(0), ends[i]):
                quad = quads[q]
                face = quad >> QUAD_FACE_SHIFT & 7
                u_axis, v_axis = FACE_U_AXIS[face], FACE_V_AXIS[face]
                width, height = quad >> QUAD_WIDTH_SHIFT & 63, quad >> QUAD_HEIGHT_SHIFT & 63
                for corner in range(4):
                    right, upper = FACE_CORNERS_UV[face, corner, 0], FACE_CORNERS_UV[face, corner, 1]
                    at[0], at[1], at[2] = quad & 63, quad >> QUAD_Y_SHIFT & 63, quad >> QUAD_Z_SHIFT & 63
                    at += BORDER
                    at[FACE_AXIS[face]] += FACE_SIGN[face]
                    at[u_axis] += right * (width - 1)
                    at[v_axis] += upper * (height - 1)
                    at[u_axis] += 2 * right - 1
                    beside_u = _is_opaque(padded[i], at, transparent)
                    at[v_axis] += 2 * upper - 1
                    between = _is_opaque(padded[i], at, transparent)
                    at[u_axis] -= 2 * right - 1
                    beside_v = _is_opaque(padded[i], at, transparent)
                    lights[q, corner] = 0 if beside_u + beside_v == 2 else 3 - beside_u - beside_v - between


@kernel
def _is_opaque(voxels, at, transparent):
    """1 where the voxel at (x, y, z) is opaque, else 0."""
    material = voxels[at[0], at[1], at[2]] >> MATERIAL_SHIFT
    return np.int64(material != 0 and not transparent[material])
