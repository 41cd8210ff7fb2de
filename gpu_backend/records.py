# SPDX-License-Identifier: GPL-3.0-or-later
"""The records that cross to the GPU, little-endian as std430 lays them out. Mirrored in shaders/lib/records.glsl.

PackedQuad, which is a number rather than a record, lives in voxel/layout.py.
"""

from enum import IntEnum

import numpy as np

CHUNK_DRAW = np.dtype(
    [
        ("corner", "<f4", 4),  # of the chunk, in voxel space; w is free
        ("quad_offset", "<u4"),
        ("slot", "<u4"),
        ("face_offsets", "<u4", 6),  # in quads, relative to quad_offset
        ("face_counts", "<u4", 6),
        ("padding", "<u4", 2),
    ]
)

INDIRECT_DRAW = np.dtype(
    [
        ("count", "<u4"),
        ("instance_count", "<u4"),
        ("first", "<u4"),
        ("base_instance", "<u4"),
        ("reserved", "<u4"),  # moderngl steps by 20 bytes for arrays too
    ]
)

SMOOTH_VERTEX = np.dtype(
    [
        ("position", "<f4", 3),  # relative to the chunk's corner, in voxels
        ("attributes", "<u4"),  # 7:0 material, 15:8 second material, 23:16 blend weight, 31:24 flags
        ("normal", "<f4", 3),
        ("slot", "<u4"),
    ]
)

SECONDARY_MATERIAL_SHIFT = 8
BLEND_WEIGHT_SHIFT = 16
"""Of a SMOOTH_VERTEX's attributes."""

SMOOTH_QUAD = np.dtype(
    [
        ("vertices", "<u4", 4),
        ("material", "<u4"),
    ]
)

MATERIAL = np.dtype(
    [
        ("color", "<f4", 3),  # linear light
        ("opacity", "<f4"),
        ("roughness", "<f4"),
        ("metallic", "<f4"),
        ("emission", "<f4"),  # in multiples of the colour
        ("padding", "<f4"),
    ]
)

FRAME = np.dtype(
    [
        # Matrices lie by columns. "Eye" is voxel space's axes with the eye as origin.
        ("clip_from_eye", "<f4", (4, 4)),
        ("eye_from_clip", "<f4", (4, 4)),
        ("eye_voxel", "<f4", 4),  # xyz: the voxel that the eye is in; w: the distance at which haze begins
        ("eye_fraction", "<f4", 4),  # xyz: the eye within it; w: voxels a pixel where clip w is 1
        ("sun_direction", "<f4", 4),  # xyz: towards the sun; w: the length that haze goes by, in voxels
    ]
)
"""A uniform block. It has mat4 and vec4 members only, for which std140 and std430 agree."""


class StorageBinding(IntEnum):
    """The binding point of each storage block."""

    QUADS = 0
    CHUNK_DRAWS = 1
    MATERIALS = 2
    SMOOTH_VERTICES = 3
    SMOOTH_QUADS = 4


class UniformBinding(IntEnum):
    """The binding point of each uniform block."""

    FRAME = 0
