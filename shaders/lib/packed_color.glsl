// SPDX-License-Identifier: GPL-3.0-or-later
// A colour in sRGB and an opacity as a float that can be carried anywhere: the colour's 24 bits are its mantissa and its
// sign, the opacity's 7 bits its exponent, which is always that of a normal number. So nothing on the way changes a bit.

const float OPACITY_STEPS = 127.0;
const uint LOWEST_EXPONENT = 64u;

// color is in sRGB, 0 … 1.
float pack_color(vec3 color, float opacity) {
    uvec3 bytes = uvec3(clamp(color, 0.0, 1.0) * 255.0 + 0.5);
    uint rgb = bytes.r | bytes.g << 8 | bytes.b << 16;
    uint exponent = LOWEST_EXPONENT + uint(clamp(opacity, 0.0, 1.0) * OPACITY_STEPS + 0.5);
    return uintBitsToFloat(rgb & 0x7FFFFFu | exponent << 23 | rgb >> 23 << 31);
}

// The colour in sRGB, the opacity in alpha.
vec4 unpack_color(float number) {
    uint bits = floatBitsToUint(number);
    vec3 color = vec3(bits & 0xFFu, bits >> 8 & 0xFFu, bits >> 16 & 0x7Fu | bits >> 31 << 7) / 255.0;
    return vec4(color, float((bits >> 23 & 0xFFu) - LOWEST_EXPONENT) / OPACITY_STEPS);
}
