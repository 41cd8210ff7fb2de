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

const int WINDOW = 2 + 2 * REACH; // samples along each axis that the field at a cell's corners depends on
const int WEIGHTS[WINDOW] = int[WINDOW](1, 2, 3, 4, 5, 4, 3, 2, 1, 0); // of the box twice
const int FULL = 25 * 25 * 25;
const int FLAT = FULL / 5;
const int LEAST = FULL / 64;
const int THIN = FULL / 2;
const int STRENGTH_STEPS = 256;

const int HALF_WINDOW = WINDOW / 2;

// The blur of a window's row at its fifth sample, and at its sixth << 16: what its first five samples add, by their bits,
// then what the others do. No two lanes that read different words of 32 wait for each other.
shared uint row_sums[2 << HALF_WINDOW];
shared int window_end; // WINDOW: a loop of a number that compilers do not know is not unrolled

// All threads call this; there must be a barrier after it.
void prepare_field() {
    uint thread = gl_LocalInvocationIndex;
    if (thread == 0u) {
        window_end = WINDOW;
    }
    if (thread < 2u << HALF_WINDOW) {
        uint sum = 0u;
        for (int i = 0; i < HALF_WINDOW; i++) {
            int at = i + HALF_WINDOW * int(thread >> HALF_WINDOW);
            sum += (thread >> i & 1u) * uint(WEIGHTS[at] | WEIGHTS[WINDOW - 1 - at] << 16);
        }
        row_sums[thread] = sum;
    }
}

// The ground of a window's row from x on, ten samples of the wide row (y, z), and more above them.
uint window_row(int x, int y, int z) {
    int at = y * WIDE + z;
    uint low = samples[at] >> (x >> 1) >> (x + 1 >> 1); // of which nothing is left from 32 on
    uint ends = samples[ROW_ENDS + (at >> 1)] >> (16 * (z & 1)) << 20; // WIDE is even
    return low | ends >> max(x - 12, 0); // below 12 they lie beyond the window
}

uint row_sum(uint row) {
    return row_sums[row & 31u] + row_sums[32u + (row >> HALF_WINDOW & 31u)];
}

// The samples of a window's row that differ from both their neighbours on some axis.
uint thin_samples(uint row, uint before_y, uint after_y, uint before_z, uint after_z) {
    return (row ^ before_y) & (row ^ after_y) | (row ^ before_z) & (row ^ after_z) | (row ^ row << 1) & (row ^ row >> 1);
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
    for (int z = 0; z < window_end; z++) {
        uint low = 0u, high = 0u;
        for (int y = 0; y < WINDOW; y++) {
            uint row = row_sum(window_row(cell.x, cell.y + y, cell.z + z));
            low += row * uint(WEIGHTS[y]);
            high += row * uint(WEIGHTS[WINDOW - 1 - y]);
        }
        uint here = uint(max(5 - abs(z - 4), 0)), next = uint(max(5 - abs(z - 5), 0)); // as WEIGHTS
        sums[0] += low * here;
        sums[1] += low * next;
        sums[2] += high * here;
        sums[3] += high * next;
    }
    uint near[16]; // the rows about the corners, from one before them on
    for (int i = 0; i < 16; i++) {
        near[i] = window_row(cell.x, cell.y + REACH - 1 + i / 4, cell.z + REACH - 1 + i % 4);
    }
    int strength = int(roundEven(smoothing * float(STRENGTH_STEPS)));
    for (int yz = 0; yz < 4; yz++) {
        int i = 5 + yz / 2 * 4 + yz % 2;
        uint thin = thin_samples(near[i], near[i - 4], near[i + 4], near[i - 1], near[i + 1]);
        for (int x = 0; x < 2; x++) {
            int k = x * 2 + yz / 2 * 4 + yz % 2;
            bool inside = (corners >> k & 1u) != 0u;
            int depth = 2 * int(sums[yz] >> (16 * x) & 0xFFFFu) - FULL;
            depth = max(inside ? depth : -depth, (thin >> (REACH + x) & 1u) != 0u ? THIN : LEAST);
            depth = strength * depth + (STRENGTH_STEPS - strength) * FLAT;
            values[k] = inside ? -depth : depth;
        }
    }
}

// corners are those that are ground.
ivec3 place_in_cell(ivec3 cell, uint corners) {
    int values[8];
    corner_values(cell, corners, values);
    uint edges = 0u;
    for (int axis = 0; axis < 3; axis++) {
        edges |= ((corners ^ corners >> CORNER_BITS[axis]) & EDGE_STARTS[axis]) << (8 * axis);
    }
    float n = float(bitCount(edges));
    // In the order in which the CPU adds up.
    precise vec3 sum = vec3(0.0);
    for (; edges != 0u; edges &= edges - 1u) {
        uint edge = uint(findLSB(edges)), k = edge & 7u;
        int axis = int(edge >> 3);
        int low = abs(values[k]), high = abs(values[k | CORNER_BITS[axis]]);
        sum += vec3(corner_offset(k));
        sum[axis] += divided(float(low), float(low + high));
    }
    ivec3 place;
    for (int axis = 0; axis < 3; axis++) {
        precise float steps = divided(sum[axis], n) * float(FRACTION_STEPS) + 0.5;
        place[axis] = int(steps);
    }
    return place;
}

#endif
