// SPDX-License-Identifier: GPL-3.0-or-later
// The average of a layer over all frames, and its depth; of 1 where nothing is seen.
#include "lib/packed_color.glsl"
#include "lib/overlay_space.glsl"

uniform sampler2D sum;
uniform sampler2D opaque_sum;
uniform sampler2D depths;
uniform int n_samples;

out vec2 texel;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 layer = texelFetch(sum, pixel, 0) / float(n_samples);
    vec4 ground = texelFetch(opaque_sum, pixel, 0);
    // Rounded up, and the colour corrected for that: over our own ground no step of the opacity is seen.
    float opacity = min(ceil(layer.a * OPACITY_STEPS - 0.01) / OPACITY_STEPS, 1.0);
    vec3 color = max(layer.rgb + (opacity - layer.a) * ground.rgb / max(ground.a, 1.0), 0.0);
    bool is_seen = layer.a > 0.0;
    texel = vec2(pack_color(srgb_from_overlay(color), opacity), is_seen ? texelFetch(depths, pixel, 0).r : 1.0);
}
