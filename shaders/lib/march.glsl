// SPDX-License-Identifier: GPL-3.0-or-later
// Rays through the occupancy of the world: from chunk to chunk, and within them by cells of 16³, 4³ and single voxels,
// each as large as it is empty. Bound must be the pool and its materials.
#include "lib/grid.glsl"
#include "lib/materials_table.glsl"

layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uint occupancy[]; };

const int MAX_MARCH_STEPS = 1024;
const float NOTHING_MET = 1e30;

// A smooth surface lies inside some of its voxels, and others rise out of it: up to here they do not stop its own rays.
const float SMOOTH_DEPTH = 2.0;

bool has_bit(uint word, int bit) {
    return (word >> bit & 1u) != 0u;
}

// What a march knows of the chunk that it is in.
struct MarchedChunk {
    ivec3 coord;
    uint cell;
    uint cells_16; // a bit for each of its cells of 16³
};

uint row_at(uint cell, uint part, ivec3 local) {
    return occupancy[(cell - 1u) * OCCUPANCY_WORDS + OCCUPANCY_X_ROWS + part + uint(local.y * CHUNK_SIZE + local.z)];
}

bool is_opaque_chunk(uint cell) {
    uint material = material_of(cell & 0xFFFFu);
    return material != 0u && materials[material].opacity == 1.0;
}

MarchedChunk marched_chunk(ivec3 coord) {
    uint cell = grid_cell(coord);
    return MarchedChunk(
        coord, cell, is_uniform(cell) ? 0u : occupancy[(cell - 1u) * OCCUPANCY_WORDS + OCCUPANCY_CELLS_16]
    );
}

// The edge of the largest cell about a voxel of a chunk that has nothing opaque, 0 where the voxel itself is opaque.
int empty_edge(MarchedChunk chunk, ivec3 local) {
    if (is_uniform(chunk.cell)) {
        return is_opaque_chunk(chunk.cell) ? 0 : CHUNK_SIZE;
    }
    ivec3 at = local >> 4;
    if (!has_bit(chunk.cells_16, (at.x * 2 + at.y) * 2 + at.z)) {
        return 16;
    }
    at = local >> 2;
    int bit = (at.x * 8 + at.y) * 8 + at.z;
    // Both are read before either is looked at, so that the one need not wait for the other.
    uint cells_4 = occupancy[(chunk.cell - 1u) * OCCUPANCY_WORDS + OCCUPANCY_CELLS_4 + uint(bit >> 5)];
    uint row = row_at(chunk.cell, OCCUPANCY_OPAQUE, local);
    return !has_bit(cells_4, bit & 31) ? 4 : has_bit(row, local.x) ? 0 : 1;
}

// Of a voxel that is opaque.
bool is_smooth_voxel(uint cell, ivec3 local) {
    return is_uniform(cell) ? (cell & FLAG_SMOOTH) != 0u : !has_bit(row_at(cell, OCCUPANCY_BLOCKY, local), local.x);
}

// How far along a ray the first opaque voxel begins, NOTHING_MET where there is none within reach. The ray begins at
// origin, relative to the lowest corner of the voxel base; direction is a unit vector. From one voxel it only ever goes
// to one with which that shares a face, so that nothing leaks through edges and corners. from_smooth is for rays from
// smooth surfaces: see SMOOTH_DEPTH.
float march(ivec3 base, vec3 origin, vec3 direction, float reach, bool from_smooth) {
    bvec3 forward = greaterThanEqual(direction, vec3(0.0));
    vec3 inverse = 1.0 / mix(min(direction, -1e-7), max(direction, 1e-7), forward);
    ivec3 lowest = world_grid.origin.xyz * CHUNK_SIZE - base;
    ivec3 highest = lowest + world_grid.size.xyz * CHUNK_SIZE;
    vec3 ways = (mix(vec3(lowest), vec3(highest), forward) - origin) * inverse;
    reach = min(reach, min(ways.x, min(ways.y, ways.z)));

    ivec3 voxel = ivec3(floor(origin));
    float way = 0.0;
    MarchedChunk chunk = marched_chunk((base + voxel) >> CHUNK_SHIFT);
    for (int i = 0; i < MAX_MARCH_STEPS && way < reach; i++) {
        ivec3 coord = (base + voxel) >> CHUNK_SHIFT;
        if (coord != chunk.coord) {
            chunk = marched_chunk(coord);
        }
        ivec3 local = (base + voxel) & (CHUNK_SIZE - 1);
        int edge = empty_edge(chunk, local);
        if (edge == 0) {
            if (!from_smooth || way > SMOOTH_DEPTH || !is_smooth_voxel(chunk.cell, local)) {
                return way;
            }
            edge = 1;
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
