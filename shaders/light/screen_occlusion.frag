// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the sky's light is kept away from the surfaces of this world, by what the picture shows.
#include "lib/screen_occlusion.glsl"
#include "lib/seen_point.glsl"

uniform float radius; // voxels

out vec2 kept_away; // green

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    kept_away = vec2(0.0, is_seen(pixel) ? screen_occlusion(surface_point_at(pixel), radius) : 0.0);
}
