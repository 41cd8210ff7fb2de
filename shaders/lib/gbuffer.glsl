// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen at a pixel, as light and decals read it: the distance along the pixel's ray (0 where there is nothing),
// the colour, in sRGB's curve, with the opacity, and the rest packed into two words.

struct Surface {
    vec3 color; // linear
    float opacity;
    vec3 normal;
    float roughness;
    float metallic;
    float emission;
    uint material;
    uint face; // of a block; of a smooth surface the one that its normal points to most
    bool is_smooth;
};

const uint SURFACE_SMOOTH = 8u;

// The octahedral map of Q. Meyer et al., "On floating-point normal vectors", 2010.
vec2 octahedral(vec3 normal) {
    vec2 p = normal.xy / (abs(normal.x) + abs(normal.y) + abs(normal.z));
    vec2 outer = (1.0 - abs(p.yx)) * vec2(p.x >= 0.0 ? 1.0 : -1.0, p.y >= 0.0 ? 1.0 : -1.0);
    return normal.z < 0.0 ? outer : p;
}

vec3 from_octahedral(vec2 p) {
    vec3 normal = vec3(p, 1.0 - abs(p.x) - abs(p.y));
    float inner = max(-normal.z, 0.0);
    normal.xy -= vec2(p.x >= 0.0 ? inner : -inner, p.y >= 0.0 ? inner : -inner);
    return normalize(normal);
}

uint unorm(float value, float steps) {
    return uint(clamp(value, 0.0, 1.0) * steps + 0.5);
}

const float NORMAL_STEPS = 4094.0; // even, so that axes are exact
const float EMISSION_STEPS = 25.0; // a doubling; 8 bits reach beyond 1000

vec4 packed_color(Surface surface) {
    vec3 linear = clamp(surface.color, 0.0, 1.0);
    vec3 srgb = mix(1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
    return vec4(srgb, surface.opacity);
}

uvec2 packed_surface(Surface surface) {
    vec2 normal = octahedral(surface.normal) * 0.5 + 0.5;
    uint flags = surface.face | (surface.is_smooth ? SURFACE_SMOOTH : 0u);
    uint emission = min(uint(log2(1.0 + surface.emission) * EMISSION_STEPS + 0.5), 255u);
    return uvec2(
        unorm(normal.x, NORMAL_STEPS) | unorm(normal.y, NORMAL_STEPS) << 12 | flags << 24,
        unorm(surface.roughness, 255.0) | unorm(surface.metallic, 255.0) << 8 | emission << 16 | surface.material << 24
    );
}

vec3 from_srgb(vec3 color) {
    return mix(pow((color + 0.055) / 1.055, vec3(2.4)), color / 12.92, lessThanEqual(color, vec3(0.04045)));
}

Surface unpacked_surface(vec4 color, uvec2 words) {
    Surface surface;
    surface.color = from_srgb(color.rgb);
    surface.opacity = color.a;
    vec2 normal = vec2(words.x & 0xFFFu, words.x >> 12 & 0xFFFu) / NORMAL_STEPS;
    surface.normal = from_octahedral(normal * 2.0 - 1.0);
    surface.roughness = float(words.y & 0xFFu) / 255.0;
    surface.metallic = float(words.y >> 8 & 0xFFu) / 255.0;
    surface.emission = exp2(float(words.y >> 16 & 0xFFu) / EMISSION_STEPS) - 1.0;
    surface.material = words.y >> 24;
    surface.face = words.x >> 24 & 7u;
    surface.is_smooth = (words.x >> 24 & SURFACE_SMOOTH) != 0u;
    return surface;
}
