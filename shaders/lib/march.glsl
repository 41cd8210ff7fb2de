// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the occupancy of the world: from chunk to chunk, and within them by cells of 16³, 8³, 4³ and single
// voxels, each as large as it is empty. Blocks stop them as cubes, smooth voxels as the surface that is drawn of them.
// Bound must be the pool, its fields and its materials.
#include "lib/grid.glsl"
#include "lib/field.glsl"
#include "lib/materials_table.glsl"

layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uvec2 occupancy[]; };

const int MAX_MARCH_STEPS = 1024;
const float NOTHING_MET = 1e30;

// How far a ray from a smooth surface may go on within the ground that it begins in: what is drawn are quads, which lie
// a little within the field's own surface where it is round.
const float SMOOTH_DEPTH = 2.0;
const int SURFACE_SAMPLES = 4; // in each voxel that a smooth surface passes through

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

// The edge of the largest cell about a voxel of a chunk that has nothing to look at, 0 where the voxel itself has.
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
    int brick = (cell.x * 8 + cell.y) * 8 + cell.z;
    if (brick != at.brick) {
        at.brick = brick;
        at.voxels = pair_at(at.cell, OCCUPANCY_BRICKS + 2u * uint(brick));
    }
    return at.voxels == uvec2(0u) ? 4 : is_in_brick(at.voxels, local) ? 0 : 1;
}

// Of a voxel that is opaque.
bool is_smooth_voxel(uint cell, ivec3 local) {
    if (is_uniform(cell)) {
        return (cell & FLAG_SMOOTH) != 0u;
    }
    uint row = uint(local.y * CHUNK_SIZE + local.z);
    uvec2 rows = pair_at(cell, OCCUPANCY_X_ROWS + OCCUPANCY_BLOCKY + (row & ~1u));
    return !has_bit((row & 1u) == 0u ? rows.x : rows.y, local.x);
}

bool has_surface(Marched at, ivec3 local) {
    return at.field != 0u && is_in_brick(pair_at(at.cell, OCCUPANCY_SURFACE + 2u * uint(at.brick)), local);
}

// A ray on its way. All places are relative to the lowest corner of the voxel base, which is the ray's own.
struct March {
    ivec3 base;
    vec3 origin;
    vec3 direction; // unit
    vec3 inverse;
    float reach;
    Marched at;
    ivec3 voxel;
    float way;
    bool inside; // still in the ground that it began in
    float met;   // how far away the first opaque thing is, NOTHING_MET until it is found
};

// start is the chunk of the origin. is_smooth says that the ray begins at a smooth surface: see SMOOTH_DEPTH.
March begin_march(Marched start, ivec3 base, vec3 origin, vec3 direction, float reach, bool is_smooth) {
    bvec3 forward = greaterThanEqual(direction, vec3(0.0));
    vec3 inverse = 1.0 / mix(min(direction, -1e-7), max(direction, 1e-7), forward);
    ivec3 lowest = world_grid.origin.xyz * CHUNK_SIZE - base;
    ivec3 highest = lowest + world_grid.size.xyz * CHUNK_SIZE;
    vec3 ways = (mix(vec3(lowest), vec3(highest), forward) - origin) * inverse;
    reach = min(reach, min(ways.x, min(ways.y, ways.z)));
    ivec3 voxel = ivec3(floor(origin));
    return March(base, origin, direction, inverse, reach, start, voxel, 0.0, is_smooth, NOTHING_MET);
}

// Where between way and leave, within a voxel that a smooth surface passes through, the ray meets the ground.
float surface_met(inout March ray, ivec3 local, float leave) {
    vec3 from_chunk = ray.origin + vec3(ray.base - ray.at.coord * CHUNK_SIZE);
    float step = (leave - ray.way) / float(SURFACE_SAMPLES);
    float before = -1.0;
    for (int k = 0; k < SURFACE_SAMPLES; k++) {
        float there = ray.way + step * (float(k) + 0.5);
        float value = field_at(ray.at.field - 1u, local, from_chunk + ray.direction * there);
        if (value < 0.0 && (!ray.inside || there > SMOOTH_DEPTH)) {
            return before < 0.0 ? there : there - step * value / (value - before);
        }
        ray.inside = ray.inside && value < 0.0;
        before = value;
    }
    return NOTHING_MET;
}

// Go on to the next cell, which shares a face with this one, so that nothing leaks through edges and corners. False at
// the end of the way.
bool go_on(inout March ray) {
    ivec3 place = ray.base + ray.voxel;
    if (place >> CHUNK_SHIFT != ray.at.coord) {
        ray.at = marched_chunk(place >> CHUNK_SHIFT);
    }
    ivec3 local = place & (CHUNK_SIZE - 1);
    int edge = empty_edge(ray.at, local);
    bool is_empty = edge != 0;
    edge = max(edge, 1);
    ivec3 low = (place & -edge) - ray.base;
    ivec3 end = low + edge;
    bvec3 forward = greaterThan(ray.inverse, vec3(0.0));
    vec3 ways = (mix(vec3(low), vec3(end), forward) - ray.origin) * ray.inverse;
    float leave = min(ways.x, min(ways.y, ways.z));
    if (is_empty) {
        ray.inside = false;
    } else if (has_surface(ray.at, local)) {
        ray.met = surface_met(ray, local, leave);
    } else if (!ray.inside || ray.way > SMOOTH_DEPTH || !is_smooth_voxel(ray.at.cell, local)) {
        ray.met = ray.way;
    }
    ray.way = leave;
    ray.voxel = clamp(ivec3(floor(ray.origin + ray.direction * leave)), low, end - 1);
    if (leave == ways.x) {
        ray.voxel.x = forward.x ? end.x : low.x - 1;
    } else if (leave == ways.y) {
        ray.voxel.y = forward.y ? end.y : low.y - 1;
    } else {
        ray.voxel.z = forward.z ? end.z : low.z - 1;
    }
    return ray.met == NOTHING_MET && ray.way < ray.reach;
}

// How far along a ray the first opaque thing is, NOTHING_MET where there is none within reach.
float march(March ray) {
    for (int i = 0; i < MAX_MARCH_STEPS && ray.way < ray.reach && go_on(ray); i++) {
    }
    return ray.met;
}
