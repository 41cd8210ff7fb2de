// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of both kinds of meshing: a work group a chunk, and as many threads for each face.
//
// All is done twice: quads are counted first, which gives the chunk its range and each thread its place there, then
// written. Threads are in the order of faces, and so are the quads. Materials are filled in last, when each thread has as
// many quads as the others: to read a voxel takes long, and threads wait for one another. Little is kept in shared
// memory, so that many work groups run at once: some drivers give an SM's work groups 48 KB together.
//
// THREADS, a multiple of 192, is how many a work group has.
#include "mesh/range.glsl"

const uint FACE_THREADS = uint(THREADS) / 6u;

shared uint sums[2 * THREADS];

uint face; // of this thread

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

// How many quads the threads before this one have of its face. Sets face_firsts. All threads call this.
uint sum_up(uint n) {
    uint thread = gl_LocalInvocationIndex, place = thread % FACE_THREADS, sum = n, half_of_sums = 0u;
    for (uint step = 1u; step < FACE_THREADS; step <<= 1) {
        sums[half_of_sums + thread] = sum;
        barrier();
        sum += place >= step ? sums[half_of_sums + thread - step] : 0u;
        half_of_sums = uint(THREADS) - half_of_sums; // what others still read stays
    }
    if (place == FACE_THREADS - 1u) {
        face_firsts[face + 1u] = sum;
    }
    barrier();
    if (thread == 0u) {
        face_firsts[0] = 0u;
        for (uint i = 1u; i < 7u; i++) {
            face_firsts[i] += face_firsts[i - 1u];
        }
    }
    return sum - n;
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    face = thread / FACE_THREADS;
    MeshJob job = jobs[first_job + gl_WorkGroupID.x];
    level = job.row >> MESH_LEVEL_SHIFT;
    job.row = bitfieldExtract(job.row, 0, MESH_LEVEL_SHIFT);
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
    uint before = sum_up(n);
    if (thread == 0u) {
        claim_range(job);
    }
    barrier();
    if (range_start == NO_ROOM || face_firsts[6] == 0u) {
        return;
    }
    own_blocks(job.row);
    if (n > 0u) {
        write_quads(range_start + face_firsts[face] + before);
    }
    groupMemoryBarrier();
    barrier();
    fill_materials();
}
