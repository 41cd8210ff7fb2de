// SPDX-License-Identifier: GPL-3.0-or-later
#include "lib/background.glsl"

out vec4 light;

void main() {
    light = vec4(background_at(ivec2(gl_FragCoord.xy)), 1.0);
}
