// SPDX-License-Identifier: GPL-3.0-or-later
// The bits of a chunk and of what touches it, in shared memory, and which faces of its voxels show.
//
// A row is the 32 voxels of one x and y, bit z, as in the occupancy record.
#include "lib/pool.glsl"
#include "lib/records.glsl"
#include "mesh/transparency.glsl"

layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uint occupancy[]; };
layout(std430, binding = JOBS_BINDING) readonly buffer Jobs { MeshJob jobs[]; };

uniform uint first_job;

const uint N_ROWS = 1024u;
const uint ALL = 0xFFFFFFFFu;
const uint OWN = 6u;

shared uint cells[7]; // of the neighbours by face, and of the chunk itself
shared uint hidden_sides[4 * 32]; // rows beyond faces ±X and ±Y: what hides the faces there

bool glassy; // some block of this chunk is transparent: only then can two voxels of one material face each other

// A row of OCCUPANCY_OPAQUE or OCCUPANCY_BLOCKY.
uint occupancy_row(uint cell, uint part, uint row) {
    if (is_uniform(cell)) {
        uint material = material_of(cell & 0xFFFFu);
        bool set = part == OCCUPANCY_OPAQUE ? !is_transparent(material) : (cell & FLAG_SMOOTH) == 0u;
        return material != 0u && set ? ALL : 0u;
    }
    return occupancy[(cell - 1u) * OCCUPANCY_WORDS + part + row];
}

// Which voxels of a row of this chunk have the material of the next one along an axis; within the chunk.
uint alike_row(uint axis, uint row) {
    if (is_uniform(cells[OWN])) {
        return ALL;
    }
    return occupancy[(cells[OWN] - 1u) * OCCUPANCY_WORDS + OCCUPANCY_ALIKE + axis * N_ROWS + row];
}

uint material_in(uint cell, uint row, uint z) {
    return material_of(voxel_of_cell(cell, ivec3(row >> 5, row & 31u, z)));
}

bool is_glassy(uint cell) {
    if (is_uniform(cell)) {
        return occupancy_row(cell, OCCUPANCY_BLOCKY, 0u) != 0u && occupancy_row(cell, OCCUPANCY_OPAQUE, 0u) == 0u;
    }
    return (occupancy[(cell - 1u) * OCCUPANCY_WORDS + OCCUPANCY_FLAGS] & 1u) != 0u;
}

// Whether a chunk has blocks, and does not lie among its like or in the dark: a test of chunks of one value only.
bool may_have_faces() {
    uint own = cells[OWN];
    if (!is_uniform(own)) {
        return true;
    }
    bool shown = false;
    for (int face = 0; face < 6; face++) {
        uint cell = cells[face];
        bool alike = material_of(cell & 0xFFFFu) == material_of(own & 0xFFFFu);
        shown = shown || !is_uniform(cell) || (occupancy_row(cell, OCCUPANCY_OPAQUE, 0u) == 0u && !alike);
    }
    return shown && occupancy_row(own, OCCUPANCY_BLOCKY, 0u) != 0u;
}

// What hides the faces of a row of this chunk towards a row of a neighbour on one of its sides.
uint hidden_side(uint face, uint index) {
    uint outermost = 31u * (1u - (face & 1u));
    uint own = face < 2u ? outermost * 32u + index : index * 32u + outermost;
    uint other = face < 2u ? own ^ (31u * 32u) : own ^ 31u;
    uint hidden = occupancy_row(cells[face], OCCUPANCY_OPAQUE, other);
    if (glassy) {
        for (uint z = 0u; z < 32u; z++) {
            hidden |= uint(material_in(cells[OWN], own, z) == material_in(cells[face], other, z)) << z;
        }
    }
    return hidden;
}

// What hides the outermost face of a column towards the chunk above or below, as bit 0.
uint hidden_end(uint face, uint row) {
    uint own = face == 4u ? 31u : 0u;
    uint hidden = occupancy_row(cells[face], OCCUPANCY_OPAQUE, row) >> (31u - own) & 1u;
    if (glassy) {
        hidden |= uint(material_in(cells[OWN], row, own) == material_in(cells[face], row, 31u - own));
    }
    return hidden;
}

// All threads call these two, the second where may_have_faces() says so; after both there must be a barrier.
void find_chunk(ivec3 coord) {
    uint thread = gl_LocalInvocationIndex;
    if (thread < 7u) {
        cells[thread] = grid_cell(thread == OWN ? coord : coord + ivec3(FACE_NORMALS[min(thread, 5u)]));
    }
}

void load_chunk() {
    uint thread = gl_LocalInvocationIndex;
    glassy = is_glassy(cells[OWN]);
    for (uint i = thread; i < 4u * 32u; i += gl_WorkGroupSize.x) {
        hidden_sides[i] = hidden_side(i >> 5, i & 31u);
    }
}

uint opaque_row(uint row) {
    return occupancy_row(cells[OWN], OCCUPANCY_OPAQUE, row);
}

// What the row a step further hides, and in glass what is of the same material. lower is the first row of the two.
uint hidden_inside(uint axis, uint row, uint lower) {
    return opaque_row(row) | (glassy ? alike_row(axis, lower) : 0u);
}

// The voxels of a row whose face shows.
uint visible_row(uint face, uint row) {
    uint blocky = occupancy_row(cells[OWN], OCCUPANCY_BLOCKY, row);
    if (blocky == 0u) {
        return 0u;
    }
    uint x = row >> 5, y = row & 31u;
    uint hidden;
    if (face == 0u) {
        hidden = x < 31u ? hidden_inside(0u, row + 32u, row) : hidden_sides[y];
    } else if (face == 1u) {
        hidden = x > 0u ? hidden_inside(0u, row - 32u, row - 32u) : hidden_sides[32u + y];
    } else if (face == 2u) {
        hidden = y < 31u ? hidden_inside(1u, row + 1u, row) : hidden_sides[64u + x];
    } else if (face == 3u) {
        hidden = y > 0u ? hidden_inside(1u, row - 1u, row - 1u) : hidden_sides[96u + x];
    } else {
        uint alike = glassy ? alike_row(2u, row) & 0x7FFFFFFFu : 0u;
        if (face == 4u) {
            hidden = opaque_row(row) >> 1 | alike | hidden_end(face, row) << 31;
        } else {
            hidden = opaque_row(row) << 1 | alike << 1 | hidden_end(face, row);
        }
    }
    return blocky & ~hidden;
}

// HAS_OPAQUE and HAS_TRANSPARENT of a row's visible faces.
uint kinds_of(uint visible, uint row) {
    uint opaque = opaque_row(row);
    return ((visible & opaque) != 0u ? HAS_OPAQUE : 0u) | ((visible & ~opaque) != 0u ? HAS_TRANSPARENT : 0u);
}
