// SPDX-License-Identifier: GPL-3.0-or-later
// Evens the light of the sky along one axis of the picture, within one surface: what lies in another plane or has
// another normal takes no part. The sun's stays.
#include "lib/seen.glsl"

uniform sampler2D occlusion;

uniform bool upwards; // else to the right

const int BLUR_RADIUS = 6;       // pixels
const float BLUR_SPREAD = 3.0;   // pixels, of the bell curve
const float PLANE_DEPTH = 0.5;   // voxels before and behind a surface's plane

// What is kept away at a pixel at which something is seen.
vec2 blurred_at(ivec2 pixel) {
    ivec2 along = upwards ? ivec2(0, 1) : ivec2(1, 0);
    vec3 normal = surface_at(pixel).normal;
    float plane = dot(normal, position_at(pixel));
    vec2 own = texelFetch(occlusion, pixel, 0).rg;
    vec2 sum = vec2(own.g, 1.0); // with the weight
    for (int i = -BLUR_RADIUS; i <= BLUR_RADIUS; i++) {
        ivec2 other = pixel + i * along;
        if (i == 0 || !is_in_picture(other) || texelFetch(distances, other, 0).r == 0.0) {
            continue;
        }
        float depth = abs(dot(normal, position_at(other)) - plane);
        float alike = max(dot(normal, surface_at(other).normal), 0.0);
        alike *= alike;
        alike *= alike;
        float near = exp(-0.5 * float(i * i) / (BLUR_SPREAD * BLUR_SPREAD));
        float weight = near * alike * alike * max(1.0 - depth / PLANE_DEPTH, 0.0);
        sum += weight * vec2(texelFetch(occlusion, other, 0).g, 1.0);
    }
    return vec2(own.r, sum.x / sum.y);
}
