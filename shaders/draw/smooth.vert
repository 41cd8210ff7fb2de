// SPDX-License-Identifier: GPL-3.0-or-later
// Vertex pulling: four vertices a quad of a smooth surface.
#include "lib/frame.glsl"
#include "lib/levels.glsl"
#include "lib/materials_drawn.glsl"
#include "lib/records.glsl"
#include "lib/visibility.glsl"

layout(std430, binding = SMOOTH_QUADS_BINDING) readonly buffer SmoothQuads { SmoothQuad smooth_quads[]; };
layout(std430, binding = SMOOTH_VERTICES_BINDING) readonly buffer SmoothVertices { SmoothVertex smooth_vertices[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) readonly buffer SmoothDraws { SmoothDraw smooth_draws[]; };

in uint row;

flat out uint seen;
#ifdef LEVELS
flat out vec2 fade;
#endif

void main() {
    uint index = uint(gl_VertexID) >> 2;
    SmoothQuad quad = smooth_quads[index];
    SmoothVertex vertex = smooth_vertices[quad.vertices[gl_VertexID & 3]];
    vec3 position = relative_to_eye(smooth_draws[row].corner.xyz, vertex.position);
    seen = smooth_visibility(index, 0u);
#ifdef LEVELS
    fade = vec2(smooth_draws[row].corner.w, NEVER_FADES.y);
#endif
    gl_Position = is_drawn(quad.material) ? frame.clip_from_eye * vec4(position, 1.0) : COLLAPSED;
}
