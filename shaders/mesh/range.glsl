// SPDX-License-Identifier: GPL-3.0-or-later
// Where the quads of a chunk go, and how they are packed.
#include "lib/packed_quad.glsl"
#include "mesh/chunk.glsl"

layout(std430, binding = QUADS_BINDING) coherent buffer Quads { uvec2 quads[]; };
layout(std430, binding = QUAD_OWNERS_BINDING) writeonly buffer QuadOwners { uint quad_owners[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) buffer MeshState { MeshHeader header; MeshRow mesh_rows[]; };

const uint NO_ROOM = 0xFFFFFFFFu;
const uint NO_SLOT = 0xFFFFFFFFu;

shared uint face_firsts[7]; // where the quads of each face begin in the chunk's range; the last one: how many there are
shared uint kinds;          // HAS_OPAQUE, HAS_TRANSPARENT
shared uint range_start;    // the first quad, or NO_ROOM

// One thread calls this once face_firsts and kinds are there: finds a range for the chunk's quads, the row's own where it
// is large enough, and sets range_start and the row's records. A row that finds no room keeps the quads that it had.
void claim_range(MeshJob job) {
    uint total = face_firsts[6];
    uint used = (total + QUAD_BLOCK - 1u) / QUAD_BLOCK;
    MeshRow state = mesh_rows[job.row];
    bool lacked_room = state.flags >> MESH_WANTED_SHIFT != 0u;
    uint start = chunk_draws[job.row].quad_offset;
    bool fits = used <= state.capacity;
    // Looked at first: what is added for nothing is lost until all ranges are moved together.
    if (!fits && header.top + used <= header.capacity) {
        uint first = atomicAdd(header.top, used);
        fits = first + used <= header.capacity;
        if (fits) {
            start = first * QUAD_BLOCK;
            state.capacity = used;
        }
    }
    uint cell = cells[OWN];
    chunk_draws[job.row].corner = vec4(vec3(job.coord * (CHUNK_SIZE << level)), float(1 << level));
    chunk_draws[job.row].slot = is_uniform(cell) ? NO_SLOT : cell - 1u;
    if (fits) {
        uint previous = 0u;
        for (int face = 0; face < 6; face++) {
            previous += chunk_draws[job.row].face_counts[face];
            chunk_draws[job.row].face_offsets[face] = face_firsts[face];
            chunk_draws[job.row].face_counts[face] = face_firsts[face + 1] - face_firsts[face];
        }
        chunk_draws[job.row].quad_offset = start;
        atomicAdd(header.n_quads, total - previous);
        state.capacity = total == 0u ? 0u : state.capacity;
        state.flags = kinds | used << MESH_USED_SHIFT;
    } else {
        state.flags = bitfieldInsert(state.flags, used, MESH_WANTED_SHIFT, 32 - MESH_WANTED_SHIFT);
    }
    if (fits == lacked_room) {
        atomicAdd(header.n_without_room, fits ? ~0u : 1u);
    }
    mesh_rows[job.row] = state;
    range_start = fits ? start : NO_ROOM;
}

// All threads call this.
void own_blocks(uint row) {
    uint used = (face_firsts[6] + QUAD_BLOCK - 1u) / QUAD_BLOCK;
    for (uint i = gl_LocalInvocationIndex; i < used; i += gl_WorkGroupSize.x) {
        quad_owners[range_start / QUAD_BLOCK + i] = row;
    }
}

// The low and the high word of a PackedQuad. cell is the chunk's in the grid.
uint quad_low(uint face, uint width, uint height) {
    return width << QUAD_WIDTH_SHIFT | height << QUAD_HEIGHT_SHIFT | face << QUAD_FACE_SHIFT;
}

uint quad_high(uint face, uint material, uint cell) {
    uint slot = is_uniform(cell) ? 0u : cell - 1u & QUAD_SLOT_MASK;
    return face >> (32 - QUAD_FACE_SHIFT) | material << (QUAD_MATERIAL_SHIFT - 32) | slot << (QUAD_SLOT_SHIFT - 32);
}
