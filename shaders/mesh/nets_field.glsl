// SPDX-License-Identifier: GPL-3.0-or-later
// Where the vertex of a cell lies, in 2⁻¹² of a voxel from the cell's lowest sample.
//
// In a binary field, the centroid of the middles of its crossed edges. In the smoothed one (SMOOTHED) the numbers are
// those of voxel/mesh/nets_field.py, sample by sample, to the last bit.
#include "mesh/nets_cells.glsl"

const int FRACTION_STEPS = 4096;

#ifndef SMOOTHED

void prepare_field() {
}

// corners are those that are ground.
ivec3 place_in_cell(ivec3 cell, uint corners) {
    int n = 0;
    ivec3 halves = ivec3(0);
    for (int axis = 0; axis < 3; axis++) {
        uint crossed = (corners ^ corners >> CORNER_BITS[axis]) & EDGE_STARTS[axis];
        int n_crossed = bitCount(crossed);
        n += n_crossed;
        halves[axis] += n_crossed;
        for (int other = 0; other < 3; other++) {
            halves[other] += 2 * bitCount(crossed & ~EDGE_STARTS[other]);
        }
    }
    // Rounded; there are no ties, as n has no factor of 4096.
    return (halves * FRACTION_STEPS + n) / (2 * n);
}

#else

uniform float smoothing; // the world's setting, 0 … 1

const int REACH = 4; // the blur is a box of five samples, twice, along each axis
const int WIDE = SAMPLES + 2 * REACH;
const int WINDOW = 2 + 2 * REACH; // samples along each axis that the field at a cell's corners depends on
const int WEIGHTS[WINDOW] = int[WINDOW](1, 2, 3, 4, 5, 4, 3, 2, 1, 0); // of the box twice
const int FULL = 25 * 25 * 25;
const int FLAT = FULL / 5;
const int LEAST = FULL / 64;
const int THIN = FULL / 2;
const int STRENGTH_STEPS = 256;

shared uint wide_rows[WIDE * WIDE];     // ground: the first 32 of 44 samples
shared uint wide_ends[WIDE * WIDE / 2]; // the other 12, of two rows
shared uint row_sums[1 << WINDOW];      // the blur of a window's row at its fifth sample, and at its sixth << 16

// All threads call this; there must be a barrier after it.
void prepare_field() {
    for (int pair = int(gl_LocalInvocationIndex); pair < WIDE * WIDE / 2; pair += int(gl_WorkGroupSize.x)) {
        uint ends = 0u;
        for (int i = 0; i < 2; i++) {
            int y = (2 * pair + i) / WIDE - REACH, z = (2 * pair + i) % WIDE - REACH;
            uvec2 row = padded_row(OCCUPANCY_OPAQUE, IS_OPAQUE, y, z, BORDER + REACH);
            row |= padded_row(OCCUPANCY_SMOOTH, IS_SMOOTH, y, z, BORDER + REACH);
            wide_rows[2 * pair + i] = row.x;
            ends |= row.y << (16 * i);
        }
        wide_ends[pair] = ends;
    }
    for (int bits = int(gl_LocalInvocationIndex); bits < 1 << WINDOW; bits += int(gl_WorkGroupSize.x)) {
        int low = 0, high = 0;
        for (int i = 0; i < WINDOW; i++) {
            low += WEIGHTS[i] * (bits >> i & 1);
            high += WEIGHTS[WINDOW - 1 - i] * (bits >> i & 1);
        }
        row_sums[bits] = uint(low | high << 16);
    }
}

// The ground of a window's row: ten samples from x on of the wide row (y, z).
uint window_row(int x, int y, int z) {
    int at = y * WIDE + z;
    uvec2 row = uvec2(wide_rows[at], wide_ends[at >> 1] >> (16 * (at & 1)) & 0xFFFFu);
    return bits_from(row, uint(x)) & (1u << WINDOW) - 1u;
}

// The samples of a row that differ from both their neighbours on some axis.
uint thin_samples(int x, int y, int z) {
    uint row = window_row(x, y, z);
    uint thin = (row ^ window_row(x, y - 1, z)) & (row ^ window_row(x, y + 1, z));
    thin |= (row ^ window_row(x, y, z - 1)) & (row ^ window_row(x, y, z + 1));
    return thin | (row ^ row << 1) & (row ^ row >> 1);
}

// A number, positive but for rounding, divided by a positive one, rounded as IEEE 754 says, which OpenGL does not ask of a
// division.
float divided(float a, float b) {
    if (a == 0.0) {
        return 0.0;
    }
    uint a_bits = floatBitsToUint(a), b_bits = floatBitsToUint(b);
    uint m = a_bits & 0x7FFFFFu | 0x800000u, n = b_bits & 0x7FFFFFu | 0x800000u;
    int exponent = int(a_bits >> 23) - int(b_bits >> 23) - 23;
    uint shift = 23u;
    if (m < n) {
        shift = 24u;
        exponent--;
    }
    // A quotient of 24 bits, and what remains: both only a little wrong, so the remainder's low bits say by how much.
    uint quotient = uint(float(m) / float(n) * float(1u << shift));
    int rest = int((m << shift) - quotient * n);
    while (rest < 0) {
        rest += int(n);
        quotient--;
    }
    while (rest >= int(n)) {
        rest -= int(n);
        quotient++;
    }
    int twice = 2 * rest;
    quotient += uint(twice > int(n) || (twice == int(n) && (quotient & 1u) == 1u));
    return ldexp(float(quotient), exponent);
}

// The field at the corners of a cell, negative inside.
void corner_values(ivec3 cell, uint corners, out int values[8]) {
    uint sums[4] = uint[4](0u, 0u, 0u, 0u); // of both x, for (y, z) at 2 · y + z
    for (int z = 0; z < WINDOW; z++) {
        uint low = 0u, high = 0u;
        for (int y = 0; y < WINDOW; y++) {
            uint row = row_sums[window_row(cell.x, cell.y + y, cell.z + z)];
            low += row * uint(WEIGHTS[y]);
            high += row * uint(WEIGHTS[WINDOW - 1 - y]);
        }
        sums[0] += low * uint(WEIGHTS[z]);
        sums[1] += low * uint(WEIGHTS[WINDOW - 1 - z]);
        sums[2] += high * uint(WEIGHTS[z]);
        sums[3] += high * uint(WEIGHTS[WINDOW - 1 - z]);
    }
    for (int k = 0; k < 8; k++) {
        ivec3 at = corner_offset(uint(k));
        uint thin = thin_samples(cell.x, cell.y + REACH + at.y, cell.z + REACH + at.z) >> (REACH + at.x) & 1u;
        bool inside = (corners >> k & 1u) != 0u;
        int depth = 2 * int(sums[2 * at.y + at.z] >> (16 * at.x) & 0xFFFFu) - FULL;
        depth = max(inside ? depth : -depth, thin != 0u ? THIN : LEAST);
        int strength = int(roundEven(smoothing * float(STRENGTH_STEPS)));
        depth = strength * depth + (STRENGTH_STEPS - strength) * FLAT;
        values[k] = inside ? -depth : depth;
    }
}

// corners are those that are ground.
ivec3 place_in_cell(ivec3 cell, uint corners) {
    int values[8];
    corner_values(cell, corners, values);
    // In the order in which the CPU adds up.
    precise vec3 sum = vec3(0.0);
    float n = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        for (uint k = 0u; k < 8u; k++) {
            uint end = k | CORNER_BITS[axis];
            int low = values[k], high = values[end];
            if (end == k || (low < 0) == (high < 0)) {
                continue;
            }
            sum += vec3(corner_offset(k));
            sum[axis] += divided(float(abs(low)), float(abs(low) + abs(high)));
            n += 1.0;
        }
    }
    ivec3 place;
    for (int axis = 0; axis < 3; axis++) {
        precise float steps = divided(sum[axis], n) * float(FRACTION_STEPS) + 0.5;
        place[axis] = int(steps);
    }
    return place;
}

#endif
