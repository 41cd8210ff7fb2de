// SPDX-License-Identifier: GPL-3.0-or-later
// Binary greedy meshing, the same set of quads as voxel/mesh/greedy.py: a work group a chunk.
//
// For each axis: rows of visible faces of both directions, and of voxels that join the next one along U and along V, are
// transposed so that their bits lie along U. Then each slice is walked by one thread in the canonical order. All axes are
// walked twice: first quads are counted, which gives each slice its place in the chunk's range, then they are written.
// Walking looks at bits only; materials are put into the quads at the end, by all threads.
layout(local_size_x = 128) in;

#include "mesh/range.glsl"

const uint THREADS = 128u;
const uint WALKERS = 64u; // a slice of one direction each
const uint PLUS = 0u, MINUS = 1u, JOIN_U = 2u, JOIN_V = 3u;

shared uint rows[4 * N_ROWS];      // visible faces of both directions, and what joins
shared uint slice_counts[6u * 32u]; // quads of each face and slice, later where they begin
shared uint axis_shown[3];

// Where a word of a 32 × 32 matrix of bits lies: word i of matrix number block. Skewed, so that threads which read a word
// of each matrix, or the words of one, meet in no bank.
uint place(uint i, uint block) {
    return i * 32u + (i + block & 31u);
}

// Swap the off-diagonal quarters of all squares of 2 · J bits.
#define EXCHANGE(J, MASK) \
    for (uint k = 0u; k < 16u; k++) { \
        uint low = (k & ~(J - 1u)) << 1 | (k & (J - 1u)); \
        uint t = (matrix[low] >> J ^ matrix[low + J]) & MASK; \
        matrix[low + J] ^= t; \
        matrix[low] ^= t << J; \
    }

void transpose(uint first, uint block) {
    uint matrix[32];
    uint any = 0u;
    for (uint i = 0u; i < 32u; i++) {
        matrix[i] = rows[first + place(i, block)];
        any |= matrix[i];
    }
    if (any == 0u) {
        return;
    }
    EXCHANGE(16u, 0x0000FFFFu)
    EXCHANGE(8u, 0x00FF00FFu)
    EXCHANGE(4u, 0x0F0F0F0Fu)
    EXCHANGE(2u, 0x33333333u)
    EXCHANGE(1u, 0x55555555u)
    for (uint i = 0u; i < 32u; i++) {
        rows[first + place(i, block)] = matrix[i];
    }
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

// Walk a slice of one face, and use its bits up. Returns how many quads it has; writes them from quads[at] on, without
// material, where at is not NO_ROOM.
uint walk(uint face, uint slice, uint at) {
    uint axis = face >> 1;
    uint faces = (face & 1u) * N_ROWS;
    uint u_shift = axis == 0u ? uint(QUAD_Y_SHIFT) : 0u;
    uint v_shift = uint(axis == 2u ? QUAD_Y_SHIFT : QUAD_Z_SHIFT);
    uint n = 0u;
    for (uint v = 0u; v < 32u; v++) {
        uint k = axis == 2u ? place(slice, v) : place(v, slice);
        uint row = rows[faces + k];
        // Bit u is clear where face u joins the next one of the row.
        uint ends = ~(row >> 1 & rows[JOIN_U * N_ROWS + k]);
        while (row != 0u) {
            uint u = uint(findLSB(row));
            uint width = uint(findLSB(ends >> u)) + 1u;
            uint mask = ALL >> (32u - width) << u;
            row &= ~mask;
            uint height = 1u;
            uint top = k;
            while (v + height < 32u) {
                uint next = axis == 2u ? place(slice, v + height) : place(v + height, slice);
                uint following = rows[faces + next];
                if ((following & rows[JOIN_V * N_ROWS + top] & mask) != mask) {
                    break;
                }
                rows[faces + next] = following & ~mask;
                top = next;
                height++;
            }
            if (at != NO_ROOM) {
                uint low = slice << (QUAD_Y_SHIFT * int(axis)) | u << u_shift | v << v_shift;
                quads[at + n] = uvec2(low | quad_low(face, width, height), quad_high(face, 0u, cells[OWN]));
            }
            n++;
        }
    }
    return n;
}

// Sum slice_counts up to where each slice begins in its face's quads, and faces to where they begin in the range.
void sum_up(MeshJob job) {
    uint thread = gl_LocalInvocationIndex;
    if (thread < 6u) {
        uint sum = 0u;
        for (uint slice = 0u; slice < 32u; slice++) {
            uint n = slice_counts[thread * 32u + slice];
            slice_counts[thread * 32u + slice] = sum;
            sum += n;
        }
        face_firsts[thread + 1u] = sum;
    }
    barrier();
    if (thread == 0u) {
        face_firsts[0] = 0u;
        for (int face = 0; face < 6; face++) {
            face_firsts[face + 1] += face_firsts[face];
        }
        kinds = axis_shown[0] | axis_shown[1] | axis_shown[2];
        claim_range(job);
    }
    barrier();
}

void add_materials() {
    uint end = range_start + face_firsts[6];
    for (uint i = range_start + gl_LocalInvocationIndex; i < end; i += THREADS) {
        uint low = quads[i].x;
        uvec3 voxel = uvec3(low, low >> QUAD_Y_SHIFT, low >> QUAD_Z_SHIFT) & 63u;
        quads[i].y |= material_of(voxel_of_cell(cells[OWN], ivec3(voxel))) << (QUAD_MATERIAL_SHIFT - 32);
    }
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    MeshJob job = jobs[first_job + gl_WorkGroupID.x];
    if (thread < 3u) {
        axis_shown[thread] = 0u;
    }
    for (uint i = thread; i < 6u * 32u; i += THREADS) {
        slice_counts[i] = 0u;
    }
    find_chunk(job.coord);
    barrier();
    bool shown = may_have_faces();
    if (shown) {
        load_chunk();
    }
    barrier();
    uint side = thread / 32u, slice = thread % 32u;
    for (uint writing = 0u; writing < 2u; writing++) {
        for (uint axis = 0u; axis < 3u && shown; axis++) {
            // The second time it is known which axes have no faces.
            if (writing == 1u && axis_shown[axis] == 0u) {
                continue;
            }
            load_axis(axis);
            uint face = 2u * axis + side;
            if (thread < WALKERS && axis_shown[axis] != 0u) {
                uint at = writing == 1u ? range_start + face_firsts[face] + slice_counts[face * 32u + slice] : NO_ROOM;
                uint n = walk(face, slice, at);
                if (writing == 0u) {
                    slice_counts[face * 32u + slice] = n;
                }
            }
            barrier();
        }
        if (writing == 0u) {
            sum_up(job);
            if (range_start == NO_ROOM) {
                return;
            }
        }
    }
    own_blocks(job.row);
    memoryBarrierBuffer();
    barrier();
    add_materials();
}
