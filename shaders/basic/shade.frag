// SPDX-License-Identifier: GPL-3.0-or-later
// The light of what is seen of this world.
#include "lib/light_at.glsl"

out vec4 light;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    if (!is_seen(pixel)) {
        discard;
    }
    light = light_at(pixel);
}
