// SPDX-License-Identifier: GPL-3.0-or-later
// Evens the light of the sky, of the sun or of both along one axis of the picture, within one surface: what lies in
// another plane or has another normal takes no part. Where the sky's is known at every second pixel only (stride), it is
// taken from those.
#include "lib/seen.glsl"

uniform sampler2D occlusion;

uniform bool upwards; // else to the right
uniform bool blurs_sun;
uniform bool blurs_sky;
uniform int stride; // 1 or 2

const int BLUR_RADIUS = 6;       // pixels
const float BLUR_SPREAD = 3.0;   // pixels, of the bell curve
const float PLANE_DEPTH = 0.5;   // voxels before and behind a surface's plane
const float ELSEWHERE = 1e-4;    // what other surfaces count where a pixel has no neighbour on its own

// What is kept away at a pixel at which something is seen.
vec2 blurred_at(ivec2 pixel) {
    ivec2 along = upwards ? ivec2(0, 1) : ivec2(1, 0);
    vec3 normal = surface_at(pixel).normal;
    float plane = dot(normal, position_at(pixel));
    bool knows_sky = ((upwards ? pixel.y : pixel.x) & stride - 1) == 0;
    vec2 weights = vec2(1.0, knows_sky ? 1.0 : 0.0);
    vec2 sums = texelFetch(occlusion, pixel, 0).rg * weights;
    for (int i = -BLUR_RADIUS; i <= BLUR_RADIUS; i++) {
        ivec2 other = pixel + i * along;
        vec2 counts = vec2(blurs_sun, blurs_sky && ((upwards ? other.y : other.x) & stride - 1) == 0);
        // Distances of other worlds, and of frames before, may lie where nothing of this one is seen.
        if (i == 0 || counts == vec2(0.0) || !is_in_picture(other) || !is_seen(other)) {
            continue;
        }
        float depth = abs(dot(normal, position_at(other)) - plane);
        float alike = max(dot(normal, surface_at(other).normal), 0.0);
        alike *= alike;
        alike *= alike;
        float near = exp(-0.5 * float(i * i) / (BLUR_SPREAD * BLUR_SPREAD));
        float same = alike * alike * max(1.0 - depth / PLANE_DEPTH, 0.0);
        vec2 weight = near * counts * (stride > 1 ? max(same, ELSEWHERE) : same);
        sums += weight * texelFetch(occlusion, other, 0).rg;
        weights += weight;
    }
    return sums / max(weights, 1e-9);
}
