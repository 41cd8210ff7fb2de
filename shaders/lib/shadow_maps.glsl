// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the sun's light shadow maps keep away. Each cascade has a tile of one texture of depths, as the sun sees
// what turns away from it: surfaces in the sun are not in them, and so do not shadow themselves.
#include "lib/frame.glsl"
#include "lib/sky_rays.glsl"

#define MAX_CASCADES 4

uniform sampler2D shadow_maps;
uniform mat4 map_from_eye[MAX_CASCADES]; // to texels and depth
uniform vec2 map_scales[MAX_CASCADES];   // voxels: how wide a texel is, and how deep the map
uniform vec2 cascade_ends[MAX_CASCADES]; // depths in the view: from where on the next one takes over, and where it has
uniform int n_cascades;

const float AWAY = 1.0;    // texels
const float GRAZING = 0.1; // cosine to the sun below which a surface's slope counts no further

// The share of 3 × 3 texels about a place that are in the shadow, each compared with the depth of the surface's plane
// at its own middle: what lies flat has no shadow of its own, however it slopes.
float shadow_in(int cascade, vec3 position, vec3 normal, vec3 sun) {
    vec2 scale = map_scales[cascade];
    vec3 place = (map_from_eye[cascade] * vec4(position + normal * max(RAY_BIAS, scale.x), 1.0)).xyz;
    vec2 along = (mat3(map_from_eye[cascade]) * normal).xy * scale.x * scale.x;
    vec2 slope = along / (max(dot(normal, sun), GRAZING) * scale.y);
    // Beyond where a surface meets what shades it, the map has what lies behind both: so look away from the sun.
    vec2 steepness = slope * scale.y / scale.x;
    vec2 away = steepness * AWAY / max(length(steepness), 0.2);
    place += vec3(away, dot(slope, away));
    vec2 first = floor(place.xy - 0.5) - 1.0;
    vec2 fraction = place.xy - 1.5 - first;
    float sum = 0.0;
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) {
            vec2 texel = first + vec2(x, y);
            vec2 weight = vec2(
                x == 0 ? 1.0 - fraction.x : x == 3 ? fraction.x : 1.0, y == 0 ? 1.0 - fraction.y : y == 3 ? fraction.y : 1.0
            );
            float depth = place.z + dot(slope, texel + 0.5 - place.xy);
            sum += depth > texelFetch(shadow_maps, ivec2(texel), 0).r ? weight.x * weight.y : 0.0;
        }
    }
    return sum / 9.0;
}

// Of a surface at a position relative to the eye.
float sun_kept_away(vec3 position, vec3 normal) {
    vec3 sun = frame.sun_direction.xyz;
    if (dot(normal, sun) <= 0.0) {
        return 1.0;
    }
    float depth = dot(position, frame.view_direction.xyz);
    int cascade = 0;
    while (cascade < n_cascades && depth >= cascade_ends[cascade].y) {
        cascade++;
    }
    if (cascade == n_cascades) {
        return 0.0;
    }
    vec2 ends = cascade_ends[cascade];
    float own = shadow_in(cascade, position, normal, sun);
    if (depth <= ends.x) {
        return own;
    }
    float next = cascade + 1 < n_cascades ? shadow_in(cascade + 1, position, normal, sun) : 0.0;
    return mix(own, next, (depth - ends.x) / (ends.y - ends.x));
}
