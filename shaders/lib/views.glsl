// SPDX-License-Identifier: GPL-3.0-or-later
// Views that show how a picture comes about, for finding faults. Their numbers and legends are in views.py.
#include "lib/faces.glsl"
#include "lib/gbuffer.glsl"
#include "lib/materials_table.glsl"
#include "lib/view_numbers.glsl"

uniform int view;

const vec3 FACE_VIEW[6] = vec3[](
    vec3(0.90, 0.10, 0.10), vec3(0.35, 0.03, 0.03),
    vec3(0.10, 0.80, 0.10), vec3(0.03, 0.28, 0.03),
    vec3(0.15, 0.30, 0.95), vec3(0.03, 0.06, 0.35)
);

const vec3 LEVEL_VIEW[5] = vec3[](
    vec3(0.55, 0.55, 0.55), vec3(0.10, 0.60, 0.15), vec3(0.85, 0.70, 0.05), vec3(0.85, 0.25, 0.05), vec3(0.60, 0.05, 0.35)
);

vec3 hashed_color(uint number) {
    uint h = number * 0x9E3779B1u;
    h = (h ^ h >> 15) * 0x85EBCA77u;
    h ^= h >> 13;
    return vec3(h & 0xFFu, h >> 8 & 0xFFu, h >> 16 & 0xFFu) / 255.0 * 0.7 + 0.15;
}

// Lines where chunks meet, over the darkened colour.
vec3 chunk_border_color(vec3 color, ivec3 voxel, vec3 inside, uint face) {
    vec3 local = vec3(voxel & (CHUNK_SIZE - 1)) + inside;
    vec3 to_border = min(local, float(CHUNK_SIZE) - local);
    int axis = int(face >> 1);
    float nearest = 1e3;
    for (int i = 0; i < 3; i++) {
        nearest = i == axis ? nearest : min(nearest, to_border[i]);
    }
    return nearest < 0.25 ? vec3(1.0, 0.75, 0.05) : color * 0.5;
}

// All views but those of blending and of levels.
vec3 view_color(Surface surface, ivec3 voxel, vec3 inside, uint quad) {
    switch (view) {
        case VIEW_FACES: return FACE_VIEW[surface.face];
        case VIEW_CHUNKS: return chunk_border_color(surface.color, voxel, inside, surface.face);
        case VIEW_NORMALS: return surface.normal * 0.5 + 0.5;
        case VIEW_QUADS: return hashed_color(quad);
        case VIEW_MATERIALS: return materials[surface.material].color;
        default: return surface.color;
    }
}
