// SPDX-License-Identifier: GPL-3.0-or-later
// The palette's records. Before storage blocks they are a uniform block: std140 lays a Material out alike, and 256 of
// them are 12 KiB of the 16 that OpenGL promises.
#include "lib/bindings.glsl"
#include "lib/records.glsl"

#if __VERSION__ >= 430
layout(std430, binding = MATERIALS_BINDING) readonly buffer Materials { Material materials[]; };
#else
layout(std140) uniform Materials { Material materials[256]; };
#endif
