// SPDX-License-Identifier: GPL-3.0-or-later
// PackedQuad, as voxel/layout.py packs it.
#include "lib/quad_bits.glsl"

struct Quad {
    uvec3 voxel;
    uvec2 size; // along U and V
    uint face;
    uint material;
    uint slot;
};

// count bits from shift on; a field may straddle the two words.
uint quad_field(uvec2 words, int shift, int count) {
    if (shift >= 32) {
        return bitfieldExtract(words.y, shift - 32, count);
    }
    int low_count = min(count, 32 - shift);
    uint field = bitfieldExtract(words.x, shift, low_count);
    return field | bitfieldExtract(words.y, 0, count - low_count) << low_count;
}

Quad unpack_quad(uvec2 words) {
    Quad quad;
    quad.voxel = uvec3(quad_field(words, 0, 6), quad_field(words, QUAD_Y_SHIFT, 6), quad_field(words, QUAD_Z_SHIFT, 6));
    quad.size = uvec2(quad_field(words, QUAD_WIDTH_SHIFT, 6), quad_field(words, QUAD_HEIGHT_SHIFT, 6));
    quad.face = quad_field(words, QUAD_FACE_SHIFT, 3);
    quad.material = quad_field(words, QUAD_MATERIAL_SHIFT, 8);
    quad.slot = quad_field(words, QUAD_SLOT_SHIFT, 11);
    return quad;
}
