// SPDX-License-Identifier: GPL-3.0-or-later
// A frame's layer as it is to be blended over what a viewport shows; blending adds it to the sum.
#include "lib/display_layer.glsl"

uniform sampler2D light;
uniform sampler2D layer;

out vec4 shown;

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    shown = display_layer(texelFetch(layer, pixel, 0), texelFetch(light, pixel, 0).rgb);
}
