// SPDX-License-Identifier: GPL-3.0-or-later
// The light of sky and ground, linear. Directions are unit vectors in voxel space; sun points to the sun.

const vec3 ZENITH = vec3(0.12, 0.30, 0.68);
const vec3 HORIZON = vec3(0.64, 0.84, 1.08);
const vec3 GROUND = vec3(0.14, 0.22, 0.33);
const vec3 BOUNCE = vec3(0.30, 0.26, 0.21);

vec3 sun_color(vec3 sun) {
    vec3 tint = mix(vec3(1.0, 0.52, 0.24), vec3(1.0, 0.92, 0.78), smoothstep(0.0, 0.45, sun.z));
    return tint * smoothstep(-0.08, 0.15, sun.z);
}

float daylight(vec3 sun) {
    return mix(0.06, 1.0, smoothstep(-0.25, 0.3, sun.z));
}

// The air near the horizon, warmer towards the sun.
vec3 horizon_color(vec3 direction, vec3 sun) {
    float towards = max(dot(direction, sun), 0.0);
    return HORIZON * daylight(sun) + 0.35 * sun_color(sun) * pow(towards, 6.0);
}

vec3 sky_color(vec3 direction, vec3 sun) {
    float height = direction.z;
    vec3 above = mix(horizon_color(direction, sun), ZENITH * daylight(sun), 1.0 - exp(-3.2 * max(height, 0.0)));
    vec3 below = mix(horizon_color(direction, sun), GROUND * daylight(sun), 1.0 - exp(2.6 * min(height, 0.0)));
    vec3 color = mix(below, above, smoothstep(-0.02, 0.02, height));
    float towards = max(dot(direction, sun), 0.0);
    float glow = 0.35 * pow(towards, 32.0) + 2.0 * pow(towards, 700.0) + 12.0 * smoothstep(0.9998, 0.99988, towards);
    return color + sun_color(sun) * glow * smoothstep(-0.02, 0.02, height);
}

// What falls on a surface from everywhere but the sun.
vec3 ambient_light(vec3 normal, vec3 sun) {
    vec3 above = mix(HORIZON, ZENITH, 0.35);
    vec3 ambient = mix(BOUNCE, above, 0.5 + 0.5 * normal.z) * daylight(sun);
    // Light scattered about the sun: sides that it does not reach still differ.
    float scattered = 0.5 + 0.5 * dot(normal, sun);
    return ambient + 0.30 * sun_color(sun) * scattered * scattered;
}
