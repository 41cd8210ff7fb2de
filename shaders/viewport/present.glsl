// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a packed picture into a viewport, with its depth. Nothing where nothing is seen. Blender's shaders and ours share
// this; who includes it declares packed_picture, place (0 … 1) and color, which is premultiplied.

const float OVERLAY_POWER = 2.2; // see lib/overlay_space.glsl

void main() {
    vec2 texel = texelFetch(packed_picture, ivec2(place * vec2(textureSize(packed_picture, 0))), 0).rg;
    if (texel.g >= 1.0) {
        discard;
    }
    vec4 seen = unpack_color(texel.r);
    color = vec4(pow(seen.rgb, vec3(OVERLAY_POWER)), seen.a);
    gl_FragDepth = texel.g;
}
