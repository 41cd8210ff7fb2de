// SPDX-License-Identifier: GPL-3.0-or-later
// What lies behind the depth that was drawn.
#include "lib/frame.glsl"

uniform sampler2D depth_tiles;  // the farthest depth in tiles of TILE pixels
uniform sampler2D depth_blocks; // and in blocks of TILE tiles

const int TILE = 8;
const int MAX_TILES_ACROSS = 8;
const float DEPTH_STEP = 1e-6; // of rounding, here and in the depth buffer

// Of some points, in normalised device coordinates.
struct Bounds {
    vec2 low;
    vec2 high;
    float nearest;
    bool in_front; // of the eye, all of them
};

Bounds no_bounds() {
    return Bounds(vec2(1.0), vec2(-1.0), 1.0, true);
}

void add_point(inout Bounds bounds, vec4 clip) {
    bounds.in_front = bounds.in_front && clip.w > 1e-4;
    vec3 place = clip.xyz / clip.w;
    bounds.low = min(bounds.low, place.xy);
    bounds.high = max(bounds.high, place.xy);
    bounds.nearest = min(bounds.nearest, place.z);
}

float farthest(sampler2D depths, ivec2 first, ivec2 last) {
    float found = 0.0;
    for (int y = first.y; y <= last.y; y++) {
        for (int x = first.x; x <= last.x; x++) {
            found = max(found, texelFetch(depths, ivec2(x, y), 0).r);
        }
    }
    return found;
}

bool lie_behind(Bounds bounds) {
    ivec2 end = ivec2(frame.picture.xy) - 1;
    ivec2 first = clamp(ivec2((bounds.low * 0.5 + 0.5) * frame.picture.xy) - 1, ivec2(0), end) / TILE;
    ivec2 last = clamp(ivec2((bounds.high * 0.5 + 0.5) * frame.picture.xy) + 1, ivec2(0), end) / TILE;
    bool is_small = all(lessThan(last - first, ivec2(MAX_TILES_ACROSS)));
    float depth = is_small ? farthest(depth_tiles, first, last) : farthest(depth_blocks, first / TILE, last / TILE);
    return bounds.in_front && bounds.nearest * 0.5 + 0.5 > depth + DEPTH_STEP;
}
