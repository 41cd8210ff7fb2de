// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the draw commands of all chunks: those out of sight, and faces that look away, get no instance.
//
// Planes after G. Gribb and K. Hartmann, "Fast extraction of viewing frustum planes from the world-view-projection
// matrix", 2001, with OpenGL's near plane at z = −w.
#include "lib/bindings.glsl"
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/pool_layout.glsl"
#include "lib/records.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) readonly buffer MeshState { MeshHeader header; MeshRow mesh_rows[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) readonly buffer SmoothDraws { SmoothDraw smooth_draws[]; };
layout(std430, binding = COMMANDS_BINDING) writeonly buffer Commands { IndirectDraw commands[]; };

uniform uint n_rows;
uniform uint n_smooth_rows;

// A vertex of a smooth surface may lie this far outside its chunk.
const float SMOOTH_REACH = 1.0;

bool in_sight(vec3 corner, float margin) {
    mat4 planes = transpose(frame.clip_from_eye);
    vec3 middle = relative_to_eye(corner, vec3(CHUNK_SIZE) * 0.5);
    float half_size = float(CHUNK_SIZE) * 0.5 + margin;
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            vec4 plane = planes[3] + float(side) * planes[axis];
            float reach = half_size * (abs(plane.x) + abs(plane.y) + abs(plane.z));
            if (dot(plane.xyz, middle) + plane.w + reach < 0.0) {
                return false;
            }
        }
    }
    return true;
}

// Whether any face of a group can be seen: from the eye's side of the chunk's box, or along an orthographic view.
bool faces_eye(vec3 corner, int face) {
    int axis = face >> 1;
    bool positive = (face & 1) == 0;
    if (frame.view_direction.w > 0.0) {
        return positive ? frame.view_direction[axis] < 0.0 : frame.view_direction[axis] > 0.0;
    }
    float low = relative_to_eye(corner, vec3(0.0))[axis];
    return positive ? low < 0.0 : low + float(CHUNK_SIZE) > 0.0;
}

IndirectDraw draw(uint first_quad, uint n_quads, uint row, bool drawn) {
    return IndirectDraw(n_quads * 6u, drawn && n_quads > 0u ? 1u : 0u, 0u, first_quad * 4u, row);
}

void cull_blocky(uint row) {
    ChunkDraw chunk = chunk_draws[row];
    bool sighted = in_sight(chunk.corner.xyz, 0.0);
    uint flags = mesh_rows[row].flags;
    for (int face = 0; face < 6; face++) {
        bool drawn = sighted && faces_eye(chunk.corner.xyz, face);
        uint first = chunk.quad_offset + chunk.face_offsets[face];
        uint at = row * 6u + uint(face);
        commands[at] = draw(first, chunk.face_counts[face], row, drawn && (flags & HAS_OPAQUE) != 0u);
        at += n_rows * 6u;
        commands[at] = draw(first, chunk.face_counts[face], row, drawn && (flags & HAS_TRANSPARENT) != 0u);
    }
}

void cull_smooth(uint row) {
    SmoothDraw chunk = smooth_draws[row];
    bool sighted = in_sight(chunk.corner.xyz, SMOOTH_REACH);
    uint at = n_rows * 12u + row;
    commands[at] = draw(chunk.quad_offset, chunk.quad_count, row, sighted && (chunk.flags & HAS_OPAQUE) != 0u);
    at += n_smooth_rows;
    commands[at] = draw(chunk.quad_offset, chunk.quad_count, row, sighted && (chunk.flags & HAS_TRANSPARENT) != 0u);
}

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index < n_rows) {
        cull_blocky(index);
    } else if (index - n_rows < n_smooth_rows) {
        cull_smooth(index - n_rows);
    }
}
