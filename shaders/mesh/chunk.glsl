// SPDX-License-Identifier: GPL-3.0-or-later
// The occupancy of a chunk and of what touches it, and which faces of its voxels show.
//
// The faces of an axis lie in 32 slices. Row v of a slice is the 32 voxels along U, as bits, which is how the occupancy
// record has them: those of faces ±X lie along y, the others along x.
#include "lib/pool.glsl"
#include "lib/records.glsl"
#include "mesh/transparency.glsl"

// Of four words, so that four rows can be read at once.
layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uvec4 occupancy[]; };
layout(std430, binding = JOBS_BINDING) readonly buffer Jobs { MeshJob jobs[]; };

uniform uint first_job;

const uint ALL = 0xFFFFFFFFu;
const uint OWN = 6u;

shared uint cells[7]; // of the neighbours by face, and of the chunk itself
shared uint hidden_sides[6 * 32]; // what hides the faces of the outermost slice towards each neighbour, row by row

uint level;  // of detail, of this chunk: 0 for the world's own
bool glassy; // some block of this chunk is transparent: only then can two voxels of one material face each other

uint occupancy_word(uint cell, uint i) {
    uint at = (cell - 1u) * OCCUPANCY_WORDS + i;
    return occupancy[at >> 2][at & 3u];
}

// Where a row is in the record, beside its part.
uint place_of_row(uint axis, uint slice, uint v) {
    uint rows = axis == 0u ? OCCUPANCY_Y_ROWS : OCCUPANCY_X_ROWS;
    return rows + (axis == 2u ? v * 32u + slice : slice * 32u + v);
}

uvec3 place_of_voxel(uint axis, uint slice, uint u, uint v) {
    return axis == 0u ? uvec3(slice, u, v) : axis == 1u ? uvec3(u, slice, v) : uvec3(u, v, slice);
}

// Any row of a chunk of one value.
uint uniform_row(uint cell, uint part) {
    uint material = material_of(cell & 0xFFFFu);
    bool opaque = material != 0u && !is_transparent(material);
    bool blocky = material != 0u && (cell & FLAG_SMOOTH) == 0u;
    return part >= OCCUPANCY_ALIKE || (part == OCCUPANCY_OPAQUE ? opaque : blocky) ? ALL : 0u;
}

// Rows v … v + 3 of a slice of this chunk; v is a multiple of four.
uvec4 four_rows(uint part, uint axis, uint slice, uint v) {
    uint cell = cells[OWN];
    uint slot_cell = is_uniform(cell) ? 1u : cell; // any, so that there is no branch to wait at
    uint at = part + place_of_row(axis, slice, v);
    uvec4 rows;
    if (axis == 2u) {
        rows = uvec4(
            occupancy_word(slot_cell, at),
            occupancy_word(slot_cell, at + 32u),
            occupancy_word(slot_cell, at + 64u),
            occupancy_word(slot_cell, at + 96u)
        );
    } else {
        rows = occupancy[(slot_cell - 1u) * (OCCUPANCY_WORDS / 4u) + at / 4u];
    }
    return is_uniform(cell) ? uvec4(uniform_row(cell, part)) : rows;
}

uint material_in(uint cell, uvec3 voxel) {
    return material_of(voxel_of_cell(cell, ivec3(voxel)));
}

bool is_glassy(uint cell) {
    if (is_uniform(cell)) {
        return uniform_row(cell, OCCUPANCY_BLOCKY) != 0u && uniform_row(cell, OCCUPANCY_OPAQUE) == 0u;
    }
    return (occupancy_word(cell, OCCUPANCY_FLAGS) & 1u) != 0u;
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
        shown = shown || !is_uniform(cell) || (uniform_row(cell, OCCUPANCY_OPAQUE) == 0u && !alike);
    }
    return shown && uniform_row(own, OCCUPANCY_BLOCKY) != 0u;
}

uint outermost_slice(uint face) {
    return 31u * (1u - (face & 1u));
}

// Which of some voxels of a row are opaque in all finer levels too. At the border of a coarse chunk only these hide a
// face: where its neighbour is drawn in a finer level, others may be open. So every level is a closed body there.
uint full_voxels(uint cell, uint axis, uint slice, uint v, uint voxels) {
    uint full = 0u;
    for (uint rest = voxels; rest != 0u; rest &= rest - 1u) {
        uint u = uint(findLSB(rest));
        uint voxel = voxel_of_cell(cell, ivec3(place_of_voxel(axis, slice, u, v)));
        full |= (voxel & LEVEL_FULL) << u;
    }
    return full;
}

// What hides the faces of a row of the outermost slice towards a neighbour.
uint hidden_side(uint face, uint v) {
    uint axis = face >> 1, cell = cells[face];
    uint own = outermost_slice(face), other = 31u - own;
    uint hidden;
    if (is_uniform(cell)) {
        hidden = uniform_row(cell, OCCUPANCY_OPAQUE);
    } else {
        hidden = occupancy_word(cell, OCCUPANCY_OPAQUE + place_of_row(axis, other, v));
        hidden = level > 0u ? full_voxels(cell, axis, other, v, hidden) : hidden;
    }
    if (glassy) {
        for (uint u = 0u; u < 32u; u++) {
            uint material = material_in(cells[OWN], place_of_voxel(axis, own, u, v));
            bool alike = material == material_in(cell, place_of_voxel(axis, other, u, v));
            hidden |= uint(alike && is_transparent(material)) << u;
        }
    }
    return hidden;
}

// All threads call these two, the second where may_have_faces() says so; after both there must be a barrier.
void find_chunk(ivec3 coord) {
    uint thread = gl_LocalInvocationIndex;
    if (thread < 7u) {
        cells[thread] = level_cell(level, thread == OWN ? coord : coord + ivec3(FACE_NORMALS[min(thread, 5u)]));
    }
}

void look_around() {
    glassy = is_glassy(cells[OWN]);
    for (uint i = gl_LocalInvocationIndex; i < 6u * 32u; i += gl_WorkGroupSize.x) {
        hidden_sides[i] = hidden_side(i / 32u, i % 32u);
    }
}

// Which voxels of this chunk have the material of the next one along an axis, but for those at its end.
uvec4 alike_rows(uint along, uint axis, uint slice, uint v) {
    return four_rows(OCCUPANCY_ALIKE + along * 1024u, axis, slice, v);
}

// The voxels of rows v … v + 3 of a slice whose face shows.
uvec4 visible_rows(uint face, uint slice, uint v) {
    uint axis = face >> 1;
    uvec4 blocky = four_rows(OCCUPANCY_BLOCKY, axis, slice, v);
    uint beyond = (face & 1u) == 0u ? slice + 1u : slice - 1u;
    uvec4 hidden = four_rows(OCCUPANCY_OPAQUE, axis, beyond & 31u, v);
    if (slice == outermost_slice(face)) {
        uint at = face * 32u + v;
        hidden = uvec4(hidden_sides[at], hidden_sides[at + 1u], hidden_sides[at + 2u], hidden_sides[at + 3u]);
    } else if (glassy) {
        hidden |= alike_rows(axis, axis, min(slice, beyond), v);
    }
    return blocky & ~hidden;
}

// HAS_OPAQUE and HAS_TRANSPARENT of the visible faces of rows v … v + 3.
uint kinds_of(uvec4 visible, uint axis, uint slice, uint v) {
    if (visible == uvec4(0u)) {
        return 0u;
    }
    if (!glassy) {
        return HAS_OPAQUE;
    }
    uvec4 opaque = four_rows(OCCUPANCY_OPAQUE, axis, slice, v);
    uint kinds = (visible & opaque) != uvec4(0u) ? HAS_OPAQUE : 0u;
    return kinds | ((visible & ~opaque) != uvec4(0u) ? HAS_TRANSPARENT : 0u);
}
