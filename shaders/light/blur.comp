// SPDX-License-Identifier: GPL-3.0-or-later
// Evens the light of the sky and of the sun among the pixels of one surface.
#include "lib/blur.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rg8, binding = 7) writeonly uniform image2D blurred;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in_picture(pixel) && is_seen(pixel)) {
        imageStore(blurred, pixel, vec4(blurred_at(pixel), 0.0, 0.0));
    }
}
