// SPDX-License-Identifier: GPL-3.0-or-later
// Vertex pulling: six vertices a quad, whose vertices may belong to several chunks.
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/records.glsl"

layout(std430, binding = SMOOTH_QUADS_BINDING) readonly buffer SmoothQuads { SmoothQuad smooth_quads[]; };
layout(std430, binding = SMOOTH_VERTICES_BINDING) readonly buffer SmoothVertices { SmoothVertex smooth_vertices[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MATERIALS_BINDING) readonly buffer Materials { Material materials[]; };

uniform bool draw_transparent;

out vec3 position_eye;
out vec3 normal;
flat out uint material;

void main() {
    SmoothQuad quad = smooth_quads[gl_VertexID / 6];
    SmoothVertex vertex = smooth_vertices[quad.vertices[QUAD_TRIANGLES[gl_VertexID % 6]]];
    position_eye = relative_to_eye(chunk_draws[vertex.slot].corner.xyz, vertex.position);
    normal = vertex.normal;
    material = quad.material;
    bool drawn = (materials[material].opacity < 1.0) == draw_transparent;
    gl_Position = drawn ? frame.clip_from_eye * vec4(position_eye, 1.0) : COLLAPSED;
}
