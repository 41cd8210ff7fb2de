// SPDX-License-Identifier: GPL-3.0-or-later
// An instance a PackedQuad, drawn as a fan of four vertices.
#include "lib/materials_drawn.glsl"
#include "lib/quad_corner.glsl"

in uvec2 words;
in vec3 chunk_corner;

out vec3 local;    // relative to the chunk's corner
out vec3 position; // relative to the eye
out vec3 normal;
flat out vec3 corner;
flat out uint material;
flat out uint quad;

void main() {
    Quad unpacked = unpack_quad(words);
    local = quad_corner(unpacked, uint(gl_VertexID));
    position = grown_quad_corner(unpacked, uint(gl_VertexID), vec4(chunk_corner, 1.0));
    normal = FACE_NORMALS[unpacked.face];
    corner = chunk_corner;
    material = unpacked.material;
    quad = uint(gl_InstanceID);
    gl_Position = is_drawn(material) ? frame.clip_from_eye * vec4(position, 1.0) : COLLAPSED;
}
