// SPDX-License-Identifier: GPL-3.0-or-later
// Where the corners of a PackedQuad lie. corner counts as in FACE_CORNERS_UV, 0 … 3.
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/packed_quad.glsl"

// Merged quads meet at T-junctions, where rounding leaves pinholes: each quad is grown by this part of a pixel.
const float OVERLAP = 1.0 / 16.0;

// Relative to the chunk's corner, in its cells, exact.
vec3 quad_corner(Quad quad, uint corner) {
    vec2 along = FACE_CORNERS_UV[quad.face * 4u + corner] * vec2(quad.size);
    return vec3(quad.voxel) + FACE_ORIGINS[quad.face] + FACE_U[quad.face] * along.x + FACE_V[quad.face] * along.y;
}

// Relative to the eye, grown. chunk is its corner and, in w, the edge of its cells, which is 1 but for coarse levels.
vec3 grown_quad_corner(Quad quad, uint corner, vec4 chunk) {
    vec3 position = relative_to_eye(chunk.xyz, quad_corner(quad, corner) * chunk.w);
    vec2 outwards = 2.0 * FACE_CORNERS_UV[quad.face * 4u + corner] - 1.0;
    float pixel = frame.eye_fraction.w * abs((frame.clip_from_eye * vec4(position, 1.0)).w);
    return position + (FACE_U[quad.face] * outwards.x + FACE_V[quad.face] * outwards.y) * pixel * OVERLAP;
}
