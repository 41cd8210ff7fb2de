// SPDX-License-Identifier: GPL-3.0-or-later
// The light that leaves a surface for the eye: the one home of shading.
#include "lib/frame.glsl"
#include "lib/gbuffer.glsl"
#include "lib/sky.glsl"

const float SUN_STRENGTH = 1.75;
const float HAZE_STRENGTH = 0.20;

// Sides along Y are a touch darker than those along X: blocks keep their edges in the shade too.
float face_tone(vec3 normal) {
    return 1.0 - 0.13 * normal.y * normal.y;
}

vec3 sun_reflection(float roughness, vec3 normal, vec3 to_eye, vec3 sun, vec3 reflectance) {
    float alpha = max(roughness * roughness, 0.003);
    float shininess = 2.0 / (alpha * alpha) - 2.0;
    float facing = max(dot(normal, normalize(sun + to_eye)), 0.0);
    return reflectance * (shininess + 8.0) / 25.0 * pow(facing, max(shininess, 0.0));
}

vec3 with_haze(vec3 light, vec3 position, vec3 direction, vec3 sun) {
    float way = max(length(position) - frame.eye_voxel.w, 0.0) / frame.sun_direction.w;
    return mix(horizon_color(direction, sun), light, exp(-HAZE_STRENGTH * way * way));
}

// Premultiplied by the opacity, which is in alpha. direction is that of the ray, position the surface relative to the
// eye; arriving are the shares of the sun's and of the sky's light that nothing keeps away.
vec4 shade(Surface surface, vec3 direction, vec3 position, vec2 arriving) {
    vec3 sun = frame.sun_direction.xyz;
    vec3 to_eye = -direction;
    vec3 normal = surface.normal;
    float roughness = surface.roughness;
    float grazing = pow(1.0 - max(dot(normal, to_eye), 0.0), 5.0);
    vec3 base = mix(vec3(0.04), surface.color, surface.metallic);
    vec3 reflectance = base + (max(vec3(1.0 - roughness), base) - base) * grazing;

    vec3 ambient = arriving.y * ambient_light(normal, sun);
    vec3 sunlight = arriving.x * SUN_STRENGTH * sun_color(sun) * max(dot(normal, sun), 0.0);
    vec3 diffuse = surface.color * (1.0 - surface.metallic) * face_tone(normal) * (ambient + sunlight);
    vec3 mirrored = mix(arriving.y * sky_color(reflect(direction, normal), sun), ambient, roughness);
    vec3 specular = reflectance * mirrored + sunlight * sun_reflection(roughness, normal, to_eye, sun, reflectance);
    vec3 emitted = surface.color * surface.emission;

    float alpha = mix(surface.opacity, 1.0, grazing * (1.0 - roughness));
    vec3 light = diffuse * alpha + specular + emitted;
    vec3 hazy = alpha * with_haze(light / max(alpha, 1e-3), position, direction, sun);
    return vec4(hazy, alpha);
}
