// SPDX-License-Identifier: GPL-3.0-or-later
// A quad for each visible face.
#define THREADS 384
layout(local_size_x = THREADS) in;

#include "mesh/slices.glsl"

uint count_quads(inout uint found_kinds) {
    uint n = 0u;
    for (uint v = first_v; v < first_v + SHARE; v += 4u) {
        uvec4 visible = visible_rows(face, slice, v);
        ivec4 counts = bitCount(visible);
        n += uint(counts.x + counts.y + counts.z + counts.w);
        found_kinds |= kinds_of(visible, face >> 1, slice, v);
    }
    return n;
}

void write_quads(uint at) {
    for (uint v = first_v; v < first_v + SHARE; v += 4u) {
        uvec4 visible = visible_rows(face, slice, v);
        // One loop for all four rows, as threads wait for the one that has most to do.
        for (uint row = v; row < v + 4u; ) {
            if (visible.x == 0u) {
                visible = visible.yzwx;
                row++;
            } else {
                uint u = uint(findLSB(visible.x));
                visible.x &= visible.x - 1u;
                write_quad(at++, place_of_voxel(face >> 1, slice, u, row), 1u, 1u);
            }
        }
    }
}
