// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the draw commands of all chunks: those out of sight, and faces that look away, get no instance.
//
// Runs twice a frame. First for chunks that were seen in the last frame; then, with the depth that those left, for all
// that are not hidden by it and were not drawn yet. So nothing that can be seen is ever left out, however the view moves.
//
// Planes after G. Gribb and K. Hartmann, "Fast extraction of viewing frustum planes from the world-view-projection
// matrix", 2001, with OpenGL's near plane at z = −w.
#include "lib/bindings.glsl"
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/pool_layout.glsl"
#include "lib/records.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) readonly buffer MeshState { MeshHeader header; MeshRow mesh_rows[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) readonly buffer SmoothDraws { SmoothDraw smooth_draws[]; };
layout(std430, binding = COMMANDS_BINDING) writeonly buffer Commands { IndirectDraw commands[]; };
layout(std430, binding = SEEN_BINDING) buffer Seen { uint seen[]; }; // whether a chunk was in the last frame

uniform uint n_rows;
uniform uint n_smooth_rows;
uniform bool second; // which run of the two

uniform sampler2D depth_tiles;  // the farthest depth in tiles of TILE pixels
uniform sampler2D depth_blocks; // and in blocks of TILE tiles

const int TILE = 8;
const int MAX_TILES_ACROSS = 8;
const float DEPTH_STEP = 1e-6; // of rounding, here and in the depth buffer

// A vertex of a smooth surface may lie this far outside its chunk.
const float SMOOTH_REACH = 1.0;

bool in_sight(vec3 corner, float margin) {
    mat4 planes = transpose(frame.clip_from_eye);
    vec3 middle = relative_to_eye(corner, vec3(CHUNK_SIZE) * 0.5);
    float half_size = float(CHUNK_SIZE) * 0.5 + margin;
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            vec4 plane = planes[3] + float(side) * planes[axis];
            float reach = half_size * (abs(plane.x) + abs(plane.y) + abs(plane.z));
            if (dot(plane.xyz, middle) + plane.w + reach < 0.0) {
                return false;
            }
        }
    }
    return true;
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

// Whether all of a chunk's box lies behind what was drawn.
bool is_hidden(vec3 corner, float margin) {
    vec2 low = vec2(1.0);
    vec2 high = vec2(-1.0);
    float nearest = 1.0;
    for (int i = 0; i < 8; i++) {
        vec3 side = vec3(i & 1, i >> 1 & 1, i >> 2);
        vec3 point = relative_to_eye(corner, side * float(CHUNK_SIZE) + (side * 2.0 - 1.0) * margin);
        vec4 clip = frame.clip_from_eye * vec4(point, 1.0);
        if (clip.w <= 1e-4) {
            return false;
        }
        vec3 place = clip.xyz / clip.w;
        low = min(low, place.xy);
        high = max(high, place.xy);
        nearest = min(nearest, place.z);
    }
    ivec2 end = ivec2(frame.picture.xy) - 1;
    ivec2 first = clamp(ivec2((low * 0.5 + 0.5) * frame.picture.xy) - 1, ivec2(0), end) / TILE;
    ivec2 last = clamp(ivec2((high * 0.5 + 0.5) * frame.picture.xy) + 1, ivec2(0), end) / TILE;
    bool is_small = all(lessThan(last - first, ivec2(MAX_TILES_ACROSS)));
    float depth = is_small ? farthest(depth_tiles, first, last) : farthest(depth_blocks, first / TILE, last / TILE);
    return nearest * 0.5 + 0.5 > depth + DEPTH_STEP;
}

// Whether a chunk is drawn in this run (x), and whether it is seen at all (y), which the second run finds out.
bvec2 is_drawn(uint index, vec3 corner, float margin) {
    bool before = seen[index] != 0u;
    bool sighted = in_sight(corner, margin);
    if (!second) {
        return bvec2(sighted && before, false);
    }
    sighted = sighted && !is_hidden(corner, margin);
    seen[index] = uint(sighted);
    return bvec2(sighted && !before, sighted);
}

// Whether any face of a group can be seen: from the eye's side of the chunk's box, or along an orthographic view.
bool faces_eye(vec3 corner, int face) {
    int axis = face >> 1;
    bool positive = (face & 1) == 0;
    if (frame.view_direction.w > 0.0) {
        return positive ? frame.view_direction[axis] < 0.0 : frame.view_direction[axis] > 0.0;
    }
    float low = relative_to_eye(corner, vec3(0.0))[axis];
    return positive ? low < 0.0 : low + float(CHUNK_SIZE) > 0.0;
}

IndirectDraw draw(uint first_quad, uint n_quads, uint row, bool drawn) {
    return IndirectDraw(n_quads * 6u, drawn && n_quads > 0u ? 1u : 0u, 0u, first_quad * 4u, row);
}

void cull_blocky(uint row) {
    ChunkDraw chunk = chunk_draws[row];
    uint flags = mesh_rows[row].flags;
    bvec2 shown = is_drawn(row, chunk.corner.xyz, 0.0);
    shown = bvec2(shown.x && (flags & HAS_OPAQUE) != 0u, shown.y && (flags & HAS_TRANSPARENT) != 0u);
    for (int face = 0; face < 6; face++) {
        bool faces = faces_eye(chunk.corner.xyz, face);
        uint first = chunk.quad_offset + chunk.face_offsets[face];
        uint at = row * 6u + uint(face);
        commands[at] = draw(first, chunk.face_counts[face], row, faces && shown.x);
        commands[at + n_rows * 6u] = draw(first, chunk.face_counts[face], row, faces && shown.y);
    }
}

void cull_smooth(uint row) {
    SmoothDraw chunk = smooth_draws[row];
    bvec2 shown = is_drawn(n_rows + row, chunk.corner.xyz, SMOOTH_REACH);
    shown = bvec2(shown.x && (chunk.flags & HAS_OPAQUE) != 0u, shown.y && (chunk.flags & HAS_TRANSPARENT) != 0u);
    uint at = n_rows * 12u + row;
    commands[at] = draw(chunk.quad_offset, chunk.quad_count, row, shown.x);
    commands[at + n_smooth_rows] = draw(chunk.quad_offset, chunk.quad_count, row, shown.y);
}

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index < n_rows) {
        cull_blocky(index);
    } else if (index - n_rows < n_smooth_rows) {
        cull_smooth(index - n_rows);
    }
}
