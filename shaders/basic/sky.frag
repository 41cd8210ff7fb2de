// SPDX-License-Identifier: GPL-3.0-or-later
#include "lib/ray.glsl"
#include "lib/sky.glsl"

out vec4 light;

void main() {
    light = vec4(sky_color(pixel_ray(gl_FragCoord.xy - 0.5).direction, frame.sun_direction.xyz), 1.0);
}
