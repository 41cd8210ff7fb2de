// SPDX-License-Identifier: GPL-3.0-or-later
// Materials, and what a surface of one alone looks like at a place. gpu_backend/materials.py binds both.
#include "lib/materials_table.glsl"
#include "lib/triplanar.glsl"

uniform sampler2DArray material_textures; // red: brightness, green: height; in unit 0, as nobody sets it

const float MEAN_BRIGHTNESS = 128.0 / 255.0;

struct MaterialSurface {
    vec3 color; // linear light
    float roughness;
    float metallic;
    float emission; // in multiples of the colour
    float height;   // 0 … 1
};

MaterialSurface material_surface(uint index, TexturePlace place, vec3 weights) {
    Material material = materials[index];
    vec2 texel = triplanar(material_textures, material.texture_layer, material.tiles_per_period, place, weights).rg;
    // 1 on average, so that the surface has the palette's colour from afar.
    float brightness = 1.0 + material.texture_contrast * (texel.r / MEAN_BRIGHTNESS - 1.0);
    return MaterialSurface(
        material.color * brightness, material.roughness, material.metallic, material.emission, texel.g
    );
}
