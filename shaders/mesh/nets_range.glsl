// SPDX-License-Identifier: GPL-3.0-or-later
// Where the vertices and quads of a chunk go.
#include "mesh/nets_rows.glsl"

// SmoothVertices, each as two vectors of four words, which are read at once.
layout(std430, binding = SMOOTH_VERTICES_BINDING) coherent buffer SmoothVertices { uvec4 vertex_halves[]; };
layout(std430, binding = SMOOTH_QUADS_BINDING) coherent buffer SmoothQuads { SmoothQuad smooth_quads[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) buffer SmoothDraws { SmoothDraw smooth_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) buffer MeshState { NetsHeader header; NetsRow nets_rows[]; };

struct Range {
    bool has_room;
    uint first_vertex;
    uint first_quad;
};

shared Range range;

uint in_steps(uint n) {
    return (n + NETS_STEP - 1u) / NETS_STEP * NETS_STEP;
}

// One thread calls this: finds ranges for a row's surface, its own where they are large enough, and sets range and the
// row's records but for what its quads are of. A row that finds no room keeps the surface that it had.
void claim_range(MeshJob job, uint n_own, uint n_vertices, uint n_quads) {
    NetsRow row = nets_rows[job.row];
    SmoothDraw draw = smooth_draws[job.row];
    bool lacked_room = row.wanted_quads != 0u;
    uvec2 capacity = uvec2(row.vertex_capacity, row.quad_capacity);
    uvec2 needed = uvec2(in_steps(n_vertices), in_steps(n_quads));
    needed *= uvec2(greaterThan(needed, capacity));
    // Looked at first: what is added for nothing is lost until all ranges are moved together.
    bool fits = needed.x == 0u || header.vertex_top + needed.x <= header.vertex_capacity;
    fits = fits && (needed.y == 0u || header.quad_top + needed.y <= header.quad_capacity);
    if (fits && needed.x > 0u) {
        uint first = atomicAdd(header.vertex_top, needed.x);
        fits = first + needed.x <= header.vertex_capacity;
        if (fits) {
            row.vertex_offset = first;
            row.vertex_capacity = needed.x;
        }
    }
    if (fits && needed.y > 0u) {
        uint first = atomicAdd(header.quad_top, needed.y);
        fits = first + needed.y <= header.quad_capacity;
        if (fits) {
            draw.quad_offset = first;
            row.quad_capacity = needed.y;
        }
    }
    if (fits) {
        atomicAdd(header.n_quads, n_quads - draw.quad_count);
        draw.corner = vec4(vec3(job.coord * CHUNK_SIZE), 0.0);
        draw.quad_count = n_quads;
        row.n_own = n_own;
        row.n_vertices = n_vertices;
        row.vertex_capacity = n_vertices == 0u ? 0u : row.vertex_capacity;
        row.quad_capacity = n_quads == 0u ? 0u : row.quad_capacity;
        row.wanted_vertices = row.wanted_quads = 0u;
        smooth_draws[job.row] = draw;
        nets_rows[job.row] = row;
    } else {
        nets_rows[job.row].wanted_vertices = in_steps(n_vertices);
        nets_rows[job.row].wanted_quads = in_steps(n_quads);
    }
    if (fits == lacked_room) {
        atomicAdd(header.n_without_room, fits ? ~0u : 1u);
    }
    range = Range(fits, row.vertex_offset, draw.quad_offset);
}
