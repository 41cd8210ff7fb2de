// SPDX-License-Identifier: GPL-3.0-or-later
// Which quads a draw is for.
#include "lib/materials_table.glsl"

const int DRAW_ALL = 0;
const int DRAW_OPAQUE = 1;
const int DRAW_TRANSPARENT = 2;
const int DRAW_CASTERS = 3; // what is opaque, for a shadow map

uniform int drawn;

// Material 0 is air: records that no chunk has any more have it.
bool is_drawn(uint material) {
    return material != 0u && (drawn == DRAW_ALL || (materials[material].opacity < 1.0) == (drawn == DRAW_TRANSPARENT));
}
