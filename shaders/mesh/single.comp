// SPDX-License-Identifier: GPL-3.0-or-later
// A quad for each visible face. A thread has four rows of some of its face's slices and its neighbours have the others:
// eight of them share a surface that fills a slice.
#define THREADS 384
layout(local_size_x = THREADS) in;

#include "mesh/slices.glsl"

const uint SLICE_THREADS = 8u;
const uint SLICES_AT_ONCE = FACE_THREADS / SLICE_THREADS;
const uint TURNS = 32u / SLICES_AT_ONCE;

uvec4 rows[TURNS]; // this thread's visible faces

// This thread's part of the work.
uint first_row() {
    return gl_LocalInvocationIndex % SLICE_THREADS * 4u;
}

uint slice_of(uint turn) {
    return turn * SLICES_AT_ONCE + gl_LocalInvocationIndex / SLICE_THREADS % SLICES_AT_ONCE;
}

uint count_quads(inout uint found_kinds) {
    uint n = 0u, v = first_row();
    for (uint turn = 0u; turn < TURNS; turn++) {
        uvec4 visible = visible_rows(face, slice_of(turn), v);
        ivec4 counts = bitCount(visible);
        n += uint(counts.x + counts.y + counts.z + counts.w);
        found_kinds |= kinds_of(visible, face >> 1, slice_of(turn), v);
        rows[turn] = visible;
    }
    return n;
}

void write_quads(uint at) {
    for (uint turn = 0u; turn < TURNS; turn++) {
        uvec4 visible = rows[turn];
        // One loop for all four rows, as threads wait for the one that has most to do.
        for (uint v = first_row(); v < first_row() + 4u; ) {
            if (visible.x == 0u) {
                visible = visible.yzwx;
                v++;
            } else {
                uint u = uint(findLSB(visible.x));
                visible.x &= visible.x - 1u;
                write_quad(at++, place_of_voxel(face >> 1, slice_of(turn), u, v), 1u, 1u);
            }
        }
    }
}
