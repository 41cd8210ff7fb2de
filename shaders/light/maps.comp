// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps light away from the surfaces of this world, by maps: red the share of the sun's light, green of the sky's.
#include "lib/light_from_maps.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rg8, binding = 7) writeonly uniform image2D occlusion;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (is_in_picture(pixel) && is_seen(pixel)) {
        imageStore(occlusion, pixel, vec4(kept_away_at(pixel), 0.0, 0.0));
    }
}
