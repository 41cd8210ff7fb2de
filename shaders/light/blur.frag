// SPDX-License-Identifier: GPL-3.0-or-later
// Evens the light of the sun and sky among the pixels of one surface.
#include "lib/blur.glsl"

out vec2 blurred;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    blurred = is_seen(pixel) ? blurred_at(pixel) : vec2(0.0);
}
