// SPDX-License-Identifier: GPL-3.0-or-later
// The space in which Blender blends what is drawn over a scene: its display shader shows a value as its power of 1 / 2.2,
// whatever the display. (Its target encodes sRGB and decodes it again, which cancels out.)
#include "lib/tone_map.glsl"

const float OVERLAY_POWER = 2.2;

vec3 overlay_from_linear(vec3 linear) {
    return pow(srgb_from_linear(linear), vec3(OVERLAY_POWER));
}

vec3 srgb_from_overlay(vec3 value) {
    return pow(value, vec3(1.0 / OVERLAY_POWER));
}
