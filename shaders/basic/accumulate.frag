// SPDX-License-Identifier: GPL-3.0-or-later
// A frame's light with what is seen through over it, mapped to display brightness; blending adds it to the sum.
#include "lib/tone_map.glsl"
#include "lib/view_numbers.glsl"

uniform sampler2D opaque_light;
uniform sampler2D transparent_light; // premultiplied by its opacity
uniform int view;

out vec4 shown;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 front = texelFetch(transparent_light, pixel, 0);
    vec3 color = front.rgb + texelFetch(opaque_light, pixel, 0).rgb * (1.0 - front.a);
    shown = vec4(view == VIEW_LIT ? tone_map(color) : color, 1.0);
}
