// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen of the world that is drawn, as the G-buffer has it.
#include "lib/gbuffer.glsl"
#include "lib/ray.glsl"

uniform usampler2D visibility_target;
uniform sampler2D distances;
uniform usampler2D surfaces;

bool is_in_picture(ivec2 pixel) {
    return all(greaterThanEqual(pixel, ivec2(0))) && all(lessThan(pixel, ivec2(frame.picture.xy)));
}

// Of a pixel in the picture.
bool is_seen(ivec2 pixel) {
    return texelFetch(visibility_target, pixel, 0).r != 0u;
}

// Without its colour.
Surface surface_at(ivec2 pixel) {
    return unpacked_surface(vec4(0.0), texelFetch(surfaces, pixel, 0).rg);
}

// Relative to the eye: the place at a distance along a pixel's ray.
vec3 position_along(ivec2 pixel, float distance) {
    Ray ray = pixel_ray(vec2(pixel));
    return ray.origin + ray.direction * distance;
}

vec3 position_at(ivec2 pixel) {
    return position_along(pixel, texelFetch(distances, pixel, 0).r);
}
