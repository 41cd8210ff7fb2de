// SPDX-License-Identifier: GPL-3.0-or-later
// Moves the smooth surfaces of all rows to new buffers, one range behind the other: a work group a row.
#include "lib/bindings.glsl"
#include "lib/pool_layout.glsl"
#include "lib/records.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = SMOOTH_VERTICES_BINDING) readonly buffer SmoothVertices { SmoothVertex smooth_vertices[]; };
layout(std430, binding = SMOOTH_QUADS_BINDING) readonly buffer SmoothQuads { SmoothQuad smooth_quads[]; };
layout(std430, binding = JOBS_BINDING) writeonly buffer MovedVertices { SmoothVertex moved_vertices[]; };
layout(std430, binding = QUADS_BINDING) writeonly buffer MovedQuads { SmoothQuad moved_quads[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) buffer SmoothDraws { SmoothDraw smooth_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) buffer MeshState { NetsHeader header; NetsRow nets_rows[]; };

uniform uint first_row;

shared uint first_vertex, first_quad;

uint in_steps(uint n) {
    return (n + NETS_STEP - 1u) / NETS_STEP * NETS_STEP;
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint index = first_row + gl_WorkGroupID.x;
    NetsRow row = nets_rows[index];
    SmoothDraw draw = smooth_draws[index];
    barrier();
    if (thread == 0u) {
        uint vertices = in_steps(row.n_vertices), quads = in_steps(draw.quad_count);
        first_vertex = vertices == 0u ? 0u : atomicAdd(header.vertex_top, vertices);
        first_quad = quads == 0u ? 0u : atomicAdd(header.quad_top, quads);
        nets_rows[index].vertex_offset = first_vertex;
        nets_rows[index].vertex_capacity = vertices;
        nets_rows[index].quad_capacity = quads;
        smooth_draws[index].quad_offset = first_quad;
    }
    barrier();
    for (uint i = thread; i < row.n_vertices; i += gl_WorkGroupSize.x) {
        moved_vertices[first_vertex + i] = smooth_vertices[row.vertex_offset + i];
    }
    for (uint i = thread; i < draw.quad_count; i += gl_WorkGroupSize.x) {
        SmoothQuad quad = smooth_quads[draw.quad_offset + i];
        for (int corner = 0; corner < 4; corner++) {
            quad.vertices[corner] += first_vertex - row.vertex_offset;
        }
        moved_quads[first_quad + i] = quad;
    }
}
