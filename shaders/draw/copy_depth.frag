// SPDX-License-Identifier: GPL-3.0-or-later

uniform sampler2D depths;

void main() {
    gl_FragDepth = texelFetch(depths, ivec2(gl_FragCoord.xy), 0).r;
}
