// SPDX-License-Identifier: GPL-3.0-or-later
#include "lib/packed_color.glsl"

uniform sampler2D packed_picture;

in vec2 place;
out vec4 color;

#include "viewport/present.glsl"
