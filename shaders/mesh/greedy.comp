// SPDX-License-Identifier: GPL-3.0-or-later
// Binary greedy meshing, the same set of quads as voxel/mesh/greedy.py: a work group a chunk.
//
// Slices are gone through in blocks of eight. Rows of visible faces of both directions of an axis, and of voxels that join
// the next one along U and along V, are turned so that their bits lie along U. One thread a slice then goes from row to
// row, for all quads of a row at once: which go on in the next row is a question of bits. What it leaves says where quads
// begin and how far they go, and all threads together read them off. All is done twice: first quads are only counted, which
// gives the chunk its range. That is faster than to keep them meanwhile: some drivers give an SM's work groups 48 KB of
// shared memory together, and how many run at once is all that counts here.
layout(local_size_x = 128) in;

#include "lib/unroll.glsl"
#include "mesh/range.glsl"

const uint SLICES = 8u;
const uint BLOCK_ROWS = 32u * SLICES;

// Arrays of a block: what is in them before and after continue_slice().
const uint PLUS = 0u, MINUS = 1u; // visible faces; those of quads that begin in this row
const uint JOIN_U = 2u;
const uint JOIN_V = 3u, CONTINUED_PLUS = 3u; // what joins; faces of quads that began in a row before
const uint CONTINUED_MINUS = 4u;

shared uint rows[5u * BLOCK_ROWS];
shared uint block_shown;
shared uint face_counts[6];
shared uint cursors[6]; // how many quads of each face are written

// Where row v of a slice of the block lies, without two threads of a warp meeting in a bank.
uint place(uint slice, uint v) {
    return v * SLICES + (slice + v / 4u) % SLICES;
}

// Swap the off-diagonal quarters of squares of 2 · J bits (Hacker's Delight, 7-3), in each byte for itself.
#define SWAP(LOW, J, MASK) { \
        uint t = (turned[LOW] >> J ^ turned[LOW + J]) & MASK; \
        turned[LOW + J] ^= t; \
        turned[LOW] ^= t << J; \
    }
#define SWAP_4(K) SWAP(K, 4, 0x0F0F0F0Fu)
#define SWAP_2(K) SWAP(((K & ~1) << 1 | (K & 1)), 2, 0x33333333u)
#define SWAP_1(K) SWAP((K << 1), 1, 0x55555555u)
#define FOR_4(DO) DO(0) DO(1) DO(2) DO(3)
#define READ(I) turned[I] = rows[own_place(array, axis, uint(I))];
#define WRITE(I) rows[own_place(array, axis, uint(I))] = turned[I];

// Where the i-th of the eight words that this thread turns lies.
uint own_place(uint array, uint axis, uint i) {
    uint at = gl_LocalInvocationIndex % 32u;
    return array * BLOCK_ROWS + (axis == 2u ? place(i, at) : place(at / 4u, at % 4u * 8u + i));
}

uint array_row(uint array, uint axis, uint row) {
    if (array <= MINUS) {
        return visible_row(2u * axis + array, row);
    }
    uint along = array == JOIN_U ? (axis == 0u ? 1u : 0u) : (axis == 2u ? 1u : 2u);
    return alike_row(along, row);
}

// Fill one of the first four arrays for eight slices of an axis. A thread turns the bits of a byte of 32 rows: those of a
// plane of constant x for faces ±X, of constant y for the others.
void load_block(uint axis, uint block) {
    uint array = gl_LocalInvocationIndex / 32u;
    uint at = gl_LocalInvocationIndex % 32u;
    uint index = axis == 2u ? at : block * SLICES + at / 4u;
    int byte = 8 * int(axis == 2u ? block : at % 4u);
    uint plane = axis == 0u ? index * 32u : index;
    uint step = axis == 0u ? 1u : 32u;
    uint any = 0u;
    for (uint i = 0u; i < 8u; i++) {
        uint word = 0u;
        for (uint part = 0u; part < 32u; part += 8u) {
            word |= bitfieldExtract(array_row(array, axis, plane + (part + i) * step), byte, 8) << part;
        }
        rows[own_place(array, axis, i)] = word;
        any |= word;
    }
    if (array <= MINUS && any != 0u) {
        block_shown = 1u;
    }
    uint turned[8];
    FOR_8(READ, 0)
    FOR_4(SWAP_4)
    FOR_4(SWAP_2)
    FOR_4(SWAP_1)
    FOR_8(WRITE, 0)
}

void write_quad(uint at, uint face, uvec3 voxel, uint width, uint height) {
    uint material = material_of(voxel_of_cell(cells[OWN], ivec3(voxel)));
    uint low = voxel.x | voxel.y << QUAD_Y_SHIFT | voxel.z << QUAD_Z_SHIFT;
    quads[at] = uvec2(low | quad_low(face, width, height), quad_high(face, material, cells[OWN]));
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

// Go through a slice of both faces of an axis. Returns how many quads each has.
uvec2 continue_slice(uint slice) {
    uvec2 shown = uvec2(0u), starts = uvec2(0u), n = uvec2(0u);
    uint join_v = 0u;
    for (uint v = 0u; v < 32u; v++) {
        uint k = place(slice, v);
        uint join_u = rows[JOIN_U * BLOCK_ROWS + k];
        uvec2 faces = uvec2(rows[PLUS * BLOCK_ROWS + k], rows[MINUS * BLOCK_ROWS + k]);
        uvec2 joining = faces & join_v;
        uvec2 go_on = uvec2(continued(shown.x, starts.x, joining.x), continued(shown.y, starts.y, joining.y));
        uvec2 fresh = faces & ~go_on;
        uvec2 begun = uvec2(new_starts(fresh.x, join_u), new_starts(fresh.y, join_u));
        starts = (starts & go_on) | begun;
        n += uvec2(bitCount(begun));
        shown = faces;
        join_v = rows[JOIN_V * BLOCK_ROWS + k];
        rows[PLUS * BLOCK_ROWS + k] = fresh.x;
        rows[MINUS * BLOCK_ROWS + k] = fresh.y;
        rows[CONTINUED_PLUS * BLOCK_ROWS + k] = go_on.x;
        rows[CONTINUED_MINUS * BLOCK_ROWS + k] = go_on.y;
    }
    return n;
}

// Write the quads that begin in a row of a slice of the block.
void write_row(uint axis, uint block, uint side, uint slice, uint v) {
    uint k = place(slice, v);
    uint fresh = rows[side * BLOCK_ROWS + k];
    if (fresh == 0u) {
        return;
    }
    uint continued_rows = (CONTINUED_PLUS + side) * BLOCK_ROWS;
    uint starts = new_starts(fresh, rows[JOIN_U * BLOCK_ROWS + k]);
    uint ends = ~fresh | starts;
    uint face = 2u * axis + side;
    uint at = range_start + face_firsts[face] + atomicAdd(cursors[face], uint(bitCount(starts)));
    uint s = block * SLICES + slice;
    for (; starts != 0u; starts &= starts - 1u) {
        uint u = uint(findLSB(starts));
        uint beyond = ends >> u >> 1;
        uint width = beyond == 0u ? 32u - u : uint(findLSB(beyond)) + 1u;
        uint height = 1u;
        while (v + height < 32u && (rows[continued_rows + place(slice, v + height)] >> u & 1u) != 0u) {
            height++;
        }
        uvec3 voxel = axis == 0u ? uvec3(s, u, v) : axis == 1u ? uvec3(u, s, v) : uvec3(u, v, s);
        write_quad(at++, face, voxel, width, height);
    }
}

// Count the quads of a block, or write them.
void take_block(uint axis, uint block, bool writing) {
    uint thread = gl_LocalInvocationIndex;
    if (thread == 0u) {
        block_shown = 0u;
    }
    barrier();
    load_block(axis, block);
    barrier();
    if (block_shown != 0u && thread < SLICES) {
        uvec2 n = continue_slice(thread);
        if (!writing) {
            atomicAdd(face_counts[2u * axis], n.x);
            atomicAdd(face_counts[2u * axis + 1u], n.y);
        }
    }
    barrier();
    for (uint i = thread; i < 2u * BLOCK_ROWS && block_shown != 0u && writing; i += gl_WorkGroupSize.x) {
        write_row(axis, block, i / BLOCK_ROWS, i % SLICES, i / SLICES % 32u);
    }
    barrier();
}

void find_kinds() {
    uint found = 0u;
    for (uint row = gl_LocalInvocationIndex; row < N_ROWS; row += gl_WorkGroupSize.x) {
        uint visible = 0u;
        for (uint face = 0u; face < 6u; face++) {
            visible |= visible_row(face, row);
        }
        found |= kinds_of(visible, row);
    }
    if (found != 0u) {
        atomicOr(kinds, found);
    }
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    MeshJob job = jobs[first_job + gl_WorkGroupID.x];
    if (thread < 6u) {
        face_counts[thread] = 0u;
        cursors[thread] = 0u;
        kinds = 0u;
    }
    find_chunk(job.coord);
    barrier();
    bool shown = may_have_faces();
    if (shown) {
        load_chunk();
    }
    barrier();
    if (shown) {
        find_kinds();
    }
    barrier();
    shown = kinds != 0u;
    for (uint axis = 0u; axis < 3u && shown; axis++) {
        for (uint block = 0u; block < 32u / SLICES; block++) {
            take_block(axis, block, false);
        }
    }
    if (thread == 0u) {
        face_firsts[0] = 0u;
        for (int face = 0; face < 6; face++) {
            face_firsts[face + 1] = face_firsts[face] + face_counts[face];
        }
        claim_range(job);
    }
    barrier();
    if (range_start == NO_ROOM || face_firsts[6] == 0u) {
        return;
    }
    own_blocks(job.row);
    for (uint axis = 0u; axis < 3u; axis++) {
        for (uint block = 0u; block < 32u / SLICES && face_firsts[2u * axis + 2u] > face_firsts[2u * axis]; block++) {
            take_block(axis, block, true);
        }
    }
}
