// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the draw commands of what casts shadows in the map whose frame is bound, as the sun sees it: of blocks in full
// detail a chunk's faces that turn away from it, of smooth surfaces all. What lies before the map's depth casts into it too.
#include "lib/bindings.glsl"
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/pool_layout.glsl"
#include "lib/records.glsl"
#include "lib/smooth_reach.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) readonly buffer MeshState { MeshHeader header; MeshRow mesh_rows[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) readonly buffer SmoothDraws { SmoothDraw smooth_draws[]; };
layout(std430, binding = COMMANDS_BINDING) writeonly buffer Commands { IndirectDraw commands[]; };

uniform uint n_rows;
uniform uint n_smooth_rows;

bool casts(vec3 corner, float margin) {
    vec3 middle = (frame.clip_from_eye * vec4(relative_to_eye(corner, vec3(CHUNK_SIZE) * 0.5), 1.0)).xyz;
    mat3 axes = mat3(frame.clip_from_eye);
    vec3 reach = (abs(axes[0]) + abs(axes[1]) + abs(axes[2])) * (float(CHUNK_SIZE) * 0.5 + margin);
    return all(lessThan(abs(middle.xy), 1.0 + reach.xy)) && middle.z < 1.0 + reach.z;
}

IndirectDraw draw(uint first_quad, uint n_quads, uint row, bool drawn) {
    return IndirectDraw(n_quads * 6u, drawn && n_quads > 0u ? 1u : 0u, 0u, first_quad * 4u, row);
}

void main() {
    uint row = gl_GlobalInvocationID.x;
    if (row < n_rows) {
        ChunkDraw chunk = chunk_draws[row];
        bool is_fine = chunk.corner.w == 1.0;
        bool drawn = is_fine && (mesh_rows[row].flags & HAS_OPAQUE) != 0u && casts(chunk.corner.xyz, 0.0);
        for (int axis = 0; axis < 3; axis++) {
            int face = axis * 2 + (frame.sun_direction[axis] > 0.0 ? 1 : 0);
            uint first = chunk.quad_offset + chunk.face_offsets[face];
            commands[row * 3u + uint(axis)] = draw(first, chunk.face_counts[face], row, drawn);
        }
    } else if (row - n_rows < n_smooth_rows) {
        row -= n_rows;
        SmoothDraw chunk = smooth_draws[row];
        bool drawn = (chunk.flags & HAS_OPAQUE) != 0u && casts(chunk.corner.xyz, SMOOTH_REACH);
        commands[n_rows * 3u + row] = draw(chunk.quad_offset, chunk.quad_count, row, drawn);
    }
}
