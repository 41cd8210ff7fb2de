// SPDX-License-Identifier: GPL-3.0-or-later
// Surface Nets by rows of bits along x, as voxel/mesh/nets_cells.py has them along z: which edges are crossed and which
// cells have a vertex.
//
// A chunk is looked at with a border of two samples: padded sample s is voxel s − 2. A cell, the cube between eight
// samples, has the number of its lowest one. The chunk's own vertices are those of the cells 1 … 33 on each axis, its own
// quads those of the edges from samples 2 … 33; cells 0 and 34 are those around the chunk, for the normals.
#include "lib/pool.glsl"
#include "lib/records.glsl"
#include "mesh/transparency.glsl"

layout(std430, binding = OCCUPANCY_BINDING) readonly buffer Occupancy { uint occupancy[]; };
layout(std430, binding = JOBS_BINDING) readonly buffer Jobs { MeshJob jobs[]; };

const int BORDER = 2;
const int SAMPLES = CHUNK_SIZE + 2 * BORDER;
const int CELLS = SAMPLES - 1;

// Bits of a row of 36 samples: the first 32, then the others.
const uvec2 NONE = uvec2(0u);
const uvec2 INNER = uvec2(0xFFFFFFFCu, 0x3u); // samples 2 … 33
const uvec2 NEAR = uvec2(0xFFFFFFFEu, 0x7u);  // samples 1 … 34
const uvec2 OWN_CELLS = uvec2(0xFFFFFFFEu, 0x3u);

// What a chunk of one value is, in uniform_kinds.
const uint IS_SMOOTH = 1u, IS_BLOCKY = 2u, IS_OPAQUE = 4u;

// Bits of OCCUPANCY_FLAGS.
const uint HAS_SMOOTH = 2u, HAS_BLOCKS = 4u;

const int OWN_CHUNK = 13;

shared uint around[27]; // cells of the grid: the chunk at offset (dx, dy, dz) at 9 · (dx + 1) + 3 · (dy + 1) + dz + 1
shared uint uniform_kinds[27];
shared uint found_flags; // of all chunks around
shared bool near_smooth; // whether the chunk may own a quad

uint kinds_of_uniform(uint cell) {
    uint voxel = cell & 0xFFFFu, material = material_of(voxel);
    if (material == 0u) {
        return 0u;
    }
    return ((voxel & FLAG_SMOOTH) != 0u ? IS_SMOOTH : IS_BLOCKY) | (is_transparent(material) ? 0u : IS_OPAQUE);
}

// All threads call this; there is a barrier in it and must be one after it.
void find_chunks(ivec3 coord) {
    int thread = int(gl_LocalInvocationIndex);
    if (thread == 0) {
        found_flags = 0u;
        near_smooth = false;
    }
    barrier();
    if (thread < 27) {
        uint cell = grid_cell(coord + ivec3(thread / 9, thread / 3 % 3, thread % 3) - 1);
        uint kinds = is_uniform(cell) ? kinds_of_uniform(cell) : 0u;
        uint flags = (kinds & IS_SMOOTH) != 0u ? HAS_SMOOTH : (kinds & IS_BLOCKY) != 0u ? HAS_BLOCKS : 0u;
        if (!is_uniform(cell)) {
            flags = occupancy[(cell - 1u) * OCCUPANCY_WORDS + OCCUPANCY_FLAGS];
        }
        around[thread] = cell;
        uniform_kinds[thread] = kinds;
        if (flags != 0u) {
            atomicOr(found_flags, flags);
        }
        // Edges that the chunk owns end in itself and in the next chunk on each axis.
        int step = thread - OWN_CHUNK;
        if ((step == 0 || step == 1 || step == 3 || step == 9) && (flags & HAS_SMOOTH) != 0u) {
            near_smooth = true;
        }
    }
}

// A word of rows along x of one of the chunks around.
uint row_word(int chunk, uint part, uint row, uint kind) {
    uint cell = around[chunk];
    uint slot = is_uniform(cell) ? 0u : cell - 1u; // any, so that there is no branch to wait at
    uint word = occupancy[slot * OCCUPANCY_WORDS + part + row];
    return is_uniform(cell) ? ((uniform_kinds[chunk] & kind) != 0u ? 0xFFFFFFFFu : 0u) : word;
}

// A row along x of the padded samples (y, z), with so many samples on each side, of what a part of the record has. y and
// z may lie so far outside too.
uvec2 padded_row(uint part, uint kind, int y, int z, int border) {
    ivec2 at = ivec2(y, z) + CHUNK_SIZE - BORDER;
    int column = (at.x >> CHUNK_SHIFT) * 3 + (at.y >> CHUNK_SHIFT);
    uint row = uint((at.x & (CHUNK_SIZE - 1)) * CHUNK_SIZE + (at.y & (CHUNK_SIZE - 1)));
    uint below = row_word(column, part, row, kind);
    uint here = row_word(column + 9, part, row, kind);
    uint above = row_word(column + 18, part, row, kind);
    uint last = (1u << border) - 1u;
    return uvec2(below >> (32 - border) | here << border, here >> (32 - border) | (above & last) << border);
}

struct Samples {
    uvec2 ground;
    uvec2 smooth_row;
};

// Ground, and in the smoothed field so many samples further on each side: rows (y, z) at y · WIDE + z, the first 32 samples
// of each; at ROW_ENDS of two rows the others (12 bits) and the last four smooth ones; and at SMOOTH_ROWS the first 32
// smooth ones.
#ifdef SMOOTHED
const int REACH = 4; // the blur is a box of five samples, twice, along each axis
#else
const int REACH = 0;
#endif
const int WIDE = SAMPLES + 2 * REACH;
const uint ENDS_MASK = 0xFFFu, SMOOTH_SHIFT = 12u;

const int ROW_ENDS = WIDE * WIDE;
const int SMOOTH_ROWS = ROW_ENDS + WIDE * WIDE / 2;
const int SAMPLE_WORDS = SMOOTH_ROWS + SAMPLES * SAMPLES;

shared uint samples[SAMPLE_WORDS];

// A row of 36 samples from one that reaches further.
uvec2 without_reach(uvec2 row) {
#ifdef SMOOTHED
    return uvec2(row.x >> REACH | row.y << (32 - REACH), row.y >> REACH & 15u);
#else
    return row;
#endif
}

// All threads call this; there must be a barrier after it.
void find_samples() {
    for (int two = int(gl_LocalInvocationIndex); two < WIDE * WIDE / 2; two += int(gl_WorkGroupSize.x)) {
        uint ends = 0u;
        for (int i = 0; i < 2; i++) {
            int row = 2 * two + i, y = row / WIDE - REACH, z = row % WIDE - REACH;
            uvec2 ground = padded_row(OCCUPANCY_SMOOTH, IS_SMOOTH, y, z, BORDER + REACH);
            if (min(y, z) >= 0 && max(y, z) < SAMPLES) {
                uvec2 smooth_row = without_reach(ground);
                samples[SMOOTH_ROWS + y * SAMPLES + z] = smooth_row.x;
                ends |= smooth_row.y << SMOOTH_SHIFT << (16 * i);
            }
            ground |= padded_row(OCCUPANCY_OPAQUE, IS_OPAQUE, y, z, BORDER + REACH);
            samples[row] = ground.x;
            ends |= ground.y << (16 * i);
        }
        samples[ROW_ENDS + two] = ends;
    }
}

Samples samples_at(int y, int z) {
    int row = (y + REACH) * WIDE + z + REACH;
    uint ends = samples[ROW_ENDS + (row >> 1)] >> (16 * (row & 1)) & 0xFFFFu;
    uvec2 smooth_row = uvec2(samples[SMOOTH_ROWS + y * SAMPLES + z], ends >> SMOOTH_SHIFT);
    return Samples(without_reach(uvec2(samples[row], ends & ENDS_MASK)), smooth_row);
}

uvec2 shifted(uvec2 row) {
    return uvec2(row.x >> 1 | row.y << 31, row.y >> 1);
}

uint count_bits(uvec2 row) {
    return uint(bitCount(row.x) + bitCount(row.y));
}

// The bits of a row from x on.
uint bits_from(uvec2 row, uint x) {
    return x >= 32u ? row.y >> (x - 32u) : x == 0u ? row.x : row.x >> x | row.y << (32u - x);
}

// The lowest bit that is set, which is taken away.
uint take_lowest(inout uvec2 row) {
    if (row.x != 0u) {
        uint x = uint(findLSB(row.x));
        row.x &= row.x - 1u;
        return x;
    }
    uint x = uint(findLSB(row.y)) + 32u;
    row.y &= row.y - 1u;
    return x;
}

// Where one of two samples is smooth and the other not even ground.
uvec2 leaving(Samples low, Samples high) {
    return (low.smooth_row & ~high.ground) | (high.smooth_row & ~low.ground);
}

uvec2 leaving_along_x(Samples row) {
    return leaving(row, Samples(shifted(row.ground), shifted(row.smooth_row))) & OWN_CELLS;
}

struct CellRow {
    uvec2 cells;        // those with a vertex
    uvec2 own_edges[3]; // the chunk's own, by axis, from the row's lowest samples
};

// The row of cells (y, z) from the samples of its corners: of y and z, of the next y, of the next z, of both.
CellRow cell_row(int y, int z, Samples low, Samples next_y, Samples next_z, Samples next_yz) {
    // Only edges between samples 1 … 34 are of any use.
    bool y_low = y >= 1, y_high = y < CELLS - 1, z_low = z >= 1, z_high = z < CELLS - 1;
    uvec2 x_edges = y_low && z_low ? leaving_along_x(low) : NONE;
    uvec2 y_edges = y_low && y_high && z_low ? leaving(low, next_y) & NEAR : NONE;
    uvec2 z_edges = z_low && z_high && y_low ? leaving(low, next_z) & NEAR : NONE;
    uvec2 across = y_edges | z_edges;
    across |= y_low && y_high && z_high ? leaving(next_z, next_yz) & NEAR : NONE;
    across |= z_low && z_high && y_high ? leaving(next_y, next_yz) & NEAR : NONE;
    uvec2 cells = x_edges | across | shifted(across);
    cells |= y_high && z_low ? leaving_along_x(next_y) : NONE;
    cells |= y_low && z_high ? leaving_along_x(next_z) : NONE;
    cells |= y_high && z_high ? leaving_along_x(next_yz) : NONE;
    bool is_own = y >= BORDER && z >= BORDER && y_high && z_high;
    uvec2 own = is_own ? INNER : NONE;
    return CellRow(cells, uvec2[3](x_edges & own, y_edges & own, z_edges & own));
}

bool is_inner_cell(int at) {
    return at >= 1 && at < CELLS - 1;
}
