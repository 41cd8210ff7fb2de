// SPDX-License-Identifier: GPL-3.0-or-later
// Which materials one sees through: a bit each, from the palette.

uniform uint transparent_materials[8];

bool is_transparent(uint material) {
    return (transparent_materials[material >> 5] >> (material & 31u) & 1u) != 0u;
}
