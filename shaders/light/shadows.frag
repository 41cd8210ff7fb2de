// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the sun's light is kept away from the surfaces of this world, by shadow maps.
#include "lib/seen.glsl"
#include "lib/shadow_maps.glsl"

out vec2 kept_away; // red

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    kept_away = vec2(is_seen(pixel) ? sun_kept_away(position_at(pixel), surface_at(pixel).normal) : 0.0, 0.0);
}
