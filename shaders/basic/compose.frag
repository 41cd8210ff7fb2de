// SPDX-License-Identifier: GPL-3.0-or-later
// From the sum of frames to a picture in sRGB.
#include "lib/tone_map.glsl"

uniform sampler2D sum;

out vec4 color;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    color = vec4(display_color(texelFetch(sum, pixel, 0), vec2(pixel)), 1.0);
}
