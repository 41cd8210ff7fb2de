// SPDX-License-Identifier: GPL-3.0-or-later
// The share of the sky's light that what the picture shows keeps away: the same rays as lib/surface_rays.glsl sends
// through the voxels, followed through the picture's distances.
#include "lib/seen.glsl"
#include "lib/sky_rays.glsl"

const int SKY_STEPS = 4;     // places along a ray
const float THICKNESS = 0.4; // of what is seen, in parts of the radius: about what lies between two steps
const float FLATNESS = 0.05; // voxels above a surface's plane that do not occlude it

// How far a place is along the ray of its pixel. start is how far the picture's rays begin before the eye.
float distance_from_eye(vec3 position, float start) {
    return frame.view_direction.w > 0.0 ? dot(position, frame.view_direction.xyz) - start : length(position);
}

// Whether a place lies within something that is seen above the plane of a surface (normal, plane).
bool is_covered(vec3 position, vec3 normal, float plane, float radius, float start) {
    vec4 clip = frame.clip_from_eye * vec4(position, 1.0);
    ivec2 pixel = ivec2(floor((clip.xy / clip.w * 0.5 + 0.5) * frame.picture.xy));
    if (clip.w <= 0.0 || !is_in_picture(pixel) || !is_seen(pixel)) {
        return false;
    }
    float own = distance_from_eye(position, start);
    float behind = own - texelFetch(distances, pixel, 0).r;
    if (behind <= 0.0 || behind > THICKNESS * radius) {
        return false;
    }
    vec3 direction = frame.view_direction.w > 0.0 ? frame.view_direction.xyz : position / own;
    // What is seen at a pixel's middle may lie higher on the same plane, by a half of its diagonal at most.
    float margin = FLATNESS + 0.71 * frame.eye_fraction.w * clip.w * length(cross(normal, direction));
    return dot(normal, position - direction * behind) - plane > margin;
}

float screen_occlusion(SurfacePoint point, float radius) {
    SkyRays rays = sky_rays(point);
    vec3 origin = relative_to_eye(vec3(point.voxel), rays.origin);
    float plane = dot(point.normal, origin) - RAY_BIAS;
    float start = dot(pixel_ray(vec2(0.0)).origin, frame.view_direction.xyz);
    float sum = 0.0;
    for (int i = 0; i < SKY_RAYS; i++) {
        vec3 direction = sky_direction(rays, i);
        float offset = fract(rays.random.x + float(i) * GOLDEN_RATIO);
        for (int k = 0; k < SKY_STEPS; k++) {
            // So spread that the share of places beyond what is met at t is (1 − t / radius)².
            float way = radius * (1.0 - sqrt(1.0 - (float(k) + offset) / float(SKY_STEPS)));
            if (is_covered(origin + direction * way, point.normal, plane, radius, start)) {
                sum += 1.0 - float(k) / float(SKY_STEPS);
                break;
            }
        }
    }
    return sum / float(SKY_RAYS);
}
