// SPDX-License-Identifier: GPL-3.0-or-later
// Decals on a surface, as gpu_backend/decals.py hands them over. Places are in voxels from the eye's voxel.
#include "lib/bindings.glsl"
#include "lib/decal_numbers.glsl"
#include "lib/gbuffer.glsl"
#include "lib/records.glsl"

layout(std430, binding = JOBS_BINDING) readonly buffer Decals { // no jobs here
    DecalHeader decal_header;
    Decal decals[MAX_DECALS];
    uvec2 decal_tiles[];
};

uniform sampler2DArray decal_images;

const float SLOPE_SOFTNESS = 0.25; // of the way from the steepest slope to a level one
const float SIDE_FADE = 0.85;

struct DecalPlace {
    vec3 position;
    vec3 dpdx; // the way to the next pixel to the right, and to the next one upwards
    vec3 dpdy;
    float distance; // from the eye
};

// Like smoothstep, which is not defined where both edges are one.
float fade_in(float low, float high, float value) {
    float t = clamp((value - low) / max(high - low, 1e-6), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// Towards the box's end, within a share of its half-extent.
float end_fade(float share, float place) {
    return share > 0.0 ? 1.0 - fade_in(1.0 - share, 1.0, place) : 1.0;
}

// The direction in which one of the box's coordinates grows.
vec3 box_axis(mat4 world_to_local, int axis) {
    return normalize(vec3(world_to_local[0][axis], world_to_local[1][axis], world_to_local[2][axis]));
}

float slope_fade(uint slope, float cosine) {
    float steepest = float(slope) / LEVEL_SLOPE * 2.0 - 1.0;
    return slope == ANY_SLOPE ? 1.0 : fade_in(steepest, mix(steepest, 1.0, SLOPE_SOFTNESS), cosine);
}

float decal_fade(Decal decal, vec3 local, float cosine, float distance) {
    float fade = end_fade(1.0 - SIDE_FADE, abs(local.x)) * end_fade(1.0 - SIDE_FADE, abs(local.y));
    fade *= end_fade(decal.fades.x, local.z) * end_fade(decal.fades.y, -local.z);
    fade *= decal.fades.w > 0.0 ? 1.0 - clamp((distance - decal.fades.z) / decal.fades.w, 0.0, 1.0) : 1.0;
    return fade * slope_fade(decal.layers >> 24, cosine);
}

vec3 decal_normal(mat4 world_to_local, vec3 normal, vec3 texel) {
    vec3 along_u = box_axis(world_to_local, 0);
    vec3 along_v = box_axis(world_to_local, 1);
    vec3 u = along_u - normal * dot(normal, along_u);
    vec3 v = along_v - normal * dot(normal, along_v);
    vec3 bump = texel * 2.0 - 1.0;
    return u * (bump.x / max(length(u), 1e-4)) + v * (bump.y / max(length(v), 1e-4)) + normal * bump.z;
}

vec4 decal_texel(float layer, vec2 uv, mat4 world_to_local, DecalPlace place) {
    vec2 dx = (mat3(world_to_local) * place.dpdx).xy * 0.5;
    vec2 dy = (mat3(world_to_local) * place.dpdy).xy * 0.5;
    return textureGrad(decal_images, vec3(uv, layer), dx, dy);
}

// Lay one decal on a surface, whose own normal is given too: decals below may have bent the surface's. Whether it did.
bool lay_decal(uint index, DecalPlace place, vec3 normal, inout Surface surface) {
    Decal decal = decals[index];
    vec3 local = (decal.world_to_local * vec4(place.position, 1.0)).xyz;
    uint layer = surface.is_smooth ? DECAL_SMOOTH : DECAL_BLOCKY;
    if (any(greaterThan(abs(local), vec3(1.0))) || (decal.layers & layer) == 0u) {
        return false;
    }
    float cosine = dot(box_axis(decal.world_to_local, 2), normal);
    float alpha = decal.color_mix * decal_fade(decal, local, cosine, place.distance);
    vec2 uv = local.xy * 0.5 + 0.5;
    if (decal.image_layer >= 0.0) {
        vec4 texel = decal_texel(decal.image_layer, uv, decal.world_to_local, place);
        alpha *= texel.a;
        surface.color = mix(surface.color, from_srgb(texel.rgb) * decal.tint, alpha);
    }
    if (decal.normal_layer >= 0.0) {
        vec3 texel = decal_texel(decal.normal_layer, uv, decal.world_to_local, place).rgb;
        vec3 bent = decal_normal(decal.world_to_local, normal, texel);
        surface.normal = normalize(mix(surface.normal, bent, decal.normal_mix * alpha));
    }
    return alpha > 0.0;
}

// Lay on all decals that are there, in their order, looking at those of the pixel's tile where it is told which.
// Whether there were any.
bool lay_decals(ivec2 pixel, DecalPlace place, inout Surface surface) {
    vec3 normal = surface.normal;
    bool any_laid = false;
    if (decal_header.grid[0] == 0u) {
        for (uint index = 0u; index < decal_header.count; index++) {
            any_laid = lay_decal(index, place, normal, surface) || any_laid;
        }
        return any_laid;
    }
    uvec2 tile = uvec2(pixel) / decal_header.tile;
    uvec2 words = decal_tiles[tile.y * decal_header.grid[0] + tile.x];
    for (int word = 0; word < 2; word++) {
        for (uint bits = words[word]; bits != 0u; bits &= bits - 1u) {
            uint index = uint(32 * word + findLSB(bits));
            any_laid = lay_decal(index, place, normal, surface) || any_laid;
        }
    }
    return any_laid;
}
