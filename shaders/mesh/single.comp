// SPDX-License-Identifier: GPL-3.0-or-later
// A quad for each visible face: a work group a chunk.
//
// Threads have rows of bits each. Their counts are summed up, which gives each face its place in the chunk's range; places
// are then filled a window at a time: voxels into shared memory, and from there quads, in the order in which they lie.
layout(local_size_x = 256) in;

#include "mesh/range.glsl"

const uint THREADS = 256u;
const uint WINDOW = 2048u;

shared uint sums[3][THREADS]; // of two faces each, 16 bits a face: a face has at most 16384
shared uint window[WINDOW];   // 17:15 face, 14:5 row, 4:0 z

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

// Write the voxels whose faces lie at places start … start + WINDOW − 1 of the range.
void fill_window(uint start) {
    uint thread = gl_LocalInvocationIndex;
    for (uint face = 0u; face < 6u; face++) {
        uint at = face_firsts[face] + (thread > 0u ? sum_of(face, thread - 1u) : 0u) - start;
        for (uint row = thread; row < N_ROWS; row += THREADS) {
            for (uint bits = visible_row(face, row); bits != 0u; bits &= bits - 1u) {
                if (at < WINDOW) { // of places before start, at is very large
                    window[at] = face << 15 | row << 5 | uint(findLSB(bits));
                }
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
    if (range_start == NO_ROOM) {
        return;
    }
    own_blocks(job.row);
    uint total = face_firsts[6];
    uint cell = cells[OWN];
    for (uint start = 0u; start < total; start += WINDOW) {
        fill_window(start);
        barrier();
        uint end = min(WINDOW, total - start);
        for (uint i = thread; i < end; i += THREADS) {
            uint face = window[i] >> 15;
            uvec3 voxel = uvec3(window[i] >> 10, window[i] >> 5, window[i]) & 31u;
            uint low = voxel.x | voxel.y << QUAD_Y_SHIFT | voxel.z << QUAD_Z_SHIFT | quad_low(face, 1u, 1u);
            uint material = material_of(voxel_of_cell(cell, ivec3(voxel)));
            quads[range_start + start + i] = uvec2(low, quad_high(face, material, cell));
        }
        barrier();
    }
}
