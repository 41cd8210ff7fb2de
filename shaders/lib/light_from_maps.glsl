// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps light away from the surfaces of this world, without rays.
#include "lib/screen_occlusion.glsl"
#include "lib/seen_point.glsl"
#include "lib/shadow_maps.glsl"

uniform bool to_sun;
uniform bool to_sky;
uniform float radius; // voxels

// The shares of the sun's light, by shadow maps, and of the sky's, by what the picture shows.
vec2 kept_away_at(ivec2 pixel) {
    SurfacePoint point = surface_point_at(pixel);
    vec2 kept_away = vec2(0.0);
    if (to_sun) {
        float turn = 0.0;
#ifdef SOFT_SUN
        SurfacePoint in_its_step = point;
        turn = as_random(hashed(in_steps(in_its_step)).xy).x;
#endif
        kept_away.r = sun_kept_away(position_at(pixel), point.normal, turn);
    }
    if (to_sky) {
        kept_away.g = screen_occlusion(point, radius);
    }
    return kept_away;
}
