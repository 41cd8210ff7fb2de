// SPDX-License-Identifier: GPL-3.0-or-later
// From the sum of frames to a picture in sRGB.
#include "lib/tone_map.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba8, binding = 5) writeonly uniform image2D picture;

uniform sampler2D sum;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, imageSize(picture)))) {
        return;
    }
    vec4 total = texelFetch(sum, pixel, 0);
    // Half a step of ordered noise keeps the sky from banding.
    float noise = fract(52.9829189 * fract(dot(vec2(pixel), vec2(0.06711056, 0.00583715))));
    imageStore(picture, pixel, vec4(srgb_from_linear(total.rgb / total.a) + (noise - 0.5) / 255.0, 1.0));
}
