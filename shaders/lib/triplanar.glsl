// SPDX-License-Identifier: GPL-3.0-or-later
// Where on a texture a place of the world lies: it is projected along each axis, with V up on the sides.
#include "lib/records.glsl"

// A place in voxel space. The voxel is apart from the fraction, so that nothing is lost far from the origin.
struct TexturePlace {
    ivec3 voxel;
    vec3 inside; // 0 … 1 within the voxel
    vec3 dpdx;   // the way to the next pixel to the right, and to the next one upwards, in voxels
    vec3 dpdy;
};

// What each axis's projection counts, their sum being 1. On a face along an axis it is that axis alone.
vec3 triplanar_weights(vec3 normal) {
    // Cubed, for a narrow transition; what lies flat to the axis, within 12°, counts nothing and need not be read.
    vec3 weights = max(abs(normal) - 0.2, 0.0);
    weights *= weights * weights;
    return weights / (weights.x + weights.y + weights.z);
}

// The place in tiles, 0 … 1 and the voxel's own length beyond. Textures repeat after TEXTURE_PERIOD voxels, a whole
// number of tiles: the corner's part of a tile is exact, as whole numbers, and so is their overflow.
vec3 tile_place(TexturePlace place, uint tiles_per_period) {
    uvec3 corner = (uvec3(place.voxel) * tiles_per_period) & (TEXTURE_PERIOD - 1u);
    return (vec3(corner) + place.inside * float(tiles_per_period)) / float(TEXTURE_PERIOD);
}

// A texture's value there. The gradients are explicit, because compute shaders have none of their own.
vec4 triplanar(sampler2DArray textures, uint layer, uint tiles_per_period, TexturePlace place, vec3 weights) {
    vec3 tile = tile_place(place, tiles_per_period);
    vec3 dx = place.dpdx * float(tiles_per_period) / float(TEXTURE_PERIOD);
    vec3 dy = place.dpdy * float(tiles_per_period) / float(TEXTURE_PERIOD);
    vec4 value = vec4(0.0);
    if (weights.x > 0.0) {
        value += weights.x * textureGrad(textures, vec3(tile.yz, layer), dx.yz, dy.yz);
    }
    if (weights.y > 0.0) {
        value += weights.y * textureGrad(textures, vec3(tile.xz, layer), dx.xz, dy.xz);
    }
    if (weights.z > 0.0) {
        value += weights.z * textureGrad(textures, vec3(tile.xy, layer), dx.xy, dy.xy);
    }
    return value;
}
