// SPDX-License-Identifier: GPL-3.0-or-later
// The fragment side of the blocky and the smooth pass.
#include "lib/shade.glsl"

layout(std430, binding = MATERIALS_BINDING) readonly buffer Materials { Material materials[]; };

in vec3 position_eye;
in vec3 normal;
flat in uint material;

out vec4 light;

void main() {
    light = shade(materials[material], normalize(normal), position_eye);
}
