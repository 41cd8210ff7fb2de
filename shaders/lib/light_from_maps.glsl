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
    return vec2(
        to_sun ? sun_kept_away(position_at(pixel), point.normal) : 0.0, to_sky ? screen_occlusion(point, radius) : 0.0
    );
}
