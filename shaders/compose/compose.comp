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
    imageStore(picture, pixel, vec4(display_color(texelFetch(sum, pixel, 0), vec2(pixel)), 1.0));
}
