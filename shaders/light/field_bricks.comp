// SPDX-License-Identifier: GPL-3.0-or-later
// From the fields of chunks what rays look at, OCCUPANCY_BRICKS and OCCUPANCY_SURFACE. A work group for each cell of 8³.
#include "lib/grid.glsl"
#include "lib/field.glsl"
#include "lib/records.glsl"

layout(local_size_x = 512) in;

layout(std430, binding = OCCUPANCY_BINDING) writeonly buffer Occupancy { uint occupancy[]; };
layout(std430, binding = JOBS_BINDING) readonly buffer Jobs { FieldJob jobs[]; };

uniform uint first_group;

const int EDGE = 8;
const int SAMPLES = EDGE + 2;

shared uint bytes[SAMPLES * SAMPLES * SAMPLES];
shared uint looked_at[16];  // two words a brick of 4³
shared uint passed[16];

uint byte_at(ivec3 at) {
    return bytes[((at.x + 1) * SAMPLES + at.y + 1) * SAMPLES + at.z + 1];
}

// Whether any of a voxel lies in the ground, and any outside of it: x and y.
bvec2 inside_outside(ivec3 voxel) {
    float own = field_value(byte_at(voxel));
    float lowest = own, highest = own;
    for (int octant = 0; octant < 8; octant++) {
        ivec3 side = ivec3(octant & 1, octant >> 1 & 1, octant >> 2);
        if ((byte_at(voxel - 1 + side) & FIELD_SURFACE) == 0u) {
            continue;
        }
        // The field at the octant's corners, from the voxel's middle to the cell's, times eight.
        float values[8];
        for (int k = 0; k < 8; k++) {
            values[k] = field_value(byte_at(voxel + ivec3(k & 1, k >> 1 & 1, k >> 2) * (2 * side - 1)));
        }
        for (int bit = 1; bit < 8; bit <<= 1) {
            for (int k = 0; k < 8; k++) {
                if ((k & bit) == 0) {
                    values[k | bit] += values[k];
                    values[k] *= 2.0;
                }
            }
        }
        for (int k = 0; k < 8; k++) {
            lowest = min(lowest, values[k]);
            highest = max(highest, values[k]);
        }
    }
    return bvec2(lowest < 0.0, highest > 0.0);
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint group = first_group + gl_WorkGroupID.x;
    FieldJob job = jobs[group / 64u];
    uvec3 cell_8 = uvec3(group / 16u % 4u, group / 4u % 4u, group % 4u);
    uint cell = grid_cell(job.coord);
    if (is_uniform(cell)) {
        return; // the chunk left meanwhile
    }
    for (uint i = thread; i < uint(SAMPLES * SAMPLES * SAMPLES); i += gl_WorkGroupSize.x) {
        ivec3 at = ivec3(i / uint(SAMPLES * SAMPLES), i / uint(SAMPLES) % uint(SAMPLES), i % uint(SAMPLES)) - 1;
        bytes[i] = field_byte(job.field, ivec3(cell_8) * EDGE + at);
    }
    if (thread < 16u) {
        looked_at[thread] = passed[thread] = 0u;
    }
    barrier();
    uint brick = thread / 64u, bit = thread % 64u;
    uvec3 half_cell = uvec3(brick >> 2, brick >> 1 & 1u, brick & 1u);
    bvec2 sides = inside_outside(ivec3(half_cell * 4u + uvec3(bit % 4u, bit / 4u % 4u, bit / 16u)));
    uint word = brick * 2u + bit / 32u;
    if (sides.x) {
        atomicOr(looked_at[word], 1u << bit % 32u);
    }
    if (sides.x && sides.y) {
        atomicOr(passed[word], 1u << bit % 32u);
    }
    barrier();
    if (thread < 16u) {
        uvec3 at = cell_8 * 2u + uvec3(thread >> 3, thread >> 2 & 1u, thread >> 1 & 1u);
        uint place = (cell - 1u) * OCCUPANCY_WORDS + ((at.x * 8u + at.y) * 8u + at.z) * 2u + thread % 2u;
        occupancy[place + OCCUPANCY_BRICKS] = looked_at[thread];
        occupancy[place + OCCUPANCY_SURFACE] = passed[thread];
    }
}
