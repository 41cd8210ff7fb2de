// SPDX-License-Identifier: GPL-3.0-or-later
// Vertex pulling: four vertices a PackedQuad. gl_VertexID includes the draw command's base vertex.
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/materials_drawn.glsl"
#include "lib/packed_quad.glsl"
#include "lib/records.glsl"
#include "lib/visibility.glsl"

layout(std430, binding = QUADS_BINDING) readonly buffer Quads { uvec2 quads[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };

in uint row;

flat out uint seen;

// Merged quads meet at T-junctions, where rounding leaves pinholes: each quad is grown by this part of a pixel.
const float OVERLAP = 1.0 / 16.0;

void main() {
    uint index = uint(gl_VertexID) >> 2;
    Quad quad = unpack_quad(quads[index]);
    vec2 uv = FACE_CORNERS_UV[quad.face * 4u + (uint(gl_VertexID) & 3u)];
    vec3 u = FACE_U[quad.face];
    vec3 v = FACE_V[quad.face];
    vec3 local = vec3(quad.voxel) + FACE_ORIGINS[quad.face] + u * uv.x * float(quad.size.x) + v * uv.y * float(quad.size.y);

    vec3 position = relative_to_eye(chunk_draws[row].corner.xyz, local);
    float pixel = frame.eye_fraction.w * abs((frame.clip_from_eye * vec4(position, 1.0)).w);
    position += (u * (2.0 * uv.x - 1.0) + v * (2.0 * uv.y - 1.0)) * pixel * OVERLAP;
    seen = blocky_visibility(index);
    gl_Position = is_drawn(quad.material) ? frame.clip_from_eye * vec4(position, 1.0) : COLLAPSED;
}
