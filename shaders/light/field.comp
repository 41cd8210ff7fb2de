// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of chunks (FIELD_WORDS in gpu_backend/records.py), a work group each of the 34 planes of samples of one x.
// The arithmetic is that of voxel/mesh/nets_field.py, in the same whole numbers.
#define FIELD_ACCESS // both
#include "lib/grid.glsl"
#include "lib/field.glsl"
#include "lib/records.glsl"
#include "mesh/transparency.glsl"

layout(local_size_x = 128) in;

layout(std430, binding = OCCUPANCY_BINDING) buffer Occupancy { uint occupancy[]; };
layout(std430, binding = JOBS_BINDING) readonly buffer Jobs { FieldJob jobs[]; };

uniform uint first_group;
uniform float smoothing; // the world's setting, 0 … 1

const int REACH = 4;                     // of the blur: a box of five, twice
const int WIDE = FIELD_SAMPLES + 2 * REACH;
const int CORNERS = FIELD_SAMPLES + 1;
const int FULL = 25 * 25 * 25;
const int FLAT = FULL / 5;
const int LEAST = FULL / 64;
const int THIN = FULL / 2;
const int STRENGTH_STEPS = 256;

shared uint cells[27];              // of the chunk and of those about it
shared uint along_x[WIDE * WIDE];   // what is opaque blurred along x, and above, bits 10:8, of x − 1, x and x + 1
shared uint along_y[FIELD_SAMPLES * WIDE];
shared uint corners[CORNERS * CORNERS]; // bits 1:0 opaque, 3:2 blocks, at x and x + 1

// A row along x of a chunk nearby.
uint row_of(uint part, ivec3 chunk, ivec2 place) {
    uint cell = cells[(chunk.x * 3 + chunk.y) * 3 + chunk.z + 13];
    if (is_uniform(cell)) {
        uint material = material_of(cell & 0xFFFFu);
        bool opaque = material != 0u && !is_transparent(material);
        bool blocky = material != 0u && (cell & FLAG_SMOOTH) == 0u;
        return (part == OCCUPANCY_OPAQUE ? opaque : blocky) ? 0xFFFFFFFFu : 0u;
    }
    ivec2 local = place & (CHUNK_SIZE - 1);
    uint row = uint(local.x * CHUNK_SIZE + local.y);
    return occupancy[(cell - 1u) * OCCUPANCY_WORDS + OCCUPANCY_X_ROWS + part + row];
}

// n < 32 bits from x on of the voxels at (y, z), from the chunk's lowest corner.
uint bits_from(uint part, int x, int n, ivec2 place) {
    ivec3 chunk = ivec3(x, place) >> CHUNK_SHIFT;
    int first = x & (CHUNK_SIZE - 1);
    uint bits = row_of(part, chunk, place) >> first;
    if (first + n > CHUNK_SIZE) {
        bits |= row_of(part, chunk + ivec3(1, 0, 0), place) << (CHUNK_SIZE - first);
    }
    return bits & ((1u << n) - 1u);
}

uint weight(int offset) {
    return uint(REACH + 1 - abs(offset));
}

void blur(int x) {
    for (uint i = gl_LocalInvocationIndex; i < uint(WIDE * WIDE); i += gl_WorkGroupSize.x) {
        ivec2 place = ivec2(i / uint(WIDE), i % uint(WIDE)) - REACH - 1;
        uint bits = bits_from(OCCUPANCY_OPAQUE, x - REACH, 2 * REACH + 1, place);
        uint sum = 0u;
        for (int k = 0; k <= REACH; k++) {
            sum += uint(bitCount(bits >> k & 31u));
        }
        along_x[i] = sum | (bits >> (REACH - 1) & 7u) << 8;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < uint(FIELD_SAMPLES * WIDE); i += gl_WorkGroupSize.x) {
        uint sum = 0u;
        for (int k = -REACH; k <= REACH; k++) {
            sum += weight(k) * (along_x[i + uint((k + REACH) * WIDE)] & 0xFFu);
        }
        along_y[i] = sum;
    }
}

// Bits of x − 1, x and x + 1 at (y, z).
uint middle_bits(ivec2 place) {
    return along_x[(place.x + REACH + 1) * WIDE + place.y + REACH + 1] >> 8;
}

bool is_alone(ivec2 place, ivec2 step, uint center) {
    return (middle_bits(place - step) >> 1 & 1u) != center && (middle_bits(place + step) >> 1 & 1u) != center;
}

bool is_thin(ivec2 place) {
    uint own = middle_bits(place);
    uint center = own >> 1 & 1u;
    bvec3 both = bvec3(
        (own & 1u) != center && own >> 2 != center,
        is_alone(place, ivec2(1, 0), center),
        is_alone(place, ivec2(0, 1), center)
    );
    return any(both);
}

// How deep a sample lies on its side of the surface, in FLAT / STRENGTH_STEPS.
int depth_at(ivec2 place, bool inside) {
    int strength = int(roundEven(smoothing * float(STRENGTH_STEPS)));
    if (strength == 0) {
        return STRENGTH_STEPS * FLAT;
    }
    uint sum = 0u;
    for (int k = -REACH; k <= REACH; k++) {
        sum += weight(k) * along_y[(place.x + 1) * WIDE + place.y + REACH + 1 + k];
    }
    int depth = (2 * int(sum) - FULL) * (inside ? 1 : -1);
    return strength * max(depth, is_thin(place) ? THIN : LEAST) + (STRENGTH_STEPS - strength) * FLAT;
}

// Of the corners of a cell, bits (z · 2 + y) · 2 + x: whether a smooth surface is drawn in it, that is not held to the
// cell's middle by a block's visible face.
bool has_smooth_surface(uint opaque, uint blocky) {
    uint faces = 0u;
    for (int axis = 0; axis < 3; axis++) {
        uint lower = axis == 0 ? 0x55u : axis == 1 ? 0x33u : 0x0Fu;
        uint next_opaque = opaque >> (1 << axis), next_blocky = blocky >> (1 << axis);
        uint block = blocky & opaque & ~next_opaque | next_blocky & next_opaque & ~opaque;
        uint glass = (blocky ^ next_blocky) & ~opaque & ~next_opaque;
        faces |= (block | glass) & lower;
    }
    return faces == 0u && opaque != 0xFFu && (opaque & ~blocky) != 0u;
}

uint sample_byte(ivec2 place) {
    uint opaque = 0u, blocky = 0u;
    for (int k = 0; k < 4; k++) {
        uint bits = corners[(place.x + 1 + (k & 1)) * CORNERS + place.y + 1 + (k >> 1)];
        opaque |= (bits & 3u) << 2 * k;
        blocky |= (bits >> 2) << 2 * k;
    }
    bool inside = (opaque & 1u) != 0u;
    const int step = STRENGTH_STEPS * FLAT / int(FIELD_FLAT);
    int depth = clamp((depth_at(place, inside) + step / 2) / step, 1, int(FIELD_ZERO) - 1);
    uint value = uint(int(FIELD_ZERO) + (inside ? -depth : depth));
    return value | (has_smooth_surface(opaque, blocky) ? FIELD_SURFACE : 0u);
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint group = first_group + gl_WorkGroupID.x;
    FieldJob job = jobs[group / uint(FIELD_SAMPLES)];
    int x = int(group % uint(FIELD_SAMPLES)) - 1;
    if (thread < 27u) {
        cells[thread] = grid_cell(job.coord + ivec3(thread / 9u, thread / 3u % 3u, thread % 3u) - 1);
    }
    barrier();
    if (is_uniform(cells[13])) {
        return; // the chunk left meanwhile
    }
    for (uint i = thread; i < uint(CORNERS * CORNERS); i += gl_WorkGroupSize.x) {
        ivec2 place = ivec2(i / uint(CORNERS), i % uint(CORNERS)) - 1;
        corners[i] = bits_from(OCCUPANCY_OPAQUE, x, 2, place) | bits_from(OCCUPANCY_BLOCKY, x, 2, place) << 2;
    }
    if (smoothing > 0.0) {
        blur(x);
    }
    barrier();
    uint plane = job.field * FIELD_WORDS + uint((x + 1) * FIELD_SAMPLES) * FIELD_ROW_BYTES / 4u;
    for (uint i = thread; i < uint(FIELD_SAMPLES) * FIELD_ROW_BYTES / 4u; i += gl_WorkGroupSize.x) {
        ivec2 place = ivec2(i * 4u / FIELD_ROW_BYTES, i * 4u % FIELD_ROW_BYTES) - 1;
        uint word = 0u;
        for (int k = 0; k < 4; k++) {
            word |= place.y + k < FIELD_SAMPLES - 1 ? sample_byte(place + ivec2(0, k)) << 8 * k : 0u;
        }
        fields[plane + i] = word;
    }
    if (x == 0 && thread == 0u) {
        occupancy[(cells[13] - 1u) * OCCUPANCY_WORDS + OCCUPANCY_FIELD] = job.field + 1u;
    }
}
