// SPDX-License-Identifier: GPL-3.0-or-later
// Rays from a point on a surface: to the sun, and about the sky.
#include "lib/march.glsl"
#include "lib/sky_rays.glsl"

bool sees_sun(SurfacePoint point, vec3 sun) {
    vec3 origin = point.from_corner + point.normal * RAY_BIAS;
    return dot(point.normal, sun) > 0.0 && march(point.voxel, origin, sun, NOTHING_MET, point.is_smooth) == NOTHING_MET;
}

// The share of the sky's light that what lies within radius keeps away.
float sky_occlusion(SurfacePoint point, float radius) {
    SkyRays rays = sky_rays(point);
    float sum = 0.0;
    for (int i = 0; i < SKY_RAYS; i++) {
        float way = march(point.voxel, rays.origin, sky_direction(rays, i), radius, point.is_smooth);
        float nearness = max(1.0 - way / radius, 0.0);
        sum += nearness * nearness;
    }
    return sum / float(SKY_RAYS);
}
