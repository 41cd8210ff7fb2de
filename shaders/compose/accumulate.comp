// SPDX-License-Identifier: GPL-3.0-or-later
// Adds a frame's light, mapped to display brightness, to the sum of several: edges stay smooth beside very bright light.
#include "lib/tone_map.glsl"
#include "lib/view_numbers.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba32f, binding = 4) uniform image2D sum;

uniform sampler2D light;
uniform bool first;
uniform int view;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, imageSize(sum)))) {
        return;
    }
    vec3 color = texelFetch(light, pixel, 0).rgb;
    vec4 shown = vec4(view == VIEW_LIT ? tone_map(color) : color, 1.0);
    imageStore(sum, pixel, first ? shown : imageLoad(sum, pixel) + shown);
}
