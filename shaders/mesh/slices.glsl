// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of both kinds of meshing: a work group a chunk, and for each slice of each face a thread or a few.
//
// All is done twice: quads are counted first, which gives the chunk its range and each thread its place there, then
// written. Threads are in the order of faces, and so are the quads. Materials are filled in last, when each thread has as
// many quads as the others: to read a voxel takes long, and threads wait for one another. Little is kept in shared
// memory, so that many work groups run at once: some drivers give an SM's work groups 48 KB together.
//
// THREADS, a multiple of 192, is how many a work group has.
#include "mesh/range.glsl"

const uint FACE_THREADS = uint(THREADS) / 6u;
const uint SLICE_THREADS = FACE_THREADS / 32u; // threads that share the rows of a slice
const uint SHARE = 32u / SLICE_THREADS;

shared uint sums[THREADS]; // quads of all threads up to this one

// This thread's part of the work.
uint face;
uint slice;
uint first_v;

// The two functions of a kind of meshing. The first one also finds the kinds of faces; at is where the quads go.
uint count_quads(inout uint found_kinds);
void write_quads(uint at);

void write_quad(uint at, uvec3 voxel, uint width, uint height) {
    uint low = voxel.x | voxel.y << QUAD_Y_SHIFT | voxel.z << QUAD_Z_SHIFT;
    quads[at] = uvec2(low | quad_low(face, width, height), quad_high(face, 0u, cells[OWN]));
}

void fill_materials() {
    uint end = range_start + face_firsts[6];
    for (uint at = range_start + gl_LocalInvocationIndex; at < end; at += uint(THREADS)) {
        uvec2 quad = quads[at];
        uint material = material_in(cells[OWN], unpack_quad(quad).voxel);
        quads[at].y = quad.y | material << (QUAD_MATERIAL_SHIFT - 32);
    }
}

void sum_up(uint n) {
    uint thread = gl_LocalInvocationIndex;
    sums[thread] = n;
    for (uint step = 1u; step < uint(THREADS); step <<= 1) {
        barrier();
        n += thread >= step ? sums[thread - step] : 0u;
        barrier();
        sums[thread] = n;
    }
    barrier();
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    face = thread / FACE_THREADS;
    slice = thread / SLICE_THREADS % 32u;
    first_v = thread % SLICE_THREADS * SHARE;
    MeshJob job = jobs[first_job + gl_WorkGroupID.x];
    if (thread == 0u) {
        kinds = 0u;
    }
    find_chunk(job.coord);
    barrier();
    bool shown = may_have_faces();
    if (shown) {
        look_around();
    }
    barrier();
    uint n = 0u;
    if (shown) {
        uint found_kinds = 0u;
        n = count_quads(found_kinds);
        if (found_kinds != 0u) {
            atomicOr(kinds, found_kinds);
        }
    }
    sum_up(n);
    if (thread < 7u) {
        face_firsts[thread] = thread > 0u ? sums[thread * FACE_THREADS - 1u] : 0u;
    }
    barrier();
    if (thread == 0u) {
        claim_range(job);
    }
    barrier();
    if (range_start == NO_ROOM || face_firsts[6] == 0u) {
        return;
    }
    own_blocks(job.row);
    if (n > 0u) {
        write_quads(range_start + sums[thread] - n);
    }
    groupMemoryBarrier();
    barrier();
    fill_materials();
}
