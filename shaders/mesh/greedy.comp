// SPDX-License-Identifier: GPL-3.0-or-later
// Binary greedy meshing, the same set of quads as voxel/mesh/greedy.py.
//
// A thread goes through its slice from row to row, for all quads of a row at once: which go on in the next row is a
// question of bits. So is how high they are: the height of each face's quad is kept as a number whose binary digits are
// bits of five words.
#define THREADS 192
layout(local_size_x = THREADS) in;

#include "mesh/slices.glsl"

uint own_slice() {
    return gl_LocalInvocationIndex % 32u;
}

// What a row leaves to the next one.
uint shown;      // its visible faces
uint starts;     // where its quads begin
uint join_v;     // which faces join one of the next row, if that shows
uint heights[5]; // rows of each face's quad before this one; only constants index it, so it stays in registers

#define FOR_HEIGHTS(DO) DO(0) DO(1) DO(2) DO(3) DO(4)
#define CLEAR(I) heights[I] = 0u;
#define COUNT_UP(I) { uint digit = heights[I]; heights[I] = (digit ^ carry) & go_on; carry &= digit; }
#define ADD_DIGIT(I) height += (heights[I] >> u & 1u) << I;

void begin_slice() {
    shown = 0u;
    starts = 0u;
    join_v = 0u;
    FOR_HEIGHTS(CLEAR)
}

// Whether nothing is to be done for the next four rows.
bool is_empty(uvec4 faces) {
    return shown == 0u && faces == uvec4(0u);
}

// Which faces of the next row belong to quads that go on there: those whose faces all join one of it. joining has the
// faces of this row that do.
uint continued(uint joining) {
    // Spread what does not join over its whole quad, up and then down (Kogge and Stone's parallel prefix).
    uint stopped = shown & ~joining;
    uint up = shown & ~starts;
    uint down = shown & up >> 1;
    stopped |= up & stopped << 1;
    up &= up << 1;
    stopped |= up & stopped << 2;
    up &= up << 2;
    stopped |= up & stopped << 4;
    up &= up << 4;
    stopped |= up & stopped << 8;
    up &= up << 8;
    stopped |= up & stopped << 16;
    stopped |= down & stopped >> 1;
    down &= down >> 1;
    stopped |= down & stopped >> 2;
    down &= down >> 2;
    stopped |= down & stopped >> 4;
    down &= down >> 4;
    stopped |= down & stopped >> 8;
    down &= down >> 8;
    stopped |= down & stopped >> 16;
    return shown & ~stopped;
}

// Go on to a row. Returns where new quads begin there: at each face of none that goes on which the one before does not
// join.
uint take_row(uint go_on, uint faces, uint join_u, uint row_join_v) {
    uint fresh = faces & ~go_on;
    uint begun = fresh & ~((fresh & join_u) << 1);
    starts = (starts & go_on) | begun;
    shown = faces;
    join_v = row_join_v;
    return begun;
}

uint count_quads(inout uint found_kinds) {
    uint axis = face >> 1, slice = own_slice(), n = 0u;
    uint along_u = axis == 0u ? 1u : 0u, along_v = axis == 2u ? 1u : 2u;
    begin_slice();
    for (uint v = 0u; v < 32u; v += 4u) {
        uvec4 faces = visible_rows(face, slice, v);
        uvec4 join_u = alike_rows(along_u, axis, slice, v);
        uvec4 joins_v = alike_rows(along_v, axis, slice, v);
        if (is_empty(faces)) {
            continue;
        }
        found_kinds |= kinds_of(faces, axis, slice, v);
        for (uint i = 0u; i < 4u; i++) {
            uint go_on = continued(faces.x & join_v);
            n += uint(bitCount(take_row(go_on, faces.x, join_u.x, joins_v.x)));
            faces = faces.yzwx;
            join_u = join_u.yzwx;
            joins_v = joins_v.yzwx;
        }
    }
    return n;
}

// Write the quads that have ended in the row before v. Returns where the next one goes.
uint write_ended(uint at, uint ended, uint v) {
    uint ends = ~shown | starts;
    for (; ended != 0u; ended &= ended - 1u) {
        uint u = uint(findLSB(ended));
        uint beyond = ends >> u >> 1;
        uint width = beyond == 0u ? 32u - u : uint(findLSB(beyond)) + 1u;
        uint height = 1u;
        FOR_HEIGHTS(ADD_DIGIT)
        write_quad(at++, place_of_voxel(face >> 1, own_slice(), u, v - height), width, height);
    }
    return at;
}

void write_quads(uint at) {
    uint axis = face >> 1, slice = own_slice();
    uint along_u = axis == 0u ? 1u : 0u, along_v = axis == 2u ? 1u : 2u;
    begin_slice();
    for (uint v = 0u; v < 32u; v += 4u) {
        uvec4 faces = visible_rows(face, slice, v);
        uvec4 join_u = alike_rows(along_u, axis, slice, v);
        uvec4 joins_v = alike_rows(along_v, axis, slice, v);
        if (is_empty(faces)) {
            continue;
        }
        for (uint i = 0u; i < 4u; i++) {
            uint go_on = continued(faces.x & join_v);
            at = write_ended(at, starts & ~go_on, v + i);
            uint carry = go_on;
            FOR_HEIGHTS(COUNT_UP)
            take_row(go_on, faces.x, join_u.x, joins_v.x);
            faces = faces.yzwx;
            join_u = join_u.yzwx;
            joins_v = joins_v.yzwx;
        }
    }
    write_ended(at, starts, 32u);
}
