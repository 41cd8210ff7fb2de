// SPDX-License-Identifier: GPL-3.0-or-later
// What is there where nothing is seen: the sky, which is dark in views of light.
#include "lib/ray.glsl"
#include "lib/sky.glsl"
#include "lib/view_numbers.glsl"

uniform int view;

const vec3 DARK_GREY = vec3(0.02);

vec3 background_at(ivec2 pixel) {
    bool shows_light = view != VIEW_SHADOWS && view != VIEW_OCCLUSION;
    return shows_light ? sky_color(pixel_ray(vec2(pixel)).direction, frame.sun_direction.xyz) : DARK_GREY;
}
