// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of one cell by bits of its eight corners. Corner k lies at the cell's lowest sample plus
// (k >> 1 & 1, k >> 2, k & 1), as in voxel/mesh/nets_tables.py.
#include "mesh/nets_rows.glsl"

// The bits by which the two ends of an edge along x, y or z differ, and the corners where such edges begin.
const uint CORNER_BITS[3] = uint[3](2u, 4u, 1u);
const uint EDGE_STARTS[3] = uint[3](0x33u, 0x0Fu, 0x55u);

ivec3 corner_offset(uint k) {
    return ivec3(k >> 1 & 1u, k >> 2, k & 1u);
}

// Two neighbouring samples of a row, as bits of the corners that they are.
uint two_corners(uvec2 row, uint x) {
    uint bits = bits_from(row, x);
    return (bits & 1u) | (bits & 2u) << 1;
}

// The bits of a cell's corners, from the four rows about it.
uint corner_bits(uvec2 low, uvec2 next_y, uvec2 next_z, uvec2 next_yz, uint x) {
    return two_corners(low, x) | two_corners(next_z, x) << 1 | two_corners(next_y, x) << 4 | two_corners(next_yz, x) << 5;
}

// Where the edges along an axis begin that leave a smooth voxel; of the bits of corners that are ground and smooth.
uint leaving_edges(uint ground, uint smooth_bits, int axis) {
    uint bit = CORNER_BITS[axis];
    return (smooth_bits & ~(ground >> bit) | smooth_bits >> bit & ~ground) & EDGE_STARTS[axis];
}

// A padded sample's chunk around this one.
int chunk_of_sample(ivec3 at) {
    ivec3 chunk = at + CHUNK_SIZE - BORDER >> CHUNK_SHIFT;
    return chunk.x * 9 + chunk.y * 3 + chunk.z;
}

uint material_of_sample(ivec3 at) {
    uint cell = around[chunk_of_sample(at)];
    ivec3 local = at - BORDER & CHUNK_SIZE - 1;
    uint i = uint((local.x * CHUNK_SIZE + local.y) * CHUNK_SIZE + local.z);
    uint slot = is_uniform(cell) ? 0u : cell - 1u; // any, so that there is no branch to wait at
    uint word = voxel_word(slot, i >> 1) >> (16u * (i & 1u));
    return material_of((is_uniform(cell) ? cell : word) & 0xFFFFu);
}

// Whether any edge of a cell joins a block and what its face shows towards; of the bits of corners that are ground and
// smooth. n_rows is 4; a loop of a number that compilers do not know is not unrolled, which would take many registers.
bool has_block_face(ivec3 cell, uint ground, uint smooth_bits, int n_rows) {
    uint blocky = 0u, opaque = 0u;
    for (int i = 0; i < n_rows; i++) {
        int y = cell.y + (i >> 1), z = cell.z + (i & 1), corner = 4 * (i >> 1) + (i & 1);
        uint x = uint(cell.x);
        blocky |= two_corners(padded_row(OCCUPANCY_BLOCKY, IS_BLOCKY, y, z, BORDER), x) << corner;
        opaque |= two_corners(padded_row(OCCUPANCY_OPAQUE, IS_OPAQUE, y, z, BORDER), x) << corner;
    }
    uint glass = (blocky | smooth_bits) & ~opaque;
    uint open = ~(ground | blocky) | glass;
    for (int axis = 0; axis < 3; axis++) {
        uint bit = CORNER_BITS[axis];
        uint faces = (blocky & open >> bit | blocky >> bit & open) & EDGE_STARTS[axis];
        // Between two that one sees through, only different materials show a face.
        uint doubtful = faces & glass & glass >> bit;
        if ((faces & ~doubtful) != 0u) {
            return true;
        }
        for (; doubtful != 0u; doubtful &= doubtful - 1u) {
            uint k = uint(findLSB(doubtful));
            if (material_of_sample(cell + corner_offset(k)) != material_of_sample(cell + corner_offset(k | bit))) {
                return true;
            }
        }
    }
    return false;
}

// The commonest material of a cell's smooth corners, the second (the lower of two as common; the first again where there
// is no other), and its share of the two, 255 for 1: as SmoothVertex.attributes.
uint vertex_attributes(ivec3 cell, uint smooth_bits) {
    uint materials[8];
    for (uint k = 0u; k < 8u; k++) {
        materials[k] = material_of_sample(cell + corner_offset(k));
    }
    // A rank is how common a material is, and then how low.
    uint best = 0u, second = 0u;
    for (uint left = smooth_bits; left != 0u; ) {
        uint material = materials[findLSB(left)], alike = 0u;
        for (uint k = 0u; k < 8u; k++) {
            alike |= uint(materials[k] == material) << k;
        }
        uint rank = uint(bitCount(alike & smooth_bits)) << 8 | ~material & 0xFFu;
        left &= ~alike;
        second = rank > best ? best : max(second, rank);
        best = max(best, rank);
    }
    uint material = ~best & 0xFFu, other = second == 0u ? material : ~second & 0xFFu;
    uint a = best >> 8, b = second >> 8;
    uint share = (510u * b + a + b) / (2u * (a + b));
    return material | other << 8 | share << 16;
}
