// SPDX-License-Identifier: GPL-3.0-or-later
// A quad for each visible face: a work group a chunk.
//
// Threads have rows of bits each. Their counts are summed up, which gives each thread its places in the chunk's range.
layout(local_size_x = 512) in;

#include "mesh/range.glsl"

const uint THREADS = 512u;

shared uint sums[3][THREADS]; // of two faces each, 16 bits a face: a face has at most 16384

// The sums of all threads up to this one, for each face.
void sum_up(uint counts[3]) {
    uint thread = gl_LocalInvocationIndex;
    for (int i = 0; i < 3; i++) {
        sums[i][thread] = counts[i];
    }
    for (uint step = 1u; step < THREADS; step <<= 1) {
        barrier();
        uvec3 before = uvec3(0u);
        if (thread >= step) {
            before = uvec3(sums[0][thread - step], sums[1][thread - step], sums[2][thread - step]);
        }
        barrier();
        for (int i = 0; i < 3; i++) {
            sums[i][thread] += before[i];
        }
    }
    barrier();
}

uint sum_of(uint face, uint thread) {
    return bitfieldExtract(sums[face >> 1][thread], int(face & 1u) * 16, 16);
}

// Write the quads of this thread's rows, each face's from firsts on.
void write_rows(uint first) {
    uint thread = gl_LocalInvocationIndex;
    uint cell = cells[OWN];
    for (uint face = 0u; face < 6u; face++) {
        uint at = first + face_firsts[face] + (thread > 0u ? sum_of(face, thread - 1u) : 0u);
        for (uint row = thread; row < N_ROWS; row += THREADS) {
            uint x = row >> 5, y = row & 31u;
            uint low = x | y << QUAD_Y_SHIFT | quad_low(face, 1u, 1u);
            for (uint bits = visible_row(face, row); bits != 0u; bits &= bits - 1u) {
                uint z = uint(findLSB(bits));
                uint material = material_of(voxel_of_cell(cell, ivec3(x, y, z)));
                quads[at] = uvec2(low | z << QUAD_Z_SHIFT, quad_high(face, material, cell));
                at++;
            }
        }
    }
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    MeshJob job = jobs[first_job + gl_WorkGroupID.x];
    if (thread == 0u) {
        kinds = 0u;
    }
    find_chunk(job.coord);
    barrier();
    bool shown = may_have_faces();
    if (shown) {
        load_chunk();
    }
    barrier();
    uint counts[3] = uint[](0u, 0u, 0u);
    if (shown) {
        uint found = 0u;
        for (uint row = thread; row < N_ROWS; row += THREADS) {
            for (uint face = 0u; face < 6u; face++) {
                uint visible = visible_row(face, row);
                counts[face >> 1] += uint(bitCount(visible)) << ((face & 1u) * 16u);
                found |= kinds_of(visible, row);
            }
        }
        if (found != 0u) {
            atomicOr(kinds, found);
        }
    }
    sum_up(counts);
    if (thread == 0u) {
        face_firsts[0] = 0u;
        for (uint face = 0u; face < 6u; face++) {
            face_firsts[face + 1u] = face_firsts[face] + sum_of(face, THREADS - 1u);
        }
        claim_range(job);
    }
    barrier();
    if (range_start == NO_ROOM || face_firsts[6] == 0u) {
        return;
    }
    own_blocks(job.row);
    write_rows(range_start);
}
