// SPDX-License-Identifier: GPL-3.0-or-later
// The sky, where nothing is seen.
#include "lib/background.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba16f, binding = 3) writeonly uniform image2D light;

uniform sampler2D distances;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy))) || texelFetch(distances, pixel, 0).r != 0.0) {
        return;
    }
    imageStore(light, pixel, vec4(background_at(pixel), 1.0));
}
