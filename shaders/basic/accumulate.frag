// SPDX-License-Identifier: GPL-3.0-or-later
// A frame's light with the layer over it, mapped to display brightness; blending adds it to the sum.
#include "lib/tone_map.glsl"

uniform sampler2D light;
uniform sampler2D layer;
uniform bool has_layer;
uniform bool tone_mapped;

out vec4 shown;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 front = has_layer ? texelFetch(layer, pixel, 0) : vec4(0.0);
    vec3 color = front.rgb + texelFetch(light, pixel, 0).rgb * (1.0 - front.a);
    shown = vec4(tone_mapped ? tone_map(color) : color, 1.0);
}
