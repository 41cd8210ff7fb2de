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
    return material_of(voxel_of_cell(around[chunk_of_sample(at)], at - BORDER & CHUNK_SIZE - 1));
}

// Whether any edge of a cell joins a block and what its face shows towards; of the bits of corners that are blocks,
// ground, and see-through.
bool has_block_face(ivec3 cell, uint blocky, uint ground, uint glass) {
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
    for (uint k = 0u; k < 8u; k++) {
        uint n = 0u;
        for (uint other = 0u; other < 8u; other++) {
            n += uint(materials[other] == materials[k]) & smooth_bits >> other;
        }
        uint rank = n << 8 | ~materials[k] & 0xFFu;
        bool counts = (smooth_bits >> k & 1u) != 0u && rank != best;
        second = counts && rank > best ? best : counts && rank > second ? rank : second;
        best = counts && rank > best ? rank : best;
    }
    uint material = ~best & 0xFFu, other = second == 0u ? material : ~second & 0xFFu;
    uint a = best >> 8, b = second >> 8;
    uint share = (510u * b + a + b) / (2u * (a + b));
    return material | other << 8 | share << 16;
}
