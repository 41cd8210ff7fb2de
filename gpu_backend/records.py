# SPDX-License-Identifier: GPL-3.0-or-later
"""The records that cross to the GPU, little-endian as std430 lays them out. Mirrored in shaders/lib/records.glsl.

PackedQuad, which is a number rather than a record, lives in voxel/layout.py.
"""

from enum import IntEnum, IntFlag

import numpy as np

from ..voxel.layout import CHUNK_SIZE, CHUNK_VOXELS

CHUNK_DRAW = np.dtype(
    [
        ("corner", "<f4", 4),  # of the chunk, in voxel space; w: the edge of its cells, in voxels, 2 to its level
        ("quad_offset", "<u4"),
        ("slot", "<u4"),
        ("face_offsets", "<u4", 6),  # in quads, relative to quad_offset
        ("face_counts", "<u4", 6),
        ("fade", "<f4", 2),  # culling writes it: shaders/lib/levels.glsl
    ]
)

INDIRECT_DRAW = np.dtype(
    [
        ("count", "<u4"),
        ("instance_count", "<u4"),
        ("first_index", "<u4"),
        ("base_vertex", "<u4"),
        ("base_instance", "<u4"),
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
        ("texture_contrast", "<f4"),
        ("texture_layer", "<u4"),
        ("tiles_per_period", "<u4"),  # tiles of the texture along TEXTURE_PERIOD voxels
        ("bleeds", "<u4"),  # 0 or 1, as resists
        ("resists", "<u4"),
    ]
)

TEXTURE_PERIOD = 4096
"""Voxels after which every texture repeats: a whole number of tiles, so that voxels can be reduced by it exactly."""

FRAME = np.dtype(
    [
        # Matrices lie by columns. "Eye" is voxel space's axes with the eye as origin.
        ("clip_from_eye", "<f4", (4, 4)),
        ("eye_from_clip", "<f4", (4, 4)),
        ("eye_voxel", "<f4", 4),  # xyz: the voxel that the eye is in; w: the distance at which haze begins
        ("eye_fraction", "<f4", 4),  # xyz: the eye within it; w: voxels a pixel where clip w is 1
        ("sun_direction", "<f4", 4),  # xyz: towards the sun; w: the length that haze goes by, in voxels
        ("view_direction", "<f4", 4),  # xyz: along the view, in voxel space; w: 1 for an orthographic view, else 0
        ("picture", "<f4", 4),  # xy: width and height in pixels; z: what levels of detail are dithered by, −½ … ½;
        # w: pixels that a voxel of a coarse level may cover, 0 where only full detail is drawn
    ]
)
"""A uniform block. It has mat4 and vec4 members only, for which std140 and std430 agree."""


SMOOTH_DRAW = np.dtype(
    [
        ("corner", "<f4", 4),  # of the chunk, in voxel space; w: where it fades, which culling writes
        ("quad_offset", "<u4"),
        ("quad_count", "<u4"),
        ("flags", "<u4"),  # HAS_OPAQUE, HAS_TRANSPARENT
        ("padding", "<u4"),
    ]
)
"""The smooth quads of one chunk. A SMOOTH_VERTEX's slot is the index of its SMOOTH_DRAW."""

HAS_OPAQUE, HAS_TRANSPARENT = 1, 2
"""What a chunk's quads are of."""

MESH_HEADER = np.dtype(
    [
        ("top", "<u4"),  # blocks from here on are free
        ("capacity", "<u4"),  # blocks
        ("n_without_room", "<u4"),  # rows whose quads found none
        ("n_quads", "<u4"),  # of all rows
        ("padding", "<u4", 4),
    ]
)
"""How full the pool of quads is."""

MESH_ROW = np.dtype(
    [
        ("capacity", "<u4"),  # blocks
        ("flags", "<u4"),  # HAS_OPAQUE, HAS_TRANSPARENT; 15:4 blocks in use; 27:16 blocks for which there was no room
    ]
)
"""The range of quads of a row. The header and then the rows are one buffer."""

MESH_USED_SHIFT, MESH_WANTED_SHIFT, MESH_BLOCKS_MASK = 4, 16, 0xFFF
"""Of a MESH_ROW's flags."""

NETS_HEADER = np.dtype(
    [
        ("vertex_top", "<u4"),  # vertices from here on are free
        ("vertex_capacity", "<u4"),
        ("quad_top", "<u4"),
        ("quad_capacity", "<u4"),
        ("n_without_room", "<u4"),  # rows whose surface found none
        ("n_quads", "<u4"),  # of all rows
        ("padding", "<u4", 2),
    ]
)
"""How full the pool of smooth surfaces is."""

NETS_ROW = np.dtype(
    [
        ("vertex_offset", "<u4"),
        ("n_vertices", "<u4"),  # with those of cells around the chunk, which lie behind its own
        ("n_own", "<u4"),
        ("vertex_capacity", "<u4"),
        ("quad_capacity", "<u4"),
        ("wanted_vertices", "<u4"),  # for which there was no room, as for quads
        ("wanted_quads", "<u4"),
        ("padding", "<u4"),
    ]
)
"""The ranges of a row of smooth surfaces, beside its SMOOTH_DRAW. The header and then the rows are one buffer, at the
binding point MESH_STATE while surfaces are meshed."""

NETS_STEP = 64
"""Ranges of vertices and quads of smooth surfaces are whole multiples of this."""

MESH_JOB = np.dtype(
    [
        ("coord", "<i4", 3),  # of the chunk, in chunks
        ("row", "<u4"),  # its CHUNK_DRAW, or its SMOOTH_DRAW; from MESH_LEVEL_SHIFT on, its level of detail
    ]
)
"""A chunk that is to be meshed."""

FIELD_JOB = np.dtype(
    [
        ("coord", "<i4", 3),  # of the chunk, in chunks
        ("field", "<u4"),  # its field's number
    ]
)
"""A chunk whose field is to be made."""

MESH_LEVEL_SHIFT = 28
MESH_ROW_NUMBER = (1 << MESH_LEVEL_SHIFT) - 1
"""Of a MESH_JOB's row."""

LEVEL_JOB = np.dtype(
    [
        ("slot", "<u4"),
        ("children", "<u4", 8),  # their cells of the grid: of child (x, y, z), 0 or 1 each, at x · 4 + y · 2 + z
    ]
)
"""A coarse chunk that is to be made of the eight of the next finer level."""

LEVEL_FULL, LEVEL_SMOOTH = 1, 2
"""Bits of a coarse voxel, which has no others beside its material: everything in it is opaque, which that of a chunk of
one value need not say; what is seen of it is smooth."""

WORLD_GRID = np.dtype(
    [
        ("origin", "<i4", 4),  # xyz: the chunk of cell 0
        ("size", "<i4", 4),  # xyz: cells along each axis; w: how many coarser grids follow, each about the one before
    ]
)
"""A uniform block: where the grid of chunks lies. std140 and std430 agree on it."""

DECAL = np.dtype(
    [
        ("world_to_local", "<f4", (4, 4)),  # by columns, into the box: inside is all of abs(xyz) ≤ 1
        ("tint", "<f4", 3),  # linear light
        ("color_mix", "<f4"),
        ("image_layer", "<f4"),  # −1 for none, as normal_layer
        ("normal_layer", "<f4"),
        ("normal_mix", "<f4"),
        ("layers", "<u4"),  # 23:0 which surfaces, DecalLayer; 31:24 the steepest slope, ANY_SLOPE for all
        ("fades", "<f4", 4),  # upper, lower, the distance at which it begins to fade, the length of that
    ]
)

ANY_SLOPE, LEVEL_SLOPE = 255, 254
"""Of a DECAL's slope: all surfaces; and of the other numbers the one of a cosine of 1, 0 being that of −1."""

DECAL_HEADER = np.dtype(
    [
        ("count", "<u4"),
        ("grid", "<u4", 2),  # tiles along x and y; 0 along x where there are no masks: test every decal then
        ("tile", "<u4"),  # pixels along each edge
    ]
)
"""Before always MAX_DECALS records, after which a mask of as many bits follows for each tile, row by row from below."""

MAX_DECALS = 64


class DecalLayer(IntFlag):
    """Which surfaces a decal is laid on."""

    BLOCKY = 1
    SMOOTH = 2
    TOPINGS = 4
    FAR = 8


UNIFORM_CHUNK = 0x8000_0000
"""A cell of the grid of chunks is 0 for air and for chunks that are not there, this | voxel for a chunk of one value,
else the chunk's slot + 1."""

# Occupancy of a slot, as uint32 words of bits: rows of 32 voxels along x and the same along y, so that meshing need not
# turn them for any face, then what is there once.
OCCUPANCY_X_ROWS = 0
"""Five parts of 1024 rows, of one y and z each, bit x; rows lie at y · 32 + z."""
OCCUPANCY_Y_ROWS = 5120
"""The same parts, of one x and z each, bit y; rows lie at x · 32 + z."""
OCCUPANCY_OPAQUE = 0
"""Where in the rows: voxels that hide what is behind them, blocky and smooth."""
OCCUPANCY_BLOCKY = 1024
"""Where in the rows: voxels that are meshed as blocks."""
OCCUPANCY_ALIKE = 2048
"""Where in the rows: three parts, voxels that have the material of the next one along x, then along y, then along z; 0
where the next one lies in another chunk."""
OCCUPANCY_BRICKS = 10240
"""512 pairs of words: the voxels of 4³ cell (X, Y, Z), at pair (X · 8 + Y) · 8 + Z, that rays of light look at, bit
(z · 4 + y) · 4 + x of 64: what is opaque, but where a smooth surface is drawn, what that passes through."""
OCCUPANCY_SURFACE = 11264
"""The same for those of them that a smooth surface passes through. Written where there is a field only."""
OCCUPANCY_FLAGS = 12288
"""Bit 0: some blocky voxel is transparent; bit 1: some voxel is smooth; bit 2: some voxel is a block."""
OCCUPANCY_FIELD = 12289
"""The number of the slot's field + 1, or 0: see FIELD_WORDS."""
OCCUPANCY_SMOOTH = 12320
"""Rows along x of voxels that are smooth, at y · 32 + z."""
OCCUPANCY_WORDS = 13344
"""Words a slot, a multiple of four."""

FIELD_SAMPLES = CHUNK_SIZE + 2
FIELD_ROW_BYTES = 36
FIELD_WORDS = FIELD_SAMPLES**2 * FIELD_ROW_BYTES // 4
"""Words of a field: a byte for each voxel of a chunk and for those about it, sample (x, y, z), −1 … 32, at
((x + 1) · 34 + y + 1) · 36 + z + 1. Bits 6:0 are FIELD_ZERO + the signed distance of sorts that smooth surfaces are
drawn from (voxel/mesh/nets_field.py), negative inside and never 0: FIELD_FLAT is what it is beside a flat surface.
FIELD_SURFACE says that there is a smooth surface in the cube between this sample and the next ones."""
FIELD_VALUE_MASK, FIELD_SURFACE, FIELD_ZERO, FIELD_FLAT = 0x7F, 0x80, 64, 25

VOXEL_WORDS = CHUNK_VOXELS // 2
"""uint32 words of voxels a slot. Voxel i = (x · 32 + y) · 32 + z is in word i >> 1, even z in the low half."""

QUAD_BLOCK = 32
"""Quads of a chunk lie in whole blocks of this many; each block knows the row of its chunk."""


class StorageBinding(IntEnum):
    """The binding point of each storage block."""

    QUADS = 0
    CHUNK_DRAWS = 1
    MATERIALS = 2
    SMOOTH_VERTICES = 3
    SMOOTH_QUADS = 4
    GRID = 5
    OCCUPANCY = 6
    JOBS = 7
    MESH_STATE = 8
    QUAD_OWNERS = 9
    FIELD = 9
    """The same: rays of light, and what is made for them, know nothing of quads."""
    COMMANDS = 10
    SMOOTH_DRAWS = 11
    VOXELS_0 = 12
    """Voxels lie in up to MAX_VOXEL_PAGES buffers, at this binding point and those after it."""
    SEEN = 15


MAX_VOXEL_PAGES = 3


class UniformBinding(IntEnum):
    """The binding point of each uniform block."""

    FRAME = 0
    WORLD_GRID = 1
