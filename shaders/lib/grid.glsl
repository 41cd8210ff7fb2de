// SPDX-License-Identifier: GPL-3.0-or-later
// Which chunk is where.
#include "lib/bindings.glsl"
#include "lib/faces.glsl"
#include "lib/pool_layout.glsl"

layout(std140, binding = WORLD_GRID_BINDING) uniform WorldGrid {
    ivec4 origin;
    ivec4 size;
} world_grid;

layout(std430, binding = GRID_BINDING) readonly buffer Grid { uint grid[]; };

// A cell of the grid: 0 for air, UNIFORM_CHUNK | voxel for a chunk of one value, else slot + 1.
uint grid_cell(ivec3 chunk) {
    ivec3 cell = chunk - world_grid.origin.xyz;
    if (any(lessThan(cell, ivec3(0))) || any(greaterThanEqual(cell, world_grid.size.xyz))) {
        return 0u;
    }
    return grid[(cell.x * world_grid.size.y + cell.y) * world_grid.size.z + cell.z];
}

// The same of a coarser level, of which chunk (x, y, z) is made of eight of the level before, from (2x, 2y, 2z) on. 0 also
// where a coarse chunk is not there; those of the level before are drawn then.
uint level_cell(uint level, ivec3 chunk) {
    if (level > uint(world_grid.size.w)) {
        return 0u;
    }
    ivec3 first = world_grid.origin.xyz, last = first + world_grid.size.xyz - 1;
    int at = 0;
    for (uint finer = 0u; finer < level; finer++) {
        ivec3 size = last - first + 1;
        at += size.x * size.y * size.z;
        first >>= 1;
        last >>= 1;
    }
    if (any(lessThan(chunk, first)) || any(greaterThan(chunk, last))) {
        return 0u;
    }
    ivec3 cell = chunk - first, size = last - first + 1;
    return grid[at + (cell.x * size.y + cell.y) * size.z + cell.z];
}

bool is_uniform(uint cell) {
    return cell == 0u || (cell & UNIFORM_CHUNK) != 0u;
}

uint material_of(uint voxel) {
    return voxel >> MATERIAL_SHIFT;
}
