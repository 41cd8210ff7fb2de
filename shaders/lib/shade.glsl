// SPDX-License-Identifier: GPL-3.0-or-later
// The light that leaves a surface for the eye: the one home of shading.
#include "lib/frame.glsl"
#include "lib/records.glsl"
#include "lib/sky.glsl"

const float SUN_STRENGTH = 1.75;
const float HAZE_STRENGTH = 0.20;

// Sides along Y are a touch darker than those along X: blocks keep their edges in the shade too.
float face_tone(vec3 normal) {
    return 1.0 - 0.13 * normal.y * normal.y;
}

vec3 sun_reflection(Material material, vec3 normal, vec3 to_eye, vec3 sun, vec3 reflectance) {
    float alpha = max(material.roughness * material.roughness, 0.003);
    float shininess = 2.0 / (alpha * alpha) - 2.0;
    float facing = max(dot(normal, normalize(sun + to_eye)), 0.0);
    return reflectance * (shininess + 8.0) / 25.0 * pow(facing, max(shininess, 0.0));
}

vec3 with_haze(vec3 light, vec3 position_eye, vec3 sun) {
    float way = max(length(position_eye) - frame.eye_voxel.w, 0.0) / frame.sun_direction.w;
    vec3 direction = normalize(position_eye);
    return mix(horizon_color(direction, sun), light, exp(-HAZE_STRENGTH * way * way));
}

// Premultiplied by the opacity, which is in alpha. position_eye is the surface relative to the eye.
vec4 shade(Material material, vec3 normal, vec3 position_eye) {
    vec3 sun = frame.sun_direction.xyz;
    vec3 to_eye = -normalize(position_eye);
    float grazing = pow(1.0 - max(dot(normal, to_eye), 0.0), 5.0);
    vec3 base = mix(vec3(0.04), material.color, material.metallic);
    vec3 reflectance = base + (max(vec3(1.0 - material.roughness), base) - base) * grazing;

    vec3 ambient = ambient_light(normal, sun);
    vec3 sunlight = SUN_STRENGTH * sun_color(sun) * max(dot(normal, sun), 0.0);
    vec3 diffuse = material.color * (1.0 - material.metallic) * face_tone(normal) * (ambient + sunlight);
    vec3 mirrored = mix(sky_color(reflect(-to_eye, normal), sun), ambient, material.roughness);
    vec3 specular = reflectance * mirrored + sunlight * sun_reflection(material, normal, to_eye, sun, reflectance);
    vec3 emitted = material.color * material.emission;

    float alpha = mix(material.opacity, 1.0, grazing * (1.0 - material.roughness));
    vec3 light = diffuse * alpha + specular + emitted;
    vec3 hazy = alpha * with_haze(light / max(alpha, 1e-3), position_eye, sun);
    return vec4(hazy, alpha);
}
