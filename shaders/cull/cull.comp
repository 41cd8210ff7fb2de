// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the draw commands of all chunks: those out of sight, and faces that look away, get no instance.
//
// Runs twice a frame. First for chunks that were seen in the last frame; then, with the depth that those left, for all
// that are not hidden by it; quads.comp then leaves out what was drawn already. So nothing that can be seen is ever left
// out, however the view moves.
//
// Planes after G. Gribb and K. Hartmann, "Fast extraction of viewing frustum planes from the world-view-projection
// matrix", 2001, with OpenGL's near plane at z = −w.
#include "cull/depth.glsl"
#include "lib/bindings.glsl"
#include "lib/faces.glsl"
#include "lib/frame.glsl"
#include "lib/grid.glsl"
#include "lib/levels.glsl"
#include "lib/pool_layout.glsl"
#include "lib/records.glsl"
#include "lib/smooth_reach.glsl"

layout(local_size_x = 64) in;

layout(std430, binding = CHUNK_DRAWS_BINDING) buffer ChunkDraws { ChunkDraw chunk_draws[]; };
layout(std430, binding = MESH_STATE_BINDING) readonly buffer MeshState { MeshHeader header; MeshRow mesh_rows[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) buffer SmoothDraws { SmoothDraw smooth_draws[]; };
layout(std430, binding = COMMANDS_BINDING) writeonly buffer Commands { IndirectDraw commands[]; };
layout(std430, binding = SEEN_BINDING) buffer Seen { uint seen[]; }; // whether a chunk was in the last frame

uniform uint n_rows;
uniform uint n_smooth_rows;
uniform bool second; // which run of the two

// In what follows corner is that of a chunk, and w the edge of its cells.

bool in_sight(vec4 corner, float margin) {
    mat4 planes = transpose(frame.clip_from_eye);
    vec3 middle = relative_to_eye(corner.xyz, vec3(chunk_edge(corner)) * 0.5);
    float half_size = chunk_edge(corner) * 0.5 + margin;
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

// Whether all of a chunk's box lies behind what was drawn.
bool is_hidden(vec4 corner, float margin) {
    Bounds bounds = no_bounds();
    for (int i = 0; i < 8; i++) {
        vec3 side = vec3(i & 1, i >> 1 & 1, i >> 2);
        vec3 point = relative_to_eye(corner.xyz, side * chunk_edge(corner) + (side * 2.0 - 1.0) * margin);
        vec4 clip = frame.clip_from_eye * vec4(point, 1.0);
        add_point(bounds, clip);
    }
    return lie_behind(bounds);
}

// Whether a chunk is seen, as far as this run knows: in the first one, whether it was in the last frame.
bool is_seen(uint index, vec4 corner, float margin) {
    bool sighted = in_sight(corner, margin);
    if (!second) {
        return sighted && seen[index] != 0u;
    }
    sighted = sighted && !is_hidden(corner, margin);
    seen[index] = uint(sighted);
    return sighted;
}

// Whether any face of a group can be seen: from the eye's side of the chunk's box, or along an orthographic view.
bool faces_eye(vec4 corner, int face) {
    int axis = face >> 1;
    bool positive = (face & 1) == 0;
    if (frame.view_direction.w > 0.0) {
        return positive ? frame.view_direction[axis] < 0.0 : frame.view_direction[axis] > 0.0;
    }
    float low = relative_to_eye(corner.xyz, vec3(0.0))[axis];
    return positive ? low < 0.0 : low + chunk_edge(corner) > 0.0;
}

// Where in the dither a chunk of blocks is drawn: from the share that the one it is a part of has, to its own.
vec2 fade_of(vec4 corner) {
    uint level = uint(findMSB(uint(corner.w)));
    float edge = 2.0 * chunk_edge(corner);
    ivec3 parent = ivec3(floor(corner.xyz / edge));
    bool has_parent = level_cell(level + 1u, parent) != 0u;
    return vec2(
        has_parent ? share_of_level(vec4(vec3(parent) * edge, 2.0 * corner.w)) : NEVER_FADES.x,
        level > 0u ? share_of_level(corner) : NEVER_FADES.y
    );
}

// The same of a smooth surface, which reaches beyond its chunk and closes those beside it: it is drawn where any of these
// is in full detail.
vec2 fade_of_smooth(vec3 corner) {
    ivec3 chunk = ivec3(corner) / CHUNK_SIZE;
    ivec3 parents[2] = ivec3[](chunk - 1 >> 1, chunk + 1 >> 1);
    float end = NEVER_FADES.y, start = end;
    for (int i = 0; i < 8; i++) {
        ivec3 parent = ivec3(parents[i & 1].x, parents[i >> 1 & 1].y, parents[i >> 2].z);
        if (level_cell(1u, parent) != 0u) {
            start = min(start, share_of_level(vec4(vec3(parent * 2 * CHUNK_SIZE), 2.0)));
        }
    }
    return vec2(start == end ? NEVER_FADES.x : start, end);
}

IndirectDraw draw(uint first_quad, uint n_quads, uint row, bool drawn) {
    return IndirectDraw(n_quads * 6u, drawn && n_quads > 0u ? 1u : 0u, 0u, first_quad * 4u, row);
}

void cull_blocky(uint row) {
    ChunkDraw chunk = chunk_draws[row];
    uint flags = mesh_rows[row].flags, n = 0u;
    vec2 fade = has_levels() ? fade_of(chunk.corner) : chunk.corner.w > 1.0 ? NEVER_DRAWN : NEVER_FADES;
    chunk_draws[row].fade = fade;
    bool shown = is_drawn_anywhere(fade) && is_seen(row, chunk.corner, 0.0);
    for (int face = 0; face < 6; face++) {
        bool faces = shown && second && (flags & HAS_TRANSPARENT) != 0u && faces_eye(chunk.corner, face);
        uint first = chunk.quad_offset + chunk.face_offsets[face];
        commands[n_rows + row * 6u + uint(face)] = draw(first, chunk.face_counts[face], row, faces);
        n += chunk.face_counts[face];
    }
    commands[row] = draw(chunk.quad_offset, n, row, shown && (flags & HAS_OPAQUE) != 0u);
}

void cull_smooth(uint row) {
    SmoothDraw chunk = smooth_draws[row];
    bool before = seen[n_rows + row] != 0u;
    vec2 fade = has_levels() ? fade_of_smooth(chunk.corner.xyz) : NEVER_FADES;
    smooth_draws[row].corner.w = fade.x;
    bool shown = is_drawn_anywhere(fade) && is_seen(n_rows + row, vec4(chunk.corner.xyz, 1.0), SMOOTH_REACH);
    bool opaque = shown && !(second && before) && (chunk.flags & HAS_OPAQUE) != 0u;
    bool transparent = shown && second && (chunk.flags & HAS_TRANSPARENT) != 0u;
    uint at = n_rows * 7u + row;
    commands[at] = draw(chunk.quad_offset, chunk.quad_count, row, opaque);
    commands[at + n_smooth_rows] = draw(chunk.quad_offset, chunk.quad_count, row, transparent);
}

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index < n_rows) {
        cull_blocky(index);
    } else if (index - n_rows < n_smooth_rows) {
        cull_smooth(index - n_rows);
    }
}
