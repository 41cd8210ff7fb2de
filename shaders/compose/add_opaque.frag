// SPDX-License-Identifier: GPL-3.0-or-later
// A frame's opaque light, as a viewport blends it, and 1 where there is any; blending adds it to the sum.
#include "lib/overlay_space.glsl"

uniform sampler2D light;
uniform bool tone_mapped;

out vec4 shown;

void main() {
    vec4 seen = texelFetch(light, ivec2(gl_FragCoord.xy), 0);
    vec3 color = tone_mapped ? tone_map(seen.rgb) : clamp(seen.rgb, 0.0, 1.0);
    shown = seen.a > 0.0 ? vec4(overlay_from_linear(color), 1.0) : vec4(0.0);
}
