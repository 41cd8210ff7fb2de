// SPDX-License-Identifier: GPL-3.0-or-later
// From the G-buffer to light, premultiplied by the opacity; in views the colour that stands for it.
#include "lib/seen.glsl"
#include "lib/shade.glsl"
#include "lib/view_numbers.glsl"

uniform sampler2D colors;
uniform sampler2D occlusion;

uniform int view;
uniform vec2 strength; // of the shadows and of the ambient occlusion

const vec3 STOPPED = vec3(0.9, 0.05, 0.05);
const vec3 FREE = vec3(0.05, 0.7, 0.05);
const vec3 FACING_AWAY = vec3(0.05, 0.1, 0.8);

vec3 shadow_view(vec3 normal, float from_sun) {
    return dot(normal, frame.sun_direction.xyz) <= 0.0 ? FACING_AWAY : mix(FREE, STOPPED, from_sun);
}

// At a pixel at which something is seen.
vec4 light_at(ivec2 pixel) {
    Surface surface = unpacked_surface(texelFetch(colors, pixel, 0), texelFetch(surfaces, pixel, 0).rg);
    vec2 kept_away = texelFetch(occlusion, pixel, 0).rg;
    switch (view) {
        case VIEW_LIT:
            return shade(surface, pixel_ray(vec2(pixel)).direction, position_at(pixel), 1.0 - strength * kept_away);
        case VIEW_SHADOWS: return vec4(shadow_view(surface.normal, kept_away.r), 1.0);
        case VIEW_OCCLUSION: return vec4(vec3(1.0 - kept_away.g), 1.0);
        default: return vec4(surface.color, 1.0);
    }
}
