// SPDX-License-Identifier: GPL-3.0-or-later
// The average of those frames in which anything opaque was seen at a pixel, and a depth; of 1 where nothing is seen.
#include "lib/packed_color.glsl"
#include "lib/overlay_space.glsl"

uniform sampler2D sum; // the number of the frames is in alpha
uniform sampler2D depths;

out vec2 texel;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 colors = texelFetch(sum, pixel, 0);
    texel = vec2(pack_color(srgb_from_overlay(colors.rgb / max(colors.a, 1.0)), 1.0), texelFetch(depths, pixel, 0).r);
}
