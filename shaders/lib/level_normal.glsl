// SPDX-License-Identifier: GPL-3.0-or-later
// The normal of a smooth surface that is drawn as coarse blocks: away from what is opaque about a voxel, two to each side.
// Bound must be the pool and its materials.
#include "lib/grid.glsl"
#include "lib/materials_table.glsl"

layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uint occupancy[]; };

const float LEAST_ALONG_FACE = 0.1; // of a normal: a step is seen also where the surface leans back
const int NORMAL_REACH = 2;
const int NORMAL_BITS = 2 * NORMAL_REACH + 1;

// The opaque voxels of a row along x, as bits. voxel is any of the row.
uint opaque_row(uint cell, ivec3 voxel) {
    if (is_uniform(cell)) {
        uint material = material_of(cell & 0xFFFFu);
        return material != 0u && materials[material].opacity == 1.0 ? 0xFFFFFFFFu : 0u;
    }
    ivec2 row = voxel.yz & CHUNK_SIZE - 1;
    uint part = OCCUPANCY_X_ROWS + OCCUPANCY_OPAQUE;
    return occupancy[(cell - 1u) * OCCUPANCY_WORDS + part + uint(row.x * CHUNK_SIZE + row.y)];
}

// Those from voxel on, as many as there are normal bits.
uint opaque_from(uint level, uint own_cell, ivec3 own_chunk, ivec3 voxel) {
    ivec3 chunk = voxel >> CHUNK_SHIFT;
    int first = voxel.x & CHUNK_SIZE - 1;
    uint bits = opaque_row(chunk == own_chunk ? own_cell : level_cell(level, chunk), voxel) >> first;
    if (first + NORMAL_BITS > CHUNK_SIZE) {
        bits |= opaque_row(level_cell(level, chunk + ivec3(1, 0, 0)), voxel) << CHUNK_SIZE - first;
    }
    return bits & (1u << NORMAL_BITS) - 1u;
}

// cell and voxel (local) are those of a chunk of the level; face is the normal of the block's face that is seen.
vec3 level_normal(uint level, uint cell, ivec3 chunk, ivec3 local, vec3 face) {
    ivec3 opaque = ivec3(0); // the sum of the ways to them
    for (int y = -NORMAL_REACH; y <= NORMAL_REACH; y++) {
        for (int z = -NORMAL_REACH; z <= NORMAL_REACH; z++) {
            ivec3 voxel = chunk * CHUNK_SIZE + local + ivec3(-NORMAL_REACH, y, z);
            uint bits = opaque_from(level, cell, chunk, voxel);
            int n = bitCount(bits);
            int along_x = 0;
            for (int x = 1; x <= NORMAL_REACH; x++) {
                along_x += x * (int(bits >> NORMAL_REACH + x & 1u) - int(bits >> NORMAL_REACH - x & 1u));
            }
            opaque += ivec3(along_x, n * y, n * z);
        }
    }
    if (opaque == ivec3(0)) {
        return face;
    }
    vec3 normal = -normalize(vec3(opaque));
    return normalize(normal + face * max(LEAST_ALONG_FACE - dot(normal, face), 0.0));
}
