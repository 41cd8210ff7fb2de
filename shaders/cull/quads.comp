// SPDX-License-Identifier: GPL-3.0-or-later
// Which quads of the chunks that are drawn: a work group a chunk. Lists them in their order and has the chunk's command
// draw those. In the first run they are those that were seen in the last frame; in the second one those that look to the
// eye, are not hidden by what the first one drew, and were not drawn by it.
#include "cull/depth.glsl"
#include "lib/bindings.glsl"
#include "lib/pool_layout.glsl"
#include "lib/quad_corner.glsl"
#include "lib/records.glsl"

#define THREADS 256
layout(local_size_x = THREADS) in;

layout(std430, binding = QUADS_BINDING) readonly buffer Quads { uvec2 quads[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = COMMANDS_BINDING) buffer Commands { IndirectDraw commands[]; };
layout(std430, binding = SEEN_BINDING) buffer Seen { uint seen[]; };
layout(std430, binding = JOBS_BINDING) writeonly buffer DrawnQuads { uint drawn_quads[]; }; // no jobs here

uniform uint first_row;
uniform uint first_seen_block; // in seen, a bit a quad
uniform bool second;

const uint WORDS = uint(THREADS) / 32u;

shared uint seen_now[WORDS];
shared uint drawn_now[WORDS];

bool looks_to_eye(uint face, vec3 corner) {
    float direction = (face & 1u) == 0u ? 1.0 : -1.0;
    vec3 towards = frame.view_direction.w > 0.0 ? frame.view_direction.xyz : corner;
    return towards[face >> 1] * direction < 0.0;
}

bool is_visible(Quad quad, vec4 chunk) {
    if (!looks_to_eye(quad.face, relative_to_eye(chunk.xyz, quad_corner(quad, 0u) * chunk.w))) {
        return false;
    }
    Bounds bounds = no_bounds();
    for (uint corner = 0u; corner < 4u; corner++) {
        add_point(bounds, frame.clip_from_eye * vec4(grown_quad_corner(quad, corner, chunk), 1.0));
    }
    return !lie_behind(bounds);
}

void main() {
    uint row = first_row + gl_WorkGroupID.x, thread = gl_LocalInvocationIndex;
    bool drawn = commands[row].instance_count != 0u;
    uint n = commands[row].count / 6u, first = commands[row].base_vertex / 4u;
    vec4 chunk = chunk_draws[row].corner;
    uint word = thread / 32u, bit = 1u << (thread % 32u), n_drawn = 0u;
    for (uint start = 0u; start < n; start += uint(THREADS)) {
        uint i = start + thread, block = first_seen_block + (first + i) / QUAD_BLOCK;
        bool before = i < n && (seen[block] & bit) != 0u;
        if (thread < WORDS) {
            seen_now[thread] = 0u;
            drawn_now[thread] = 0u;
        }
        barrier();
        bool visible = drawn && i < n && (second ? is_visible(unpack_quad(quads[first + i]), chunk) : before);
        if (visible) {
            atomicOr(seen_now[word], bit);
        }
        if (visible && !(second && before)) {
            atomicOr(drawn_now[word], bit);
        }
        barrier();
        uint place = n_drawn + uint(bitCount(drawn_now[word] & bit - 1u));
        for (uint other = 0u; other < WORDS; other++) {
            uint count = uint(bitCount(drawn_now[other]));
            place += other < word ? count : 0u;
            n_drawn += count;
        }
        if ((drawn_now[word] & bit) != 0u) {
            drawn_quads[first + place] = first + i;
        }
        if (bit == 1u && i < n && (drawn || !second)) {
            seen[block] = seen_now[word];
        }
        barrier();
    }
    if (thread == 0u) {
        commands[row].count = n_drawn * 6u;
        commands[row].instance_count = n_drawn > 0u ? 1u : 0u;
    }
}
