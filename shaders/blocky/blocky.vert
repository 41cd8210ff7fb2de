// SPDX-License-Identifier: GPL-3.0-or-later
// Vertex pulling: six vertices a PackedQuad. gl_VertexID includes the draw command's first.
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/packed_quad.glsl"
#include "lib/records.glsl"

layout(std430, binding = QUADS_BINDING) readonly buffer Quads { uvec2 quads[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MATERIALS_BINDING) readonly buffer Materials { Material materials[]; };

uniform bool draw_transparent;

in uint chunk_index;

out vec3 position_eye;
out vec3 normal;
flat out uint material;

// Merged quads meet at T-junctions, where rounding leaves pinholes: each quad is grown by this part of a pixel.
const float OVERLAP = 1.0 / 16.0;

void main() {
    Quad quad = unpack_quad(quads[gl_VertexID / 6]);
    vec2 uv = FACE_CORNERS_UV[quad.face * 4u + uint(QUAD_TRIANGLES[gl_VertexID % 6])];
    vec3 u = FACE_U[quad.face];
    vec3 v = FACE_V[quad.face];
    vec3 local = vec3(quad.voxel) + FACE_ORIGINS[quad.face] + u * uv.x * float(quad.size.x) + v * uv.y * float(quad.size.y);

    position_eye = relative_to_eye(chunk_draws[chunk_index].corner.xyz, local);
    normal = FACE_NORMALS[quad.face];
    material = quad.material;

    float pixel = frame.eye_fraction.w * abs((frame.clip_from_eye * vec4(position_eye, 1.0)).w);
    position_eye += (u * (2.0 * uv.x - 1.0) + v * (2.0 * uv.y - 1.0)) * pixel * OVERLAP;
    bool drawn = (materials[material].opacity < 1.0) == draw_transparent;
    gl_Position = drawn ? frame.clip_from_eye * vec4(position_eye, 1.0) : COLLAPSED;
}
