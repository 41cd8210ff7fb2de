// SPDX-License-Identifier: GPL-3.0-or-later
// What a surface looks like where materials run into each other at the voxels' borders. One function for blocks and
// for smooth surfaces: surface_color(). It asks the pool for neighbours by voxel, so that merged quads blend too.
//
// face      0–5; of a smooth surface the one that its smooth normal points to most
// voxel     the one that the face belongs to; of a smooth surface floor(point − FACE_NORMALS[face] · 0.001)
// inside    the point within it, 0 … 1; on a block's face 0 or 1 along the normal
// normal    of the plane, unit: how the textures are projected
// material  of the quad
// dpdx dpdy the way from this pixel's point to that of the next pixel, to the right and upwards, in voxels
//
// Bound must be the pool (lib/pool.glsl) and the materials (lib/material.glsl).
#include "lib/faces.glsl"
#include "lib/material.glsl"
#include "lib/pool.glsl"

uniform bool blending = true;

struct SurfaceColor {
    vec3 color; // linear light
    float roughness;
    float metallic;
    float emission; // in multiples of the colour
    float height;   // 0 … 1
    vec2 zone;      // along U and V: how deep in the zone of a border with another material, 1 on the border itself
    vec2 amount;    // along U and V: how far the colour has gone to the neighbour's
};

const float BLEND_ZONE = 0.25; // voxels from each border
const float BLEND_CORNER = 0.80;
const float BLEND_SHARPNESS = 16.0;

// How much each axis takes part at fractions f in the voxel: 1 on a border, less where the other axis is at its own.
vec2 blend_zones(vec2 f) {
    vec2 edge = clamp(1.0 - (0.5 - abs(f - 0.5)) / BLEND_ZONE, 0.0, 1.0);
    return clamp(edge - clamp(edge.yx - BLEND_CORNER, 0.0, 1.0), 0.0, 1.0);
}

// How far the colour goes to the neighbour's; half-way on the border where both lie equally high, or a seam would show.
float blend_amount(float zone, float height_own, float height_neighbour) {
    float bias = 0.5 - 0.5 * zone;
    return clamp(0.5 + BLEND_SHARPNESS * ((height_neighbour - bias) - (height_own + bias)), 0.0, 1.0);
}

// 0 for air and for what one sees through.
uint opaque_material_at(ivec3 voxel) {
    uint material = material_of(voxel_at(voxel));
    return materials[material].opacity < 1.0 ? 0u : material;
}

// The material of the surface beyond an edge: of the block that covers the edge, else of the one beside it. A smooth
// surface may go on below it as well.
uint material_beyond(ivec3 voxel, ivec3 edge, ivec3 normal, bool is_smooth) {
    uint material = opaque_material_at(voxel + edge + normal);
    if (material == 0u) {
        material = opaque_material_at(voxel + edge);
    }
    if (material == 0u && is_smooth) {
        material = opaque_material_at(voxel + edge - normal);
    }
    return material;
}

bool runs_into(uint neighbour, uint material) {
    return neighbour != material && materials[neighbour].bleeds != 0u;
}

// A smooth mesh lies about the faces of its voxels, not on them: its material at a point is that of the voxel which
// the point is in or stands on, wherever its quads meet. Moves voxel there.
uint smooth_material(inout ivec3 voxel, ivec3 normal, uint material) {
    uint found = opaque_material_at(voxel);
    if (found == 0u) {
        voxel -= normal;
        found = opaque_material_at(voxel);
    }
    return found == 0u ? material : found;
}

// Mixes the neighbour along one axis, U or V, into the surface. own is the surface before any mixing.
void blend_axis(inout SurfaceColor surface, int axis, float zone, MaterialSurface own, MaterialSurface neighbour) {
    float t = blend_amount(zone, own.height, neighbour.height);
    surface.color = mix(surface.color, neighbour.color, t);
    surface.roughness = mix(surface.roughness, neighbour.roughness, t);
    surface.metallic = mix(surface.metallic, neighbour.metallic, t);
    surface.emission = mix(surface.emission, neighbour.emission, t);
    surface.height = mix(surface.height, neighbour.height, t);
    surface.zone[axis] = zone;
    surface.amount[axis] = t;
}

// A material where it runs into no other.
SurfaceColor plain_color(MaterialSurface own) {
    return SurfaceColor(own.color, own.roughness, own.metallic, own.emission, own.height, vec2(0.0), vec2(0.0));
}

SurfaceColor surface_color(
    int face, ivec3 voxel, vec3 inside, vec3 normal, uint material, bool is_smooth, vec3 dpdx, vec3 dpdy
) {
    TexturePlace place = TexturePlace(voxel, inside, dpdx, dpdy);
    vec3 weights = triplanar_weights(normal);
    ivec3 outwards = ivec3(FACE_NORMALS[face]);
    bool is_opaque = materials[material].opacity == 1.0;
    if (is_smooth && is_opaque) {
        material = smooth_material(voxel, outwards, material);
    }
    MaterialSurface own = material_surface(material, place, weights);
    SurfaceColor surface = plain_color(own);
    if (!blending || !is_opaque || materials[material].resists != 0u) {
        return surface;
    }
    vec3 tangents[2] = vec3[](FACE_U[face], FACE_V[face]);
    vec2 f = vec2(dot(inside, tangents[0]), dot(inside, tangents[1]));
    vec2 zones = blend_zones(f);
    for (int axis = 0; axis < 2; axis++) {
        if (zones[axis] <= 0.0) {
            continue;
        }
        ivec3 edge = ivec3(tangents[axis]) * (f[axis] < 0.5 ? -1 : 1);
        uint neighbour = material_beyond(voxel, edge, outwards, is_smooth);
        if (runs_into(neighbour, material)) {
            blend_axis(surface, axis, zones[axis], own, material_surface(neighbour, place, weights));
        }
    }
    return surface;
}

// Whether the pool has another material than the quad of a block: a fault of meshing or of uploading.
bool pool_disagrees(ivec3 voxel, uint material) {
    return material_of(voxel_at(voxel)) != material;
}

// The view of blend zones, linear light: red along U, blue along V, green where nothing blends.
vec3 blend_view(SurfaceColor surface, bool disagrees) {
    if (disagrees) {
        return vec3(1.0, 0.0, 0.0);
    }
    vec2 zone = surface.zone;
    return vec3(0.45 * zone.x, 0.30 * (1.0 - max(zone.x, zone.y)), 0.60 * zone.y);
}
