// SPDX-License-Identifier: GPL-3.0-or-later
// The field that smooth surfaces are drawn from, of the chunks that have such: see FIELD_WORDS in gpu_backend/records.py.
#include "lib/bindings.glsl"
#include "lib/pool_layout.glsl"

#ifndef FIELD_ACCESS
#define FIELD_ACCESS readonly
#endif
layout(std430, binding = FIELD_BINDING) FIELD_ACCESS buffer Fields { uint fields[]; };

// The byte of a sample, −1 … 32 on each axis.
uint field_byte(uint field, ivec3 at) {
    uint i = uint((at.x + 1) * FIELD_SAMPLES + at.y + 1) * FIELD_ROW_BYTES + uint(at.z + 1);
    return bitfieldExtract(fields[field * FIELD_WORDS + i / 4u], int(i % 4u) * 8, 8);
}

// Negative inside.
float field_value(uint byte) {
    return float(byte & FIELD_VALUE_MASK) - FIELD_ZERO;
}

// The bytes of two samples, one above the other, in the lower half of a word.
uint field_bytes(uint field, ivec3 at) {
    uint i = uint((at.x + 1) * FIELD_SAMPLES + at.y + 1) * FIELD_ROW_BYTES + uint(at.z + 1);
    uint word = field * FIELD_WORDS + i / 4u, shift = i % 4u * 8u;
    return fields[word] >> shift | (shift == 24u ? fields[word + 1u] << 8 : 0u);
}

vec4 field_values(uvec4 bytes) {
    return vec4(bytes & FIELD_VALUE_MASK) - FIELD_ZERO;
}

// The field at a point of a voxel (local, 0 … 31), from the chunk's lowest corner. In a cell without a smooth surface
// each voxel is a cube of its own value.
float field_at(uint field, ivec3 local, vec3 point) {
    ivec3 cell = clamp(ivec3(floor(point - 0.5)), local - 1, local);
    uint lowest = field_bytes(field, cell);
    if ((lowest & FIELD_SURFACE) == 0u) {
        return field_value(field_byte(field, local));
    }
    vec3 along = clamp(point - 0.5 - vec3(cell), 0.0, 1.0);
    uvec4 bytes = uvec4(
        lowest,
        field_bytes(field, cell + ivec3(0, 1, 0)),
        field_bytes(field, cell + ivec3(1, 0, 0)),
        field_bytes(field, cell + ivec3(1, 1, 0))
    );
    vec4 columns = mix(field_values(bytes), field_values(bytes >> 8), along.z);
    vec2 middle = mix(columns.xy, columns.zw, along.x);
    return mix(middle.x, middle.y, along.y);
}
