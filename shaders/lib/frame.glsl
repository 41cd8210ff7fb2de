// SPDX-License-Identifier: GPL-3.0-or-later
// What all passes of a frame share. "Eye" space has voxel space's axes and the eye as its origin.
#include "lib/bindings.glsl"

#if __VERSION__ >= 430
layout(std140, binding = FRAME_BINDING)
#else
layout(std140)
#endif
uniform Frame {
    mat4 clip_from_eye;
    mat4 eye_from_clip;
    vec4 eye_voxel;     // w: where haze begins
    vec4 eye_fraction;  // w: voxels a pixel where clip w is 1
    vec4 sun_direction; // w: the length that haze goes by
    vec4 view_direction; // w: 1 for an orthographic view, else 0
    vec4 picture;       // xy: width and height in pixels; z, w: lib/levels.glsl
} frame;

// A point of a chunk relative to the eye. The large numbers are whole and cancel exactly, in this order only.
vec3 relative_to_eye(vec3 chunk_corner, vec3 local) {
    precise vec3 position = ((chunk_corner - frame.eye_voxel.xyz) + local) - frame.eye_fraction.xyz;
    return position;
}

// All vertices of a triangle that is not to be drawn go here.
const vec4 COLLAPSED = vec4(0.0, 0.0, 0.0, 1.0);
