# SPDX-License-Identifier: GPL-3.0-or-later
"""Space, faces, voxels and quads: the tables and bits that every mesher, shader and bake reads.

The world is Z-up. Voxel (x, y, z) fills the cube from (x, y, z) to (x+1, y+1, z+1); chunk (cx, cy, cz) holds
voxels 32c … 32c+31 on each axis, for negative coordinates too. Chunk arrays are C-ordered and indexed
[x, y, z].
"""

import numpy as np
from numpy.typing import NDArray

# --- Chunks ---------------------------------------------------------------------------------------------------

CHUNK_SIZE = 32
CHUNK_SHIFT = 5
CHUNK_SHAPE = (CHUNK_SIZE, CHUNK_SIZE, CHUNK_SIZE)
CHUNK_VOXELS = CHUNK_SIZE**3

# --- Voxel: 16 bits --------------------------------------------------------------------------------------------
# 15:8 material (0 = air), 7:4 flags, 3:0 metadata (orientation or variant).

VOXEL_DTYPE = np.dtype("<u2")
MATERIAL_SHIFT = 8
AIR = 0
FLAG_SMOOTH = 0x0010
FLAG_TRANSPARENT = 0x0020
FLAG_EMISSIVE = 0x0040
FLAG_CUSTOM = 0x0080
METADATA_MASK = 0x000F
KEPT_BITS = FLAG_CUSTOM | METADATA_MASK
"""What a voxel keeps when it gets another material; the other flags are those of the material."""
N_MATERIALS = 256

# --- Faces -----------------------------------------------------------------------------------------------------

POS_X, NEG_X, POS_Y, NEG_Y, POS_Z, NEG_Z = range(6)
N_FACES = 6

FACE_AXIS = np.array([0, 0, 1, 1, 2, 2], np.int64)
"""The axis of each face's normal."""

FACE_SIGN = np.array([1, -1, 1, -1, 1, -1], np.int64)
"""The direction of each face's normal along that axis."""

FACE_U_AXIS = np.array([1, 1, 0, 0, 0, 0], np.int64)
FACE_V_AXIS = np.array([2, 2, 2, 2, 1, 1], np.int64)
"""The axes of the tangents U and V; V is up on every side face. U × V points outwards on faces 0, 3 and 4."""

FACE_NORMALS = np.zeros((6, 3), np.int64)
FACE_NORMALS[np.arange(6), FACE_AXIS] = FACE_SIGN

_UV_OUTWARD = [(0, 0), (1, 0), (1, 1), (0, 1)]
_UV_INWARD = [(0, 0), (0, 1), (1, 1), (1, 0)]
FACE_CORNERS_UV = np.array([_UV_OUTWARD, _UV_INWARD, _UV_INWARD, _UV_OUTWARD, _UV_OUTWARD, _UV_INWARD], np.int64)
"""(face, corner, U/V): the corners of each face in units of its width and height, counter-clockwise from outside."""

QUAD_TRIANGLES = np.array([0, 1, 2, 0, 2, 3], np.int64)
"""The corners of a quad's two triangles."""


def quad_corner_offsets() -> NDArray[np.int64]:
    """(face, corner, xyz): each corner's place in the unit voxel, from the tables above."""
    offsets = np.zeros((6, 4, 3), np.int64)
    for face in range(N_FACES):
        offsets[face, :, FACE_U_AXIS[face]] = FACE_CORNERS_UV[face, :, 0]
        offsets[face, :, FACE_V_AXIS[face]] = FACE_CORNERS_UV[face, :, 1]
        offsets[face, :, FACE_AXIS[face]] = 1 if FACE_SIGN[face] > 0 else 0
    return offsets


# --- PackedQuad: 64 bits ---------------------------------------------------------------------------------------
# 5:0, 11:6, 17:12 x, y, z of the quad's lowest voxel in its chunk; 23:18 width along U and 29:24 height along V
# (the value itself, 1–32); 32:30 face; 40:33 material; 48:41 and 63:60 kept free; 59:49 chunk slot, low 11 bits.

QUAD_DTYPE = np.dtype("<u8")
QUAD_Y_SHIFT = 6
QUAD_Z_SHIFT = 12
QUAD_WIDTH_SHIFT = 18
QUAD_HEIGHT_SHIFT = 24
QUAD_FACE_SHIFT = 30
QUAD_MATERIAL_SHIFT = 33
QUAD_SLOT_SHIFT = 49
QUAD_SLOT_MASK = 0x7FF

UNPACKED_QUAD_FIELDS = ("x", "y", "z", "width", "height", "face", "material", "slot")


def unpack_quads(quads: NDArray[np.uint64]) -> dict[str, NDArray[np.int64]]:
    """The fields of PackedQuads, each (n,) int64, by the names in UNPACKED_QUAD_FIELDS."""

    def bits(shift: int, n: int) -> NDArray[np.int64]:
        return ((quads >> np.uint64(shift)) & np.uint64((1 << n) - 1)).astype(np.int64)

    return {
        "x": bits(0, 6),
        "y": bits(QUAD_Y_SHIFT, 6),
        "z": bits(QUAD_Z_SHIFT, 6),
        "width": bits(QUAD_WIDTH_SHIFT, 6),
        "height": bits(QUAD_HEIGHT_SHIFT, 6),
        "face": bits(QUAD_FACE_SHIFT, 3),
        "material": bits(QUAD_MATERIAL_SHIFT, 8),
        "slot": bits(QUAD_SLOT_SHIFT, 11),
    }


def pack_quads(fields: dict[str, NDArray[np.int64]]) -> NDArray[np.uint64]:
    """The inverse of unpack_quads; a slot beyond 11 bits is cut to its low 11, as the layout says."""
    f = {name: np.asarray(fields[name]).astype(np.uint64) for name in UNPACKED_QUAD_FIELDS}
    return (
        f["x"]
        | f["y"] << np.uint64(QUAD_Y_SHIFT)
        | f["z"] << np.uint64(QUAD_Z_SHIFT)
        | f["width"] << np.uint64(QUAD_WIDTH_SHIFT)
        | f["height"] << np.uint64(QUAD_HEIGHT_SHIFT)
        | f["face"] << np.uint64(QUAD_FACE_SHIFT)
        | f["material"] << np.uint64(QUAD_MATERIAL_SHIFT)
        | (f["slot"] & np.uint64(QUAD_SLOT_MASK)) << np.uint64(QUAD_SLOT_SHIFT)
    )
