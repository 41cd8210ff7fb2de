// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the occupancy of the world: from chunk to chunk, and within them by cells of 16³, 4³ and single voxels,
// each as large as it is empty. Bound must be the pool and its materials.
#include "lib/grid.glsl"
#include "lib/materials_table.glsl"

layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uint occupancy[]; };

const int MAX_MARCH_STEPS = 1024;
const float NOTHING_MET = 1e30;

// A surface lies inside its smooth voxels: a ray that begins there leaves them, up to here, before any can stop it.
const float SMOOTH_DEPTH = 2.0;

bool has_bit(uint word, int bit) {
    return (word >> bit & 1u) != 0u;
}

uint row_at(uint slot, uint part, ivec3 local) {
    return occupancy[slot * OCCUPANCY_WORDS + OCCUPANCY_X_ROWS + part + uint(local.y * CHUNK_SIZE + local.z)];
}

bool is_opaque_chunk(uint cell) {
    uint material = material_of(cell & 0xFFFFu);
    return material != 0u && materials[material].opacity == 1.0;
}

// The edge of the largest cell about a voxel that has nothing opaque, 0 where the voxel itself is opaque.
int empty_edge(ivec3 voxel) {
    uint cell = grid_cell(voxel >> CHUNK_SHIFT);
    if (is_uniform(cell)) {
        return is_opaque_chunk(cell) ? 0 : CHUNK_SIZE;
    }
    ivec3 local = voxel & (CHUNK_SIZE - 1);
    uint record = (cell - 1u) * OCCUPANCY_WORDS;
    ivec3 at = local >> 4;
    if (!has_bit(occupancy[record + OCCUPANCY_CELLS_16], (at.x * 2 + at.y) * 2 + at.z)) {
        return 16;
    }
    at = local >> 2;
    int bit = (at.x * 8 + at.y) * 8 + at.z;
    if (!has_bit(occupancy[record + OCCUPANCY_CELLS_4 + uint(bit >> 5)], bit & 31)) {
        return 4;
    }
    return has_bit(row_at(cell - 1u, OCCUPANCY_OPAQUE, local), local.x) ? 0 : 1;
}

// Of a voxel that is opaque.
bool is_smooth_voxel(ivec3 voxel) {
    uint cell = grid_cell(voxel >> CHUNK_SHIFT);
    ivec3 local = voxel & (CHUNK_SIZE - 1);
    return is_uniform(cell) ? (cell & FLAG_SMOOTH) != 0u : !has_bit(row_at(cell - 1u, OCCUPANCY_BLOCKY, local), local.x);
}

// How far along a ray the first opaque voxel begins, NOTHING_MET where there is none within reach. The ray begins at
// origin, relative to the lowest corner of the voxel base; direction is a unit vector. From one voxel it only ever goes
// to one with which that shares a face, so that nothing leaks through edges and corners. leaves_smooth is for rays from
// smooth surfaces.
float march(ivec3 base, vec3 origin, vec3 direction, float reach, bool leaves_smooth) {
    bvec3 forward = greaterThanEqual(direction, vec3(0.0));
    vec3 inverse = 1.0 / mix(min(direction, -1e-7), max(direction, 1e-7), forward);
    ivec3 lowest = world_grid.origin.xyz * CHUNK_SIZE - base;
    ivec3 highest = lowest + world_grid.size.xyz * CHUNK_SIZE;
    vec3 ways = (mix(vec3(lowest), vec3(highest), forward) - origin) * inverse;
    reach = min(reach, min(ways.x, min(ways.y, ways.z)));

    ivec3 voxel = ivec3(floor(origin));
    float way = 0.0;
    for (int i = 0; i < MAX_MARCH_STEPS && way < reach; i++) {
        int edge = empty_edge(base + voxel);
        if (edge == 0) {
            if (!leaves_smooth || way > SMOOTH_DEPTH || !is_smooth_voxel(base + voxel)) {
                return way;
            }
            edge = 1;
        } else {
            leaves_smooth = false;
        }
        ivec3 low = ((base + voxel) & -edge) - base;
        ivec3 end = low + edge;
        ways = (mix(vec3(low), vec3(end), forward) - origin) * inverse;
        way = min(ways.x, min(ways.y, ways.z));
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
