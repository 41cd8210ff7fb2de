// SPDX-License-Identifier: GPL-3.0-or-later
// The ray of a pixel, in eye space. Places on surfaces are told by their distance along it: exact to a few bits
// anywhere, which a depth buffer's values are not.
#include "lib/frame.glsl"

struct Ray {
    vec3 origin;
    vec3 direction; // unit
};

Ray pixel_ray(vec2 pixel) {
    vec2 clip = (pixel + 0.5) / frame.picture.xy * 2.0 - 1.0;
    vec4 near = frame.eye_from_clip * vec4(clip, -1.0, 1.0);
    vec4 far = frame.eye_from_clip * vec4(clip, 1.0, 1.0);
    // A perspective view's rays begin in the eye, which is the origin; so no bits are lost near it.
    vec3 origin = frame.view_direction.w > 0.0 ? near.xyz / near.w : vec3(0.0);
    return Ray(origin, normalize(far.xyz / far.w - origin));
}

// How far along a ray a plane is. A ray along the plane meets it very far away.
float distance_to_plane(Ray ray, vec3 normal, vec3 point) {
    float along = dot(ray.direction, normal);
    along = abs(along) < 1e-6 ? 1e-6 : along;
    return dot(point - ray.origin, normal) / along;
}
