// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps light away from the surfaces of this world, by maps: red the share of the sun's light, green of the sky's.
#include "lib/light_from_maps.glsl"

out vec2 kept_away;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    kept_away = is_seen(pixel) ? kept_away_at(pixel) : vec2(0.0);
}
