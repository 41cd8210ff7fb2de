// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the quads of the rows listed away: a thread a row.
#include "lib/bindings.glsl"
#include "lib/pool_layout.glsl"
#include "lib/records.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = JOBS_BINDING) readonly buffer Rows { uint rows[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) buffer MeshState { MeshHeader header; MeshRow mesh_rows[]; };

uniform uint n_rows;

void main() {
    if (gl_GlobalInvocationID.x >= n_rows) {
        return;
    }
    uint row = min(rows[gl_GlobalInvocationID.x], uint(chunk_draws.length()) - 1u);
    uint total = 0u;
    for (int face = 0; face < 6; face++) {
        total += chunk_draws[row].face_counts[face];
        chunk_draws[row].face_counts[face] = 0u;
    }
    atomicAdd(header.n_quads, 0u - total);
    if (mesh_rows[row].flags >> MESH_WANTED_SHIFT != 0u) {
        atomicAdd(header.n_without_room, ~0u);
    }
    mesh_rows[row] = MeshRow(0u, 0u);
}
