// SPDX-License-Identifier: GPL-3.0-or-later
// The voxels of the world on the GPU. VOXEL_PAGES is how many buffers they lie in, PAGE_SLOTS how many slots each has.
#include "lib/grid.glsl"

#ifndef VOXEL_ACCESS
#define VOXEL_ACCESS readonly
#endif

layout(std430, binding = VOXELS_0_BINDING) VOXEL_ACCESS buffer Voxels0 { uint voxels_0[]; };
#if VOXEL_PAGES > 1
layout(std430, binding = VOXELS_1_BINDING) VOXEL_ACCESS buffer Voxels1 { uint voxels_1[]; };
#endif
#if VOXEL_PAGES > 2
layout(std430, binding = VOXELS_2_BINDING) VOXEL_ACCESS buffer Voxels2 { uint voxels_2[]; };
#endif
#if VOXEL_PAGES > 3
layout(std430, binding = VOXELS_3_BINDING) VOXEL_ACCESS buffer Voxels3 { uint voxels_3[]; };
#endif

// Two voxels of a slot: the one at z even in the low half, the next one in the high half.
uint voxel_word(uint slot, uint word) {
    uint page = slot / uint(PAGE_SLOTS);
    uint index = slot % uint(PAGE_SLOTS) * uint(VOXEL_WORDS) + word;
#if VOXEL_PAGES > 2
    if (page == 2u) return voxels_2[index];
#endif
#if VOXEL_PAGES > 1
    if (page == 1u) return voxels_1[index];
#endif
    return voxels_0[index];
}

// The 16-bit voxel at local (0 … 31 on each axis) of a cell's chunk.
uint voxel_of_cell(uint cell, ivec3 local) {
    if (is_uniform(cell)) {
        return cell & 0xFFFFu;
    }
    uint i = uint((local.x * CHUNK_SIZE + local.y) * CHUNK_SIZE + local.z);
    return bitfieldExtract(voxel_word(cell - 1u, i >> 1), int(i & 1u) * 16, 16);
}

// The 16-bit voxel at a place of voxel space; 0, air, where there is nothing.
uint voxel_at(ivec3 voxel) {
    return voxel_of_cell(grid_cell(voxel >> CHUNK_SHIFT), voxel & (CHUNK_SIZE - 1));
}
