// SPDX-License-Identifier: GPL-3.0-or-later
// The mirror of gpu_backend/records.py, std430.

struct ChunkDraw {
    vec4 corner;
    uint quad_offset;
    uint slot;
    uint face_offsets[6];
    uint face_counts[6];
    uint padding[2];
};

struct IndirectDraw {
    uint count;
    uint instance_count;
    uint first;
    uint base_instance;
    uint reserved;
};

struct SmoothVertex {
    vec3 position;
    uint attributes;
    vec3 normal;
    uint slot;
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
    float padding;
};
