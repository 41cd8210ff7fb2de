// SPDX-License-Identifier: GPL-3.0-or-later
// Moves the quads of all rows to a new buffer, one range behind the other: a work group a row.
#include "lib/bindings.glsl"
#include "lib/pool_layout.glsl"
#include "lib/records.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = QUADS_BINDING) readonly buffer Quads { uvec2 quads[]; };
layout(std430, binding = JOBS_BINDING) writeonly buffer MovedQuads { uvec2 moved_quads[]; };
layout(std430, binding = QUAD_OWNERS_BINDING) writeonly buffer QuadOwners { uint quad_owners[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) buffer MeshState { MeshHeader header; MeshRow mesh_rows[]; };

uniform uint first_row;

shared uint range_start;

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint row = first_row + gl_WorkGroupID.x;
    uint from = chunk_draws[row].quad_offset;
    uint total = 0u;
    for (int face = 0; face < 6; face++) {
        total += chunk_draws[row].face_counts[face];
    }
    uint used = (total + QUAD_BLOCK - 1u) / QUAD_BLOCK;
    barrier();
    if (thread == 0u) {
        range_start = used == 0u ? 0u : atomicAdd(header.top, used) * QUAD_BLOCK;
        chunk_draws[row].quad_offset = range_start;
        mesh_rows[row].capacity = used;
    }
    barrier();
    for (uint i = thread; i < total; i += gl_WorkGroupSize.x) {
        moved_quads[range_start + i] = quads[from + i];
    }
    for (uint i = thread; i < used; i += gl_WorkGroupSize.x) {
        quad_owners[range_start / QUAD_BLOCK + i] = row;
    }
}
