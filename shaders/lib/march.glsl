// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the occupancy of the world: from chunk to chunk, and within them by cells of 16³, 8³, 4³ and single
// voxels, each as large as it is empty. Blocks stop them as cubes, smooth voxels as the surface that is drawn of them.
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
// else is smooth stops them in this depth only (50 is a voxel's).
const float OWN_SURFACE = 2.0;
const float OWN_DEPTH = 10.0;
const float SURFACE_SAMPLES = 4.0; // in each voxel that a smooth surface passes through

bool has_bit(uint word, int bit) {
    return (word >> bit & 1u) != 0u;
}

// What a march knows of the chunk and of the brick that it is in.
struct Marched {
    ivec3 coord;
    uint cell;
    uvec2 cells_8;
    uint field; // number + 1
    int brick;  // its index, −1 for none
    uvec2 voxels;
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
    if (is_uniform(cell)) {
        return Marched(coord, cell, uvec2(0u), 0u, -1, uvec2(0u));
    }
    return Marched(coord, cell, pair_at(cell, OCCUPANCY_CELLS_8), pair_at(cell, OCCUPANCY_FLAGS).y, -1, uvec2(0u));
}

bool is_in_brick(uvec2 brick, ivec3 local) {
    ivec3 at = local & 3;
    return has_bit((at.z & 2) == 0 ? brick.x : brick.y, ((at.z & 1) * 4 + at.y) * 4 + at.x);
}

// The edge of the largest cell about a voxel of a chunk that has nothing to look at, 1 where its brick has, 0 where the
// chunk is opaque.
int empty_edge(inout Marched at, ivec3 local) {
    if (is_uniform(at.cell)) {
        return is_opaque_chunk(at.cell) ? 0 : CHUNK_SIZE;
    }
    ivec3 cell = local >> 3;
    uint cells = cell.x < 2 ? at.cells_8.x : at.cells_8.y;
    if ((cells >> ((cell.y & 2) * 4 + (cell.z & 2)) & 0x330033u) == 0u) {
        return 16;
    }
    if (!has_bit(cells, ((cell.x & 1) * 4 + cell.y) * 4 + cell.z)) {
        return 8;
    }
    cell = local >> 2;
    at.brick = (cell.x * 8 + cell.y) * 8 + cell.z;
    at.voxels = pair_at(at.cell, OCCUPANCY_BRICKS + 2u * uint(at.brick));
    return at.voxels == uvec2(0u) ? 4 : 1;
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
    if (at.field == 0u || !is_in_brick(pair_at(at.cell, OCCUPANCY_SURFACE + 2u * uint(at.brick)), local)) {
        return own && way < OWN_SURFACE && is_smooth_voxel(at.cell, local) ? NOTHING_MET : way;
    }
    float step = (leave - way) / SURFACE_SAMPLES;
    float before = -1.0;
    for (float there = way + 0.5 * step; there < leave; there += step) {
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
// of at, at origin from its lowest corner; direction is a unit vector; from_smooth says that it begins at a smooth surface.
// From one voxel it only ever goes to one with which that shares a face, so that nothing leaks through edges and corners.
float march(Marched at, vec3 origin, vec3 direction, float reach, bool from_smooth) {
    ivec3 first_chunk = at.coord;
    bvec3 forward = greaterThanEqual(direction, vec3(0.0));
    ivec3 step = ivec3(forward) * 2 - 1;
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
        if (edge > 1) {
            ivec3 low = voxel & -edge;
            ivec3 end = low + edge;
            vec3 ways = (mix(vec3(low), vec3(end), forward) - origin) * inverse;
            way = min(ways.x, min(ways.y, ways.z));
            voxel = clamp(ivec3(floor(origin + direction * way)), low, end - 1);
            bvec3 across = bvec3(ways.x == way, ways.x != way && ways.y == way, ways.x != way && ways.y != way);
            voxel += ivec3(across) * (low - 1 + ivec3(forward) * (edge + 1) - voxel);
            own = false;
            continue;
        }
        // Voxel by voxel to the end of the brick.
        vec3 ways = (vec3(voxel + ivec3(forward)) - origin) * inverse;
        bool left = false;
        while (!left) {
            float leave = min(ways.x, min(ways.y, ways.z));
            if (edge == 0 || is_in_brick(at.voxels, voxel)) {
#if SURFACES
                ivec3 local = voxel & (CHUNK_SIZE - 1);
                vec3 from_chunk = origin - vec3(voxel - local);
                float met = met_in_voxel(at, local, from_chunk, direction, way, leave, from_smooth, own);
                if (met < NOTHING_MET) {
                    return met < reach ? met : NOTHING_MET;
                }
#else
                return way < reach ? way : NOTHING_MET;
#endif
            } else {
                own = false;
            }
            way = leave;
            bvec3 across = bvec3(ways.x == way, ways.x != way && ways.y == way, ways.x != way && ways.y != way);
            ivec3 moved = step * ivec3(across);
            voxel += moved;
            ways += abs(inverse) * vec3(across);
            // What has just come to the first place of a brick along its way has come out of another.
            left = any(equal(ivec3(across) * 4 + (voxel & 3), 4 + 3 * ivec3(not(forward))));
        }
    }
    return NOTHING_MET;
}
