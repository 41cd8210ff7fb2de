// SPDX-License-Identifier: GPL-3.0-or-later
// Binary greedy meshing, the same set of quads as voxel/mesh/greedy.py: a work group a chunk.
//
// For each axis: rows of visible faces of both directions, and of voxels that join the next one along U and along V, are
// transposed so that their bits lie along U. Then one thread a slice goes from row to row, for all quads of a row at once:
// which go on in the next row is a question of bits. What it leaves says where quads begin and how far they go, and all
// threads together read them off. They are kept in shared memory until all are known and have a range, and get their
// materials on the way there. A chunk that has too many for that is gone through a second time.
layout(local_size_x = 128) in;

#include "lib/unroll.glsl"
#include "mesh/range.glsl"

const uint THREADS = 128u;
const uint SLICES = 32u;
const uint PLUS = 0u, MINUS = 1u, JOIN_U = 2u, JOIN_V = 3u, CONTINUED_MINUS = 4u;
const uint CONTINUED_PLUS = JOIN_V; // in its place: which faces of a row belong to quads that began in a row before
const uint KEPT = 1536u; // quads of a chunk that is gone through once

shared uint rows[5u * N_ROWS];
shared uint kept[KEPT]; // 4:0 u, 9:5 v, 14:10 slice, 19:15 width - 1, 24:20 height - 1, 27:25 face
shared uint n_kept;
shared uint face_counts[6];
shared uint cursors[6]; // how many quads of each face are written
shared uint axis_shown[3];

// Where a word of a 32 × 32 matrix of bits lies: word i of matrix number block. Skewed, so that threads which read a word
// of each matrix, or the words of one, meet in no bank.
uint place(uint i, uint block) {
    return i * 32u + (i + block & 31u);
}

// Swap the off-diagonal quarters of a square of 2 · J bits (Hacker's Delight, 7-3).
#define SWAP(LOW, J, MASK) { \
        uint t = (matrix[LOW] >> J ^ matrix[LOW + J]) & MASK; \
        matrix[LOW + J] ^= t; \
        matrix[LOW] ^= t << J; \
    }
#define SWAP_16(K) SWAP(((K & ~15) << 1 | (K & 15)), 16, 0x0000FFFFu)
#define SWAP_8(K) SWAP(((K & ~7) << 1 | (K & 7)), 8, 0x00FF00FFu)
#define SWAP_4(K) SWAP(((K & ~3) << 1 | (K & 3)), 4, 0x0F0F0F0Fu)
#define SWAP_2(K) SWAP(((K & ~1) << 1 | (K & 1)), 2, 0x33333333u)
#define SWAP_1(K) SWAP((K << 1), 1, 0x55555555u)
#define READ(I) matrix[I] = rows[first + place(uint(I), block)]; any |= matrix[I];
#define WRITE(I) rows[first + place(uint(I), block)] = matrix[I];

void transpose(uint first, uint block) {
    uint matrix[32];
    uint any = 0u;
    FOR_32(READ)
    if (any == 0u) {
        return;
    }
    FOR_16(SWAP_16)
    FOR_16(SWAP_8)
    FOR_16(SWAP_4)
    FOR_16(SWAP_2)
    FOR_16(SWAP_1)
    FOR_32(WRITE)
}

// Fill rows for one axis, from x or y as the matrices' rows and z as their bits to the other way round. Matrices are
// planes of constant x for faces ±X, of constant y for the others.
void load_axis(uint axis) {
    uint thread = gl_LocalInvocationIndex;
    uint u_axis = axis == 0u ? 1u : 0u, v_axis = axis == 2u ? 1u : 2u;
    uint found = 0u;
    for (uint row = thread; row < N_ROWS; row += THREADS) {
        uint at = axis == 0u ? place(row & 31u, row >> 5) : place(row >> 5, row & 31u);
        uint plus = visible_row(2u * axis, row), minus = visible_row(2u * axis + 1u, row);
        rows[PLUS * N_ROWS + at] = plus;
        rows[MINUS * N_ROWS + at] = minus;
        rows[JOIN_U * N_ROWS + at] = alike_row(u_axis, row);
        rows[JOIN_V * N_ROWS + at] = alike_row(v_axis, row);
        found |= kinds_of(plus | minus, row);
    }
    if (found != 0u) {
        atomicOr(axis_shown[axis], found);
    }
    barrier();
    if (axis_shown[axis] != 0u) {
        transpose((thread >> 5) * N_ROWS, thread & 31u);
    }
    barrier();
}

void write_quad(uint at, uint quad) {
    uint u = quad & 31u, v = quad >> 5 & 31u, slice = quad >> 10 & 31u, face = quad >> 25;
    uint axis = face >> 1;
    uvec3 voxel = axis == 0u ? uvec3(slice, u, v) : axis == 1u ? uvec3(u, slice, v) : uvec3(u, v, slice);
    uint material = material_of(voxel_of_cell(cells[OWN], ivec3(voxel)));
    uint low = voxel.x | voxel.y << QUAD_Y_SHIFT | voxel.z << QUAD_Z_SHIFT;
    low |= quad_low(face, (quad >> 15 & 31u) + 1u, (quad >> 20 & 31u) + 1u);
    quads[at] = uvec2(low, quad_high(face, material, cells[OWN]));
}

uint row_place(uint axis, uint slice, uint v) {
    return axis == 2u ? place(slice, v) : place(v, slice);
}

// Which faces of the next row belong to quads that go on there: those whose faces all join one of it. shown has the faces
// of this row, starts where its quads begin, joining which of its faces join one of the next row.
uint continued(uint shown, uint starts, uint joining) {
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

// Where quads of faces that are not continued begin: at each that the one before does not join.
uint new_starts(uint fresh, uint join_u) {
    return fresh & ~((fresh & join_u) << 1);
}

// Go through a slice of both faces of an axis, and leave which faces of its rows are continued.
void continue_slice(uint axis, uint slice) {
    uvec2 shown = uvec2(0u), starts = uvec2(0u);
    uint join_v = 0u;
    for (uint v = 0u; v < 32u; v++) {
        uint k = row_place(axis, slice, v);
        uint join_u = rows[JOIN_U * N_ROWS + k];
        uvec2 faces = uvec2(rows[PLUS * N_ROWS + k], rows[MINUS * N_ROWS + k]);
        uvec2 joining = faces & join_v;
        uvec2 go_on = uvec2(continued(shown.x, starts.x, joining.x), continued(shown.y, starts.y, joining.y));
        uvec2 fresh = faces & ~go_on;
        starts = (starts & go_on) | uvec2(new_starts(fresh.x, join_u), new_starts(fresh.y, join_u));
        shown = faces;
        join_v = rows[JOIN_V * N_ROWS + k];
        rows[CONTINUED_PLUS * N_ROWS + k] = go_on.x;
        rows[CONTINUED_MINUS * N_ROWS + k] = go_on.y;
    }
}

// Read the quads off that begin in one row: keep them, or write them to the chunk's range.
void take_row(uint axis, uint side, uint k, bool writing) {
    uint continued_rows = (side == 0u ? CONTINUED_PLUS : CONTINUED_MINUS) * N_ROWS;
    uint fresh = rows[side * N_ROWS + k] & ~rows[continued_rows + k];
    uint starts = new_starts(fresh, rows[JOIN_U * N_ROWS + k]);
    if (starts == 0u) {
        return;
    }
    uint face = 2u * axis + side;
    uint major = k >> 5, minor = k - (k >> 5) & 31u; // place(major, minor) is k
    uint slice = axis == 2u ? major : minor, v = axis == 2u ? minor : major;
    uint ends = ~fresh | starts;
    uint n = uint(bitCount(starts));
    uint at = writing ? range_start + face_firsts[face] + atomicAdd(cursors[face], n) : atomicAdd(n_kept, n);
    if (!writing) {
        atomicAdd(face_counts[face], n);
    }
    for (; starts != 0u; starts &= starts - 1u) {
        uint u = uint(findLSB(starts));
        uint beyond = ends >> u >> 1;
        uint width = beyond == 0u ? 32u - u : uint(findLSB(beyond)) + 1u;
        uint height = 1u;
        while (v + height < 32u && (rows[continued_rows + row_place(axis, slice, v + height)] >> u & 1u) != 0u) {
            height++;
        }
        uint quad = u | v << 5 | slice << 10 | (width - 1u) << 15 | (height - 1u) << 20 | face << 25;
        if (writing) {
            write_quad(at, quad);
        } else if (at < KEPT) {
            kept[at] = quad;
        }
        at++;
    }
}

void take_axis(uint axis, bool writing) {
    uint thread = gl_LocalInvocationIndex;
    load_axis(axis);
    if (thread < SLICES && axis_shown[axis] != 0u) {
        continue_slice(axis, thread);
    }
    barrier();
    for (uint i = thread; i < 2u * N_ROWS && axis_shown[axis] != 0u; i += THREADS) {
        take_row(axis, i / N_ROWS, i % N_ROWS, writing);
    }
    barrier();
}

void claim(MeshJob job) {
    if (gl_LocalInvocationIndex == 0u) {
        face_firsts[0] = 0u;
        for (int face = 0; face < 6; face++) {
            face_firsts[face + 1] = face_firsts[face] + face_counts[face];
        }
        kinds = axis_shown[0] | axis_shown[1] | axis_shown[2];
        claim_range(job);
    }
    barrier();
}

void write_kept() {
    for (uint i = gl_LocalInvocationIndex; i < n_kept; i += THREADS) {
        uint face = kept[i] >> 25;
        write_quad(range_start + face_firsts[face] + atomicAdd(cursors[face], 1u), kept[i]);
    }
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    MeshJob job = jobs[first_job + gl_WorkGroupID.x];
    if (thread < 6u) {
        axis_shown[thread % 3u] = 0u;
        face_counts[thread] = 0u;
        cursors[thread] = 0u;
        n_kept = 0u;
    }
    find_chunk(job.coord);
    barrier();
    bool shown = may_have_faces();
    if (shown) {
        load_chunk();
    }
    barrier();
    for (uint axis = 0u; axis < 3u && shown; axis++) {
        take_axis(axis, false);
    }
    claim(job);
    if (range_start == NO_ROOM) {
        return;
    }
    own_blocks(job.row);
    if (n_kept <= KEPT) {
        write_kept();
        return;
    }
    for (uint axis = 0u; axis < 3u; axis++) {
        if (axis_shown[axis] != 0u) {
            take_axis(axis, true);
        }
    }
}
