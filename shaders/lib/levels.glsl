// SPDX-License-Identifier: GPL-3.0-or-later
// Which level of detail is drawn where. Coarse chunks take the place of finer ones from the distance on at which a voxel of
// theirs covers no more than so many pixels, first in few pixels and over a band of distances in all: each pixel has a
// threshold of its own, and shows the world as levels chosen by that alone would show it. As a chunk is never nearer than
// the one that it is a part of, one level shows at every place, whatever the threshold.
#include "lib/faces.glsl"
#include "lib/frame.glsl"

const float BAND = 0.25; // of the distance at which it begins

// The thresholds, between 0 and 1, for which a chunk is drawn: above x, up to y.
const vec2 NEVER_FADES = vec2(-1e30, 1e30);
const vec2 NEVER_DRAWN = -NEVER_FADES;

bool has_levels() {
    return frame.picture.w > 0.0;
}

// corner: of a chunk, with the edge of its cells in w.
float chunk_edge(vec4 corner) {
    return float(CHUNK_SIZE) * corner.w;
}

// For which share of the thresholds a coarse chunk is coarse enough to be drawn; below 0 and above 1 for none and all.
// Called for a chunk and for its parts it must give the same bits.
float share_of_level(vec4 corner) {
    precise vec3 low = relative_to_eye(corner.xyz, vec3(0.0));
    precise vec3 beyond = max(max(low, -(low + chunk_edge(corner))), vec3(0.0));
    // What clip w is at that distance, straight ahead.
    vec4 w = vec4(frame.clip_from_eye[0].w, frame.clip_from_eye[1].w, frame.clip_from_eye[2].w, frame.clip_from_eye[3].w);
    precise float voxels_a_pixel = (length(w.xyz) * length(beyond) + w.w) * frame.eye_fraction.w;
    precise float share = (voxels_a_pixel * frame.picture.w / corner.w - 1.0) / BAND;
    return share;
}

bool is_drawn_anywhere(vec2 fade) {
    return fade.x < 1.0 && fade.y > 0.0;
}

// The threshold of a pixel: "interleaved gradient noise" of J. Jimenez, "Next generation post processing in Call of Duty:
// Advanced Warfare", 2014, moved on from frame to frame of one picture.
bool is_drawn_at(vec2 fade, vec2 pixel) {
    float noise = fract(52.9829189 * fract(dot(floor(pixel), vec2(0.06711056, 0.00583715))));
    float threshold = clamp(fract(noise + frame.picture.z), 1.0 / 256.0, 255.0 / 256.0);
    return threshold > fade.x && threshold <= fade.y;
}
