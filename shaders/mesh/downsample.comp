// SPDX-License-Identifier: GPL-3.0-or-later
// Coarse chunks from those of the next finer level: a work group a finer chunk, eight a coarse one. Eight voxels become one,
// opaque where any of them is: so a coarse level holds all that a finer one has, and nothing can be seen between the two.
// Of what one sees through alike, where there is nothing opaque. The material is what is seen from above: the commonest
// of the topmost voxels of its four columns, the lowest of several. Smooth voxels become blocks as others do; that they
// were smooth is told by a bit.
#define VOXEL_ACCESS
#include "lib/pool.glsl"
#include "lib/records.glsl"
#include "mesh/transparency.glsl"

#define THREADS 1024
layout(local_size_x = THREADS) in;

layout(std430, binding = JOBS_BINDING) readonly buffer Jobs { LevelJob jobs[]; };

uniform uint first_job;
uniform uint first_group;
uniform bool from_world; // whether the finer chunks are the world's own

const uint HALF_WORDS = uint(VOXEL_WORDS) / 8u; // of the coarse voxels of one finer chunk
const uint ROW_WORDS = 16u;
const uint SMOOTH_KIND = 0x100u;

// Of which voxels a material is taken.
bool is_counted(uint material, bool opaque) {
    return material != 0u && !(opaque && is_transparent(material));
}

bool is_opaque(uint voxel) {
    return is_counted(material_of(voxel), true);
}

bool is_full(uint cell, uint voxel) {
    return from_world || is_uniform(cell) ? is_opaque(voxel) : (voxel & LEVEL_FULL) != 0u;
}

// The material of a finer voxel, with a bit beyond where it is smooth.
uint kind_of(uint voxel) {
    bool smoothed = (voxel & (from_world ? FLAG_SMOOTH : LEVEL_SMOOTH)) != 0u;
    return material_of(voxel) | (smoothed ? SMOOTH_KIND : 0u);
}

// A word of the finer chunk: two voxels of one x and y.
uint finer_word(uint cell, uvec2 column, uint i) {
    if (is_uniform(cell)) {
        return (cell & 0xFFFFu) * 0x10001u;
    }
    return voxel_word(cell - 1u, (column.x * uint(CHUNK_SIZE) + column.y) * ROW_WORDS + i);
}

uint topmost(uint word, bool opaque) {
    uint above = word >> 16, below = word & 0xFFFFu;
    return is_counted(material_of(above), opaque) ? kind_of(above)
        : is_counted(material_of(below), opaque) ? kind_of(below)
        : 0u;
}

// The coarse voxel of four columns of two voxels each.
uint coarse_voxel(uint cell, uvec4 columns) {
    bool opaque = false, full = true;
    for (int i = 0; i < 4; i++) {
        uint above = columns[i] >> 16, below = columns[i] & 0xFFFFu;
        opaque = opaque || is_opaque(above) || is_opaque(below);
        full = full && is_full(cell, above) && is_full(cell, below);
    }
    uvec4 tops;
    for (int i = 0; i < 4; i++) {
        tops[i] = topmost(columns[i], opaque);
    }
    uint best = 0u, most = 0u;
    for (int i = 0; i < 4; i++) {
        uint count = 0u;
        for (int j = 0; j < 4; j++) {
            count += uint(tops[j] == tops[i]);
        }
        if (tops[i] != 0u && (count > most || (count == most && tops[i] < best))) {
            best = tops[i];
            most = count;
        }
    }
    uint bits = (full ? LEVEL_FULL : 0u) | (best > SMOOTH_KIND ? LEVEL_SMOOTH : 0u);
    return (best & ~SMOOTH_KIND) << MATERIAL_SHIFT | bits;
}

uint coarse_voxel_at(uint cell, uvec2 column, uint i) {
    return coarse_voxel(cell, uvec4(
        finer_word(cell, column, i),
        finer_word(cell, column + uvec2(0u, 1u), i),
        finer_word(cell, column + uvec2(1u, 0u), i),
        finer_word(cell, column + uvec2(1u, 1u), i)
    ));
}

void write_voxel_word(uint slot, uint word, uint value) {
    uint page = slot / uint(PAGE_SLOTS);
    uint index = slot % uint(PAGE_SLOTS) * uint(VOXEL_WORDS) + word;
#if VOXEL_PAGES > 2
    if (page == 2u) {
        voxels_2[index] = value;
        return;
    }
#endif
#if VOXEL_PAGES > 1
    if (page == 1u) {
        voxels_1[index] = value;
        return;
    }
#endif
    voxels_0[index] = value;
}

void main() {
    uint group = first_group + gl_WorkGroupID.x;
    LevelJob job = jobs[first_job + group / 8u];
    uint child = group % 8u, cell = job.children[child];
    uvec3 octant = uvec3(child >> 2, child >> 1 & 1u, child & 1u);
    for (uint i = gl_LocalInvocationIndex; i < HALF_WORDS; i += uint(THREADS)) {
        uvec3 place = uvec3(i / 128u, i / 8u % 16u, i % 8u); // of a word in the octant
        uint lower = coarse_voxel_at(cell, 2u * place.xy, 2u * place.z);
        uint upper = coarse_voxel_at(cell, 2u * place.xy, 2u * place.z + 1u);
        uvec2 column = 16u * octant.xy + place.xy;
        write_voxel_word(job.slot, (column.x * 32u + column.y) * ROW_WORDS + 8u * octant.z + place.z, lower | upper << 16);
    }
}
