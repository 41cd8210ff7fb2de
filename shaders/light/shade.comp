// SPDX-License-Identifier: GPL-3.0-or-later
// The light of what is seen of this world.
#include "lib/light_at.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba16f, binding = 3) writeonly uniform image2D light; // or the layer's

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in_picture(pixel) && is_seen(pixel)) {
        imageStore(light, pixel, light_at(pixel));
    }
}
