// SPDX-License-Identifier: GPL-3.0-or-later
// An instance a quad of a smooth surface, drawn as a fan of four vertices, which splits it along corners 0 and 2.
#include "lib/frame.glsl"
#include "lib/materials_drawn.glsl"

in mat4x3 positions; // four columns: relative to the chunk's corner
in mat4x3 normals;
in vec3 chunk_corner;
in uint quad_material;

out vec3 local;    // relative to the chunk's corner
out vec3 position; // relative to the eye
out vec3 normal;
flat out vec3 corner;
flat out uint material;
flat out uint quad;

void main() {
    local = positions[gl_VertexID];
    position = relative_to_eye(chunk_corner, local);
    normal = normals[gl_VertexID];
    corner = chunk_corner;
    material = quad_material;
    quad = uint(gl_InstanceID);
    gl_Position = is_drawn(material) ? frame.clip_from_eye * vec4(position, 1.0) : COLLAPSED;
}
