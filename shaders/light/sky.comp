// SPDX-License-Identifier: GPL-3.0-or-later
// The sky, where nothing is seen.
#include "lib/ray.glsl"
#include "lib/sky.glsl"
#include "lib/view_numbers.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba16f, binding = 3) writeonly uniform image2D light;

uniform sampler2D distances;

uniform int view;

const vec3 DARK_GREY = vec3(0.02);

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy))) || texelFetch(distances, pixel, 0).r != 0.0) {
        return;
    }
    bool shows_light = view != VIEW_SHADOWS && view != VIEW_OCCLUSION;
    vec3 color = shows_light ? sky_color(pixel_ray(vec2(pixel)).direction, frame.sun_direction.xyz) : DARK_GREY;
    imageStore(light, pixel, vec4(color, 1.0));
}
