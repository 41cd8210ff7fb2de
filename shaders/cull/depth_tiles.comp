// SPDX-License-Identifier: GPL-3.0-or-later
// The farthest value of each tile of 8 × 8 of a depth texture. Nothing lies beyond its edges.

layout(local_size_x = 8, local_size_y = 8) in;

layout(r32f, binding = 0) writeonly uniform image2D tiles;

uniform sampler2D depths;

shared float farthest[64];

void main() {
    ivec2 place = ivec2(gl_GlobalInvocationID.xy);
    uint thread = gl_LocalInvocationIndex;
    bool inside = all(lessThan(place, textureSize(depths, 0)));
    farthest[thread] = inside ? texelFetch(depths, place, 0).r : 0.0;
    for (uint n = 32u; n > 0u; n >>= 1) {
        barrier();
        if (thread < n) {
            farthest[thread] = max(farthest[thread], farthest[thread + n]);
        }
    }
    if (thread == 0u) {
        imageStore(tiles, ivec2(gl_WorkGroupID.xy), vec4(farthest[0]));
    }
}
