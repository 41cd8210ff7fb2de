// SPDX-License-Identifier: GPL-3.0-or-later
// From a frame's light and depth to one texture that can be carried anywhere: the colour in sRGB as a whole number of 24
// bits, which a float holds exactly, and the depth; a depth of 1 where nothing is seen.
#include "lib/tone_map.glsl"
#include "lib/view_numbers.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rg32f, binding = 5) writeonly uniform image2D packed_picture;

uniform sampler2D light;
uniform sampler2D depth;
uniform int view;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, imageSize(packed_picture)))) {
        return;
    }
    vec3 color = texelFetch(light, pixel, 0).rgb;
    uvec3 bytes = uvec3(srgb_from_linear(view == VIEW_LIT ? tone_map(color) : clamp(color, 0.0, 1.0)) * 255.0 + 0.5);
    float number = float(bytes.r | bytes.g << 8 | bytes.b << 16);
    imageStore(packed_picture, pixel, vec4(number, texelFetch(depth, pixel, 0).r, 0.0, 0.0));
}
