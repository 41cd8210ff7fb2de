// SPDX-License-Identifier: GPL-3.0-or-later
// Points on surfaces, and the rays that go from them about the sky.
#include "lib/faces.glsl"

const float RAY_BIAS = 0.15; // voxels along the normal
const int SKY_RAYS = 8;
const float SEED_STEPS = 256.0; // a voxel
const float GOLDEN_RATIO = 0.61803399;
const float TURN = 6.28318531;

// A point on a surface: the voxel behind it, and where it is from that one's lowest corner.
struct SurfacePoint {
    ivec3 voxel;
    vec3 from_corner;
    vec3 normal; // unit
    uint face;
    bool is_smooth;
};

// point is relative to the lowest corner of the voxel base.
SurfacePoint surface_point(ivec3 base, vec3 point, vec3 normal, uint face, bool is_smooth) {
    // A block's face lies between voxels exactly, its point but for rounding.
    point = is_smooth ? point : mix(point, round(point), abs(FACE_NORMALS[face]));
    vec3 behind = floor(point - normal * 0.5);
    return SurfacePoint(base + ivec3(behind), point - behind, normal, face, is_smooth);
}

// The hash of M. Jarzynski and M. Olano, "Hash functions for GPU rendering", 2020.
uvec3 hashed(uvec3 v) {
    v = v * 1664525u + 1013904223u;
    v += v.yzx * v.zxy;
    v ^= v >> 16u;
    return v + v.yzx * v.zxy;
}

// Two vectors beside a unit vector, after J. R. Frisvad, "Building an orthonormal basis from a 3D unit vector without
// normalization", 2012.
void tangents_of(vec3 normal, out vec3 tangent, out vec3 bitangent) {
    if (normal.z < -0.99999) {
        tangent = vec3(0.0, -1.0, 0.0);
        bitangent = vec3(-1.0, 0.0, 0.0);
        return;
    }
    float a = 1.0 / (1.0 + normal.z);
    float b = -normal.x * normal.y * a;
    tangent = vec3(1.0 - normal.x * normal.x * a, b, -normal.x);
    bitangent = vec3(b, 1.0 - normal.y * normal.y * a, -normal.y);
}

// Where its rays begin, from the lowest corner of its voxel.
vec3 ray_origin(SurfacePoint point) {
    return point.from_corner + point.normal * RAY_BIAS;
}

// A point moved to the middle of its step of 1 / SEED_STEPS along the surface, and its random numbers, which depend on
// the step alone: nothing swims when the camera moves, and what lies along the normal, which rounding moves from frame to
// frame, has no part in them.
uvec3 in_steps(inout SurfacePoint point) {
    vec3 along = 1.0 - abs(FACE_NORMALS[point.face]);
    vec3 steps = floor(point.from_corner * SEED_STEPS);
    point.from_corner = mix(point.from_corner, (steps + 0.5) / SEED_STEPS, along);
    return hashed(hashed(uvec3(point.voxel)) + uvec3(ivec3(steps * along)));
}

vec2 as_random(uvec2 seed) {
    return vec2(seed >> 8u) / 16777216.0;
}

// The rays of a point: where they begin, likewise, and what their directions come from.
struct SkyRays {
    vec3 origin;
    vec3 normal;
    vec3 tangent;
    vec3 bitangent;
    vec2 random; // 0 … 1
};

SkyRays sky_rays(SurfacePoint point) {
    SkyRays rays;
    rays.random = as_random(in_steps(point).xy);
    rays.origin = ray_origin(point);
    rays.normal = point.normal;
    tangents_of(point.normal, rays.tangent, rays.bitangent);
    return rays;
}

// The direction of the i-th of SKY_RAYS. Cosine-weighted: as many rays in each ring of the disc below the hemisphere as
// it has area.
vec3 sky_direction(SkyRays rays, int i) {
    float area = (float(i) + rays.random.x) / float(SKY_RAYS);
    float angle = TURN * fract(rays.random.y + float(i) * GOLDEN_RATIO);
    vec3 sideways = rays.tangent * cos(angle) + rays.bitangent * sin(angle);
    return sideways * sqrt(area) + rays.normal * sqrt(1.0 - area);
}
