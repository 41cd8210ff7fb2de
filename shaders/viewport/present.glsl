// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a packed picture into a viewport that encodes sRGB itself, with its depth. Nothing where nothing is seen. Blender's
// shaders and ours share this; who includes it declares packed_picture, place (0 … 1) and color, which is premultiplied.

vec3 linear_from_srgb(vec3 srgb) {
    return mix(pow((srgb + 0.055) / 1.055, vec3(2.4)), srgb / 12.92, lessThanEqual(srgb, vec3(0.04045)));
}

void main() {
    vec2 texel = texelFetch(packed_picture, ivec2(place * vec2(textureSize(packed_picture, 0))), 0).rg;
    if (texel.g >= 1.0) {
        discard;
    }
    vec4 seen = unpack_color(texel.r);
    color = vec4(linear_from_srgb(seen.rgb), seen.a);
    gl_FragDepth = texel.g;
}
