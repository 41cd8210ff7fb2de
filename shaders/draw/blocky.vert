// SPDX-License-Identifier: GPL-3.0-or-later
// Vertex pulling: four vertices a PackedQuad, of those that culling listed; it lists what is opaque, for the camera.
// gl_VertexID includes the draw command's base vertex.
#include "lib/materials_drawn.glsl"
#include "lib/quad_corner.glsl"
#include "lib/records.glsl"
#include "lib/visibility.glsl"

layout(std430, binding = QUADS_BINDING) readonly buffer Quads { uvec2 quads[]; };
layout(std430, binding = JOBS_BINDING) readonly buffer DrawnQuads { uint drawn_quads[]; }; // no jobs here
layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };

in uint row;

flat out uint seen;
#ifdef LEVELS
flat out vec2 fade;
#endif

void main() {
    uint index = uint(gl_VertexID) >> 2;
    if (drawn == DRAW_ALL || drawn == DRAW_OPAQUE) {
        index = drawn_quads[index];
    }
    Quad quad = unpack_quad(quads[index]);
    vec3 position = grown_quad_corner(quad, uint(gl_VertexID) & 3u, chunk_draws[row].corner);
    seen = blocky_visibility(index);
#ifdef LEVELS
    fade = chunk_draws[row].fade;
#endif
    gl_Position = is_drawn(quad.material) ? frame.clip_from_eye * vec4(position, 1.0) : COLLAPSED;
}
