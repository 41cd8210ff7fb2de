// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps light away from the surfaces of this world: red from the sun, 0 or 1, green the share of the sky's light.
// With a stride above 1 only the latter, at every so many pixels along each axis; red stays as it is.
#include "lib/seen_point.glsl"
#include "lib/surface_rays.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rg8, binding = 7) uniform image2D occlusion;

uniform bool to_sun;
uniform bool to_sky;
uniform float radius; // voxels
uniform float sun_radius; // the tangent of half its size
uniform float shadow_distance; // voxels
uniform int stride; // pixels

void main() {
    ivec2 pixel = stride * ivec2(gl_GlobalInvocationID.xy);
    if (!is_in_picture(pixel) || !is_seen(pixel)) {
        return;
    }
    SurfacePoint point = surface_point_at(pixel);
    vec3 sun = frame.sun_direction.xyz;
    Marched start = marched_from(point);
    float from_sun = stride > 1 ? imageLoad(occlusion, pixel).r : 0.0;
    if (to_sun && dot(point.normal, sun) > 0.0) {
        from_sun = sees_sun(point, start, sun, sun_radius, shadow_distance) ? 0.0 : 1.0;
    }
    float from_sky = to_sky ? sky_occlusion(point, start, radius) : 0.0;
    imageStore(occlusion, pixel, vec4(from_sun, from_sky, 0.0, 0.0));
}
