// SPDX-License-Identifier: GPL-3.0-or-later
// Adds a frame's light with the layer over it, mapped to display brightness, to the sum of several: edges stay smooth
// beside very bright light.
#include "lib/tone_map.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba32f, binding = 4) uniform image2D sum;

uniform sampler2D light;
uniform sampler2D layer;
uniform bool has_layer;
uniform bool tone_mapped;
uniform bool first;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, imageSize(sum)))) {
        return;
    }
    vec4 front = has_layer ? texelFetch(layer, pixel, 0) : vec4(0.0);
    vec3 color = front.rgb + texelFetch(light, pixel, 0).rgb * (1.0 - front.a);
    vec4 shown = vec4(tone_mapped ? tone_map(color) : color, 1.0);
    imageStore(sum, pixel, first ? shown : imageLoad(sum, pixel) + shown);
}
