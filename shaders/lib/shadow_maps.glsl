// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the sun's light shadow maps keep away. Each cascade has a part of one texture of depths, as the sun sees
// what turns away from it: surfaces in the sun are not in them, and so do not shadow themselves.
#include "lib/frame.glsl"
#include "lib/map_numbers.glsl"
#include "lib/sky_rays.glsl"

uniform sampler2D shadow_maps;
uniform mat4 map_from_eye[MAX_CASCADES]; // to texels and depth
uniform vec2 map_scales[MAX_CASCADES];   // voxels: how wide a texel is, and how deep the map
uniform vec2 cascade_ends[MAX_CASCADES]; // depths in the view: from where on the next one takes over, and where it has
uniform int n_cascades;
#ifdef SOFT_SUN
uniform float sun_radius; // the tangent of half its size
#endif

const float AWAY = 1.0;    // texels
const float GRAZING = 0.1; // cosine to the sun below which a surface's slope counts no further
const int SOFT_TAPS = 16;
const float SOFT_REACH = 16.0; // voxels: how far away what shades softly is looked for
const float SOFT_TEXELS = 96.0; // how far to the side

// A surface's place in a map.
struct MapPoint {
    int cascade;
    vec3 place; // texels and depth
    vec2 slope; // how the depth of its plane grows from texel to texel
};

MapPoint map_point(int cascade, vec3 position, vec3 normal, vec3 sun) {
    vec2 scale = map_scales[cascade];
    MapPoint point;
    point.cascade = cascade;
    point.place = (map_from_eye[cascade] * vec4(position + normal * max(RAY_BIAS, scale.x), 1.0)).xyz;
    vec2 along = (mat3(map_from_eye[cascade]) * normal).xy * scale.x * scale.x;
    point.slope = along / (max(dot(normal, sun), GRAZING) * scale.y);
    // Beyond where a surface meets what shades it, the map has what lies behind both: so look away from the sun.
    vec2 steepness = point.slope * scale.y / scale.x;
    vec2 away = steepness * AWAY / max(length(steepness), 0.2);
    point.place += vec3(away, dot(point.slope, away));
    return point;
}

// How far what is in the map lies before the surface's plane at a texel's middle: above 0 where that is in the shade.
float depth_behind(MapPoint point, vec2 texel) {
    float depth = point.place.z + dot(point.slope, texel + 0.5 - point.place.xy);
    return depth - texelFetch(shadow_maps, ivec2(texel), 0).r;
}

// The share of 3 × 3 texels that are in the shade. What lies flat has no shadow of its own, however it slopes.
float sharp_shadow(MapPoint point) {
    vec2 first = floor(point.place.xy - 0.5) - 1.0;
    vec2 fraction = point.place.xy - 1.5 - first;
    float sum = 0.0;
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) {
            vec2 weight = vec2(
                x == 0 ? 1.0 - fraction.x : x == 3 ? fraction.x : 1.0, y == 0 ? 1.0 - fraction.y : y == 3 ? fraction.y : 1.0
            );
            sum += depth_behind(point, first + vec2(x, y)) > 0.0 ? weight.x * weight.y : 0.0;
        }
    }
    return sum / 9.0;
}

#ifdef SOFT_SUN
// Over a disc of texels: how many of SOFT_TAPS are in the shade, and how far before the surface's plane lies what shades
// them, as a sum.
vec2 shade_on_disc(MapPoint point, float radius, float turn) {
    vec2 low = vec2(0.0, float(point.cascade * MAP_EDGE));
    vec2 sums = vec2(0.0);
    for (int i = 0; i < SOFT_TAPS; i++) {
        float angle = TURN * fract(turn + float(i) * GOLDEN_RATIO);
        vec2 aside = sqrt((float(i) + 0.5) / float(SOFT_TAPS)) * radius * vec2(cos(angle), sin(angle));
        float behind = depth_behind(point, clamp(floor(point.place.xy + aside), low, low + float(MAP_EDGE - 1)));
        sums += behind > 0.0 ? vec2(1.0, behind) : vec2(0.0);
    }
    return sums;
}

// As wide at its edge as the sun's disc makes it at the distance of what casts it, after R. Fernando,
// "Percentage-closer soft shadows", 2005.
float soft_shadow(MapPoint point, float turn) {
    vec2 scale = map_scales[point.cascade];
    vec2 found = shade_on_disc(point, min(sun_radius * SOFT_REACH / scale.x, SOFT_TEXELS), turn);
    float radius = sun_radius * found.y / max(found.x, 1.0) * scale.y / scale.x;
    return radius < 1.5 ? sharp_shadow(point) : shade_on_disc(point, min(radius, SOFT_TEXELS), turn).x / float(SOFT_TAPS);
}
#endif

float shadow_in(int cascade, vec3 position, vec3 normal, float turn) {
    MapPoint point = map_point(cascade, position, normal, frame.sun_direction.xyz);
#ifdef SOFT_SUN
    return soft_shadow(point, turn);
#else
    return sharp_shadow(point);
#endif
}

// Of a surface at a position relative to the eye. turn, 0 … 1, says how the taps of soft shadows lie.
float sun_kept_away(vec3 position, vec3 normal, float turn) {
    if (dot(normal, frame.sun_direction.xyz) <= 0.0) {
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
    float own = shadow_in(cascade, position, normal, turn);
    if (depth <= ends.x) {
        return own;
    }
    float next = cascade + 1 < n_cascades ? shadow_in(cascade + 1, position, normal, turn) : 0.0;
    return mix(own, next, (depth - ends.x) / (ends.y - ends.x));
}
