// SPDX-License-Identifier: GPL-3.0-or-later
// Rays from a point on a surface: to the sun, and about the sky.
#include "lib/march.glsl"
#include "lib/sky_rays.glsl"

// The chunk that its rays begin in.
Marched marched_from(SurfacePoint point) {
    return marched_chunk((point.voxel + ivec3(floor(ray_origin(point)))) >> CHUNK_SHIFT);
}

// A place from the lowest corner of a point's voxel, from that of a chunk.
vec3 in_chunk(SurfacePoint point, ivec3 chunk, vec3 place) {
    return vec3(point.voxel - chunk * CHUNK_SIZE) + place;
}

// A ray to somewhere on the sun's disc. sun_radius is the tangent of half its size; nothing farther than reach counts.
bool sees_sun(SurfacePoint point, Marched start, vec3 sun, float sun_radius, float reach) {
    if (sun_radius > 0.0) {
        vec2 random = as_random(hashed(in_steps(point)).xy);
        vec3 tangent, bitangent;
        tangents_of(sun, tangent, bitangent);
        float angle = TURN * random.y;
        sun = normalize(sun + sun_radius * sqrt(random.x) * (tangent * cos(angle) + bitangent * sin(angle)));
    }
    vec3 origin = in_chunk(point, start.coord, ray_origin(point));
    reach = min(reach, way_to_end(start.coord, origin, sun));
    return march(start, origin, sun, reach, point.is_smooth) == NOTHING_MET;
}

// The share of the sky's light that what lies within radius keeps away.
float sky_occlusion(SurfacePoint point, Marched start, float radius) {
    SkyRays rays = sky_rays(point);
    vec3 origin = in_chunk(point, start.coord, rays.origin);
    float sum = 0.0;
    // In the order of their angles (i = 5 j mod 8 sorts the fractions of the golden ratio's multiples), from the same one
    // on: so neighbouring pixels' rays go side by side.
    int first = int(rays.random.y * float(SKY_RAYS));
    for (int k = 0; k < SKY_RAYS; k++) {
        int i = 5 * (k - first) & SKY_RAYS - 1;
        float way = march(start, origin, sky_direction(rays, i), radius, point.is_smooth);
        float nearness = max(1.0 - way / radius, 0.0);
        sum += nearness * nearness;
    }
    return sum / float(SKY_RAYS);
}
