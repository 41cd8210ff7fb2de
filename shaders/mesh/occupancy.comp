// SPDX-License-Identifier: GPL-3.0-or-later
// The occupancy record of the slots listed, a work group each: see OCCUPANCY_… in gpu_backend/records.py.
#include "lib/pool.glsl"
#include "mesh/transparency.glsl"

layout(local_size_x = 256) in;

layout(std430, binding = JOBS_BINDING) readonly buffer Slots { uint slots[]; };
layout(std430, binding = OCCUPANCY_BINDING) writeonly buffer Occupancy { uint occupancy[]; };

uniform uint first_slot;

const uint ROW_WORDS = 16u;
const uint PLANE_WORDS = 32u * ROW_WORDS;
const uint PLANES = 8u; // of constant x at once: a row a thread
const uint STRIDE = ROW_WORDS + 1u; // so that the threads' rows begin in different banks

shared uint words[(PLANES + 1u) * 32u * STRIDE];
shared uint opaque_rows[1024];
shared uint cells_4[16];
shared uint cells_16;
shared uint flags;

// A bit for each of two materials, at the places that they have in a voxel word, that is 0.
uint zero_materials(uint word) {
    return uint((word & 0xFF00u) == 0u) | uint((word & 0xFF000000u) == 0u) << 1;
}

uint see_through(uint word) {
    return uint(is_transparent(bitfieldExtract(word, 8, 8))) | uint(is_transparent(word >> 24)) << 1;
}

// at: where the row is in words. The last plane and the last row of a plane compare with what happens to lie behind them,
// and that is not written.
void write_row(uint base, uint row, uint at) {
    uint opaque = 0u, blocky = 0u, alike_x = 0u, alike_y = 0u, alike_z = 0u;
    for (uint i = 0u; i < ROW_WORDS; i++) {
        uint word = words[at + i];
        int shift = int(2u * i);
        uint solid = ~zero_materials(word) & 3u;
        uint smooth_bits = (word / FLAG_SMOOTH & 1u) | (word / (FLAG_SMOOTH << 16) & 1u) << 1;
        uint following = word >> 16 | (i + 1u < ROW_WORDS ? words[at + i + 1u] << 16 : 0u);
        opaque |= (solid & ~see_through(word)) << shift;
        blocky |= (solid & ~smooth_bits) << shift;
        alike_x |= zero_materials(word ^ words[at + 32u * STRIDE + i]) << shift;
        alike_y |= zero_materials(word ^ words[at + STRIDE + i]) << shift;
        alike_z |= zero_materials(word ^ following) << shift;
    }
    opaque_rows[row] = opaque;
    occupancy[base + OCCUPANCY_OPAQUE + row] = opaque;
    occupancy[base + OCCUPANCY_BLOCKY + row] = blocky;
    occupancy[base + OCCUPANCY_ALIKE + row] = row < 31u * 32u ? alike_x : 0u;
    occupancy[base + OCCUPANCY_ALIKE + 1024u + row] = (row & 31u) < 31u ? alike_y : 0u;
    occupancy[base + OCCUPANCY_ALIKE + 2048u + row] = alike_z & 0x7FFFFFFFu;
    if ((blocky & ~opaque) != 0u) {
        atomicOr(flags, 1u);
    }
}

// The cells of 4³ and 16³ voxels in a column of the former.
void add_cells(uint x, uint y) {
    uint any = 0u;
    for (uint i = 0u; i < 16u; i++) {
        any |= opaque_rows[(x * 4u + i / 4u) * 32u + y * 4u + i % 4u];
    }
    any |= any >> 1;
    any |= any >> 2;
    uint column = 0u;
    for (int z = 0; z < 8; z++) {
        column |= bitfieldExtract(any, 4 * z, 1) << z;
    }
    uint bit = (x * 8u + y) * 8u;
    atomicOr(cells_4[bit / 32u], column << bit % 32u);
    uint halves = uint((column & 0x0Fu) != 0u) | uint((column & 0xF0u) != 0u) << 1;
    atomicOr(cells_16, halves << (x / 4u * 2u + y / 4u) * 2u);
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint slot = slots[first_slot + gl_WorkGroupID.x];
    uint base = slot * OCCUPANCY_WORDS;
    if (thread < 16u) {
        cells_4[thread] = 0u;
    }
    if (thread == 0u) {
        cells_16 = 0u;
        flags = 0u;
    }
    for (uint x = 0u; x < 32u; x += PLANES) {
        barrier();
        uint first = x * PLANE_WORDS;
        uint end = min((PLANES + 1u) * PLANE_WORDS, uint(VOXEL_WORDS) - first);
        for (uint i = thread; i < end; i += gl_WorkGroupSize.x) {
            words[i / ROW_WORDS * STRIDE + i % ROW_WORDS] = voxel_word(slot, first + i);
        }
        barrier();
        write_row(base, x * 32u + thread, thread * STRIDE);
    }
    barrier();
    if (thread < 64u) {
        add_cells(thread / 8u, thread % 8u);
    }
    barrier();
    if (thread < 16u) {
        occupancy[base + OCCUPANCY_CELLS_4 + thread] = cells_4[thread];
    }
    if (thread == 0u) {
        occupancy[base + OCCUPANCY_CELLS_16] = cells_16;
        occupancy[base + OCCUPANCY_FLAGS] = flags;
    }
}
