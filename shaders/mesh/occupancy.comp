// SPDX-License-Identifier: GPL-3.0-or-later
// The occupancy record of the slots listed, two work groups each, one for rows along x and one for those along y: see
// OCCUPANCY_… in gpu_backend/records.py.
#include "lib/pool.glsl"
#include "mesh/transparency.glsl"

layout(local_size_x = 512) in;

layout(std430, binding = JOBS_BINDING) readonly buffer Slots { uint slots[]; };
layout(std430, binding = OCCUPANCY_BINDING) writeonly buffer Occupancy { uint occupancy[]; };

uniform uint first_group;

const uint ROW_WORDS = 16u; // of voxels of one x and y
const uint PLANE_WORDS = 32u * ROW_WORDS;
const uint PART = 1024u;

shared uint opaque_rows[1024]; // along x, of one y and z at y · 32 + z
shared uint flags;

// A bit for each of two materials, at the places that they have in a voxel word, that is 0.
uint zero_materials(uint word) {
    return uint((word & 0xFF00u) == 0u) | uint((word & 0xFF000000u) == 0u) << 1;
}

uint see_through(uint word) {
    return uint(is_transparent(bitfieldExtract(word, 8, 8))) | uint(is_transparent(word >> 24)) << 1;
}

uint smooth_flags(uint word) {
    return (word / FLAG_SMOOTH & 1u) | (word / (FLAG_SMOOTH << 16) & 1u) << 1;
}

// Bits of two voxels as bit i of their rows.
uvec2 at_bit(uint i, uint bits) {
    return uvec2(bits & 1u, bits >> 1 & 1u) << i;
}

// A word of the slot, or any where there is none.
uint word_at(uint slot, uint i) {
    return voxel_word(slot, min(i, uint(VOXEL_WORDS) - 1u));
}

void write_two(uint at, uvec2 rows) {
    occupancy[at] = rows.x;
    occupancy[at + 1u] = rows.y;
}

// Write the rows along x (axis 0) or y (axis 1) of an even z and of the one above it. Returns the opaque ones.
uvec2 write_rows(uint slot, uint axis) {
    uint thread = gl_LocalInvocationIndex;
    uint across = thread / ROW_WORDS, pair = thread % ROW_WORDS;
    uint step = axis == 0u ? PLANE_WORDS : ROW_WORDS;
    uint step_across = axis == 0u ? ROW_WORDS : PLANE_WORDS;
    uint at = across * step_across + pair;
    uint word = voxel_word(slot, at);
    uvec2 opaque = uvec2(0u), blocky = uvec2(0u), smooth_rows = uvec2(0u);
    uvec2 alike_along = uvec2(0u), alike_across = uvec2(0u), alike_z = uvec2(0u);
    for (uint i = 0u; i < 32u; i++, at += step) {
        uint next = word_at(slot, at + step);
        uint above = word >> 16 | word_at(slot, at + 1u) << 16;
        uint solid = ~zero_materials(word);
        opaque |= at_bit(i, solid & ~see_through(word));
        blocky |= at_bit(i, solid & ~smooth_flags(word));
        smooth_rows |= at_bit(i, solid & smooth_flags(word));
        alike_along |= at_bit(i, zero_materials(word ^ next));
        alike_across |= at_bit(i, zero_materials(word ^ word_at(slot, at + step_across)));
        alike_z |= at_bit(i, zero_materials(word ^ above));
        word = next;
    }
    // What lies in no or in another row was compared with something else.
    alike_along &= 0x7FFFFFFFu;
    alike_across = across < 31u ? alike_across : uvec2(0u);
    alike_z.y = pair < ROW_WORDS - 1u ? alike_z.y : 0u;
    uint rows = slot * OCCUPANCY_WORDS + (axis == 0u ? OCCUPANCY_X_ROWS : OCCUPANCY_Y_ROWS) + 2u * thread;
    write_two(rows + OCCUPANCY_OPAQUE, opaque);
    write_two(rows + OCCUPANCY_BLOCKY, blocky);
    write_two(rows + OCCUPANCY_ALIKE + axis * PART, alike_along);
    write_two(rows + OCCUPANCY_ALIKE + (1u - axis) * PART, alike_across);
    write_two(rows + OCCUPANCY_ALIKE + 2u * PART, alike_z);
    if (axis == 0u) {
        write_two(slot * OCCUPANCY_WORDS + OCCUPANCY_SMOOTH + 2u * thread, smooth_rows);
        uint found = uint((blocky & ~opaque) != uvec2(0u)) | uint(smooth_rows != uvec2(0u)) << 1;
        found |= uint(blocky != uvec2(0u)) << 2;
        if (found != 0u) {
            atomicOr(flags, found);
        }
    }
    return opaque;
}

// The opaque voxels of a cell of 4³, as OCCUPANCY_BRICKS has them.
uvec2 brick_at(uvec3 cell) {
    uvec2 found = uvec2(0u);
    for (uint i = 0u; i < 16u; i++) {
        uint row = opaque_rows[(4u * cell.y + i % 4u) * 32u + 4u * cell.z + i / 4u];
        found[i / 8u] |= bitfieldExtract(row, int(4u * cell.x), 4) << i % 8u * 4u;
    }
    return found;
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint group = first_group + gl_WorkGroupID.x;
    uint slot = slots[group / 2u], axis = group % 2u;
    uint base = slot * OCCUPANCY_WORDS;
    if (thread == 0u) {
        flags = 0u;
    }
    barrier();
    uvec2 opaque = write_rows(slot, axis);
    if (axis == 1u) {
        return;
    }
    opaque_rows[2u * thread] = opaque.x;
    opaque_rows[2u * thread + 1u] = opaque.y;
    barrier();
    uvec3 cell = uvec3(thread / 64u, thread / 8u % 8u, thread % 8u);
    write_two(base + OCCUPANCY_BRICKS + 2u * thread, brick_at(cell));
    if (thread == 0u) {
        write_two(base + OCCUPANCY_FLAGS, uvec2(flags, 0u));
    }
}
