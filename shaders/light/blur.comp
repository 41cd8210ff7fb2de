// SPDX-License-Identifier: GPL-3.0-or-later
// Evens the light of the sky, of the sun or of both along one axis of the picture, within one surface: what lies in
// another plane or has another normal takes no part. Where the sky's is known at every second pixel only (stride), it is
// taken from those.
#include "lib/gbuffer.glsl"
#include "lib/ray.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rg8, binding = 7) writeonly uniform image2D blurred;

uniform usampler2D visibility_target;
uniform sampler2D distances;
uniform usampler2D surfaces;
uniform sampler2D occlusion;

uniform bool upwards; // else to the right
uniform bool blurs_sun;
uniform bool blurs_sky;
uniform int stride;

const int BLUR_RADIUS = 6;       // pixels
const float BLUR_SPREAD = 3.0;   // pixels, of the bell curve
const float PLANE_DEPTH = 0.5;   // voxels before and behind a surface's plane
const float ELSEWHERE = 1e-4;    // what other surfaces count where a pixel has no neighbour on its own

vec3 normal_at(ivec2 pixel) {
    return unpacked_surface(vec4(0.0), texelFetch(surfaces, pixel, 0).rg).normal;
}

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy))) || texelFetch(visibility_target, pixel, 0).r == 0u) {
        return;
    }
    ivec2 along = upwards ? ivec2(0, 1) : ivec2(1, 0);
    ivec2 last = ivec2(frame.picture.xy) - 1;
    vec3 normal = normal_at(pixel);
    Ray ray = pixel_ray(vec2(pixel));
    float plane = dot(normal, ray.origin + ray.direction * texelFetch(distances, pixel, 0).r);
    vec2 own = texelFetch(occlusion, pixel, 0).rg;
    bool knows_sky = (upwards ? pixel.y : pixel.x) % stride == 0;
    vec2 weights = vec2(1.0, knows_sky ? 1.0 : 0.0);
    vec2 sums = own * weights;
    for (int i = -BLUR_RADIUS; i <= BLUR_RADIUS; i++) {
        ivec2 other = pixel + i * along;
        vec2 counts = vec2(blurs_sun, blurs_sky && (upwards ? other.y : other.x) % stride == 0);
        if (i == 0 || counts == vec2(0.0) || other != clamp(other, ivec2(0), last)) {
            continue;
        }
        float distance = texelFetch(distances, other, 0).r;
        if (distance == 0.0) {
            continue;
        }
        Ray beside = pixel_ray(vec2(other));
        float depth = abs(dot(normal, beside.origin + beside.direction * distance) - plane);
        float alike = max(dot(normal, normal_at(other)), 0.0);
        alike *= alike;
        alike *= alike;
        float near = exp(-0.5 * float(i * i) / (BLUR_SPREAD * BLUR_SPREAD));
        float same = alike * alike * max(1.0 - depth / PLANE_DEPTH, 0.0);
        vec2 weight = near * counts * (stride > 1 ? max(same, ELSEWHERE) : same);
        sums += weight * texelFetch(occlusion, other, 0).rg;
        weights += weight;
    }
    imageStore(blurred, pixel, vec4(sums / max(weights, 1e-9), 0.0, 0.0));
}
