// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the occupancy of the world: from chunk to chunk, and within them by cells of 4³, 2³ and single voxels, each
// as large as it is empty. Blocks stop them as cubes, smooth voxels as the surface that is drawn of them.
//
// Bound must be the pool, its fields and its materials. SURFACES says whether any voxel of the world is smooth: what that
// takes would slow rays down in worlds of blocks too, where it is never needed.
#include "lib/grid.glsl"
#include "lib/field.glsl"
#include "lib/materials_table.glsl"

layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uvec2 occupancy[]; };

const int MAX_MARCH_STEPS = 1024;
const float NOTHING_MET = 1e30;

// Rays from smooth surfaces begin within the ground where what is drawn, quads, lies deeper than the field's own surface,
// and would graze it where that is higher. So up to this way the surface that they come from lets them pass, and what
// else is smooth stops them in this depth only, some 0.2 voxels.
const float OWN_SURFACE = 2.0;
const float OWN_DEPTH = 0.4 * FIELD_FLAT;
const int SURFACE_SAMPLES = 4; // in each voxel that a smooth surface passes through

bool has_bit(uint word, int bit) {
    return (word >> bit & 1u) != 0u;
}

// What a march knows of the chunk that it is in.
struct Marched {
    ivec3 coord;
    uint cell;
    uint field; // its number + 1
};

uvec2 pair_at(uint cell, uint word) {
    return occupancy[((cell - 1u) * OCCUPANCY_WORDS + word) / 2u];
}

bool is_opaque_chunk(uint cell) {
    uint material = material_of(cell & 0xFFFFu);
    return material != 0u && materials[material].opacity == 1.0;
}

Marched marched_chunk(ivec3 coord) {
    uint cell = grid_cell(coord);
#if SURFACES
    return Marched(coord, cell, is_uniform(cell) ? 0u : pair_at(cell, OCCUPANCY_FLAGS).y);
#else
    return Marched(coord, cell, 0u);
#endif
}

uvec2 brick_at(uint cell, uint part, ivec3 local) {
    ivec3 at = local >> 2;
    return pair_at(cell, part + uint((at.x * 8 + at.y) * 8 + at.z) * 2u);
}

// The half of a brick that a voxel lies in, and the voxel's bit in it.
uint half_brick(uvec2 brick, ivec3 local) {
    return (local.z & 2) == 0 ? brick.x : brick.y;
}

int place_in_half(ivec3 local) {
    return (local.z & 1) * 16 + (local.y & 3) * 4 + (local.x & 3);
}

const uint CELL_OF_2 = 0x330033u; // the eight voxels of a half brick's first cell of 2³

// The edge of the largest cell about a voxel of a chunk that has nothing to look at, 0 where the voxel itself has.
int empty_edge(Marched at, ivec3 local) {
    if (is_uniform(at.cell)) {
        return is_opaque_chunk(at.cell) ? 0 : CHUNK_SIZE;
    }
    uvec2 brick = brick_at(at.cell, OCCUPANCY_BRICKS, local);
    uint voxels = half_brick(brick, local);
    bool is_empty_2 = (voxels >> ((local.y & 2) * 4 + (local.x & 2)) & CELL_OF_2) == 0u;
    int edge = is_empty_2 ? 2 : has_bit(voxels, place_in_half(local)) ? 0 : 1;
    return brick == uvec2(0u) ? 4 : edge;
}

#if SURFACES
// Of a voxel that is opaque.
bool is_smooth_voxel(uint cell, ivec3 local) {
    if (is_uniform(cell)) {
        return (cell & FLAG_SMOOTH) != 0u;
    }
    uint row = uint(local.y * CHUNK_SIZE + local.z);
    uvec2 rows = pair_at(cell, OCCUPANCY_X_ROWS + OCCUPANCY_BLOCKY + (row & ~1u));
    return !has_bit((row & 1u) == 0u ? rows.x : rows.y, local.x);
}

// Where between way and leave the ray meets what is to be looked at in a voxel, NOTHING_MET where it passes. from_chunk is
// its origin from the chunk's lowest corner; own says that it is still in the ground that it began in.
float met_in_voxel(
    Marched at, ivec3 local, vec3 from_chunk, vec3 direction, float way, float leave, bool from_smooth, inout bool own
) {
    uint passed = at.field == 0u ? 0u : half_brick(brick_at(at.cell, OCCUPANCY_SURFACE, local), local);
    if (!has_bit(passed, place_in_half(local))) {
        return own && way < OWN_SURFACE && is_smooth_voxel(at.cell, local) ? NOTHING_MET : way;
    }
    float step = (leave - way) / float(SURFACE_SAMPLES);
    float before = -1.0;
    for (int k = 0; k < SURFACE_SAMPLES; k++) {
        float there = way + step * (float(k) + 0.5);
        bool is_near = from_smooth && there < OWN_SURFACE;
        float value = field_at(at.field - 1u, local, from_chunk + direction * there);
        if (value < (is_near ? -OWN_DEPTH : 0.0) && !(own && is_near)) {
            return before > 0.0 ? there - step * value / (value - before) : there;
        }
        own = own && value < 0.0;
        before = value;
    }
    return NOTHING_MET;
}
#endif

// How far away the world ends along a ray, from the lowest corner of a chunk.
float way_to_end(ivec3 chunk, vec3 origin, vec3 direction) {
    vec3 lowest = vec3((world_grid.origin.xyz - chunk) * CHUNK_SIZE);
    vec3 highest = lowest + vec3(world_grid.size.xyz * CHUNK_SIZE);
    bvec3 forward = greaterThanEqual(direction, vec3(0.0));
    vec3 ways = (mix(lowest, highest, forward) - origin) / mix(min(direction, -1e-7), max(direction, 1e-7), forward);
    return min(ways.x, min(ways.y, ways.z));
}

// How far along a ray the first opaque thing is, NOTHING_MET where there is none within reach. The ray begins in the chunk
// of at, at origin from its lowest corner; direction is a unit vector; from_smooth says that it begins at a smooth
// surface. From one voxel it only ever goes to one with which that shares a face, so that nothing leaks through edges and
// corners.
float march(Marched at, vec3 origin, vec3 direction, float reach, bool from_smooth) {
    ivec3 first_chunk = at.coord;
    bvec3 forward = greaterThanEqual(direction, vec3(0.0));
    vec3 inverse = 1.0 / mix(min(direction, -1e-7), max(direction, 1e-7), forward);
    ivec3 voxel = ivec3(floor(origin));
    float way = 0.0;
    bool own = from_smooth;
    for (int i = 0; i < MAX_MARCH_STEPS && way < reach; i++) {
        ivec3 coord = first_chunk + (voxel >> CHUNK_SHIFT);
        if (coord != at.coord) {
            at = marched_chunk(coord);
        }
        int edge = empty_edge(at, voxel & (CHUNK_SIZE - 1));
#if SURFACES
        bool is_empty = edge != 0;
        edge = max(edge, 1);
#else
        if (edge == 0) {
            return way;
        }
#endif
        ivec3 low = voxel & -edge;
        ivec3 end = low + edge;
        vec3 ways = (mix(vec3(low), vec3(end), forward) - origin) * inverse;
        float leave = min(ways.x, min(ways.y, ways.z));
#if SURFACES
        own = own && !is_empty;
        if (!is_empty) {
            ivec3 local = voxel & (CHUNK_SIZE - 1);
            vec3 from_chunk = origin - vec3(voxel - local);
            float met = met_in_voxel(at, local, from_chunk, direction, way, leave, from_smooth, own);
            if (met < NOTHING_MET) {
                return met < reach ? met : NOTHING_MET;
            }
        }
#endif
        way = leave;
        voxel = clamp(ivec3(floor(origin + direction * way)), low, end - 1);
        if (way == ways.x) {
            voxel.x = forward.x ? end.x : low.x - 1;
        } else if (way == ways.y) {
            voxel.y = forward.y ? end.y : low.y - 1;
        } else {
            voxel.z = forward.z ? end.z : low.z - 1;
        }
    }
    return NOTHING_MET;
}
