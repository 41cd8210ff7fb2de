// SPDX-License-Identifier: GPL-3.0-or-later
// The mirror of gpu_backend/records.py, std430.

struct ChunkDraw {
    vec4 corner;
    uint quad_offset;
    uint slot;
    uint face_offsets[6];
    uint face_counts[6];
    vec2 fade;
};

struct MeshHeader {
    uint top;
    uint capacity;
    uint n_without_room;
    uint n_quads;
    uint padding[4];
};

struct MeshRow {
    uint capacity;
    uint flags;
};

struct NetsHeader {
    uint vertex_top;
    uint vertex_capacity;
    uint quad_top;
    uint quad_capacity;
    uint n_without_room;
    uint n_quads;
    uint padding[2];
};

struct NetsRow {
    uint vertex_offset;
    uint n_vertices;
    uint n_own;
    uint vertex_capacity;
    uint quad_capacity;
    uint wanted_vertices;
    uint wanted_quads;
    uint padding;
};

struct MeshJob {
    ivec3 coord;
    uint row;
};

struct LevelJob {
    uint slot;
    uint children[8];
};

struct IndirectDraw {
    uint count;
    uint instance_count;
    uint first_index;
    uint base_vertex;
    uint base_instance;
};

struct SmoothVertex {
    vec3 position;
    uint attributes;
    vec3 normal;
    uint slot;
};

struct FieldJob {
    ivec3 coord;
    uint field;
};

struct SmoothDraw {
    vec4 corner;
    uint quad_offset;
    uint quad_count;
    uint flags;
    uint padding;
};

struct SmoothQuad {
    uint vertices[4];
    uint material;
};

struct Material {
    vec3 color;
    float opacity;
    float roughness;
    float metallic;
    float emission;
    float texture_contrast;
    uint texture_layer;
    uint tiles_per_period;
    uint bleeds;
    uint resists;
};

struct Decal {
    mat4 world_to_local;
    vec3 tint;
    float color_mix;
    float image_layer;
    float normal_layer;
    float normal_mix;
    uint layers;
    vec4 fades;
};

struct DecalHeader {
    uint count;
    uint grid[2];
    uint tile;
};

const uint TEXTURE_PERIOD = 4096u; // voxels
