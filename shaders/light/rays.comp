// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps light away from the surfaces of this world: red from the sun, 0 or 1, green the share of the sky's light.
// With a stride above 1 only the latter, at every so many pixels along each axis; red stays as it is.
#include "lib/gbuffer.glsl"
#include "lib/ray.glsl"
#include "lib/surface_rays.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rg8, binding = 7) uniform image2D occlusion;

uniform usampler2D visibility_target;
uniform sampler2D distances;
uniform usampler2D surfaces;

uniform bool to_sun;
uniform bool to_sky;
uniform float radius; // voxels
uniform float sun_radius; // the tangent of half its size
uniform float shadow_distance; // voxels
uniform int stride; // pixels

void main() {
    ivec2 pixel = stride * ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy))) || texelFetch(visibility_target, pixel, 0).r == 0u) {
        return;
    }
    Surface surface = unpacked_surface(vec4(0.0), texelFetch(surfaces, pixel, 0).rg);
    Ray ray = pixel_ray(vec2(pixel));
    vec3 from_eye_voxel = frame.eye_fraction.xyz + (ray.origin + ray.direction * texelFetch(distances, pixel, 0).r);
    SurfacePoint point = surface_point(
        ivec3(frame.eye_voxel.xyz), from_eye_voxel, surface.normal, surface.face, surface.is_smooth
    );
    vec3 sun = frame.sun_direction.xyz;
    Marched start = marched_from(point);
    float from_sun = stride > 1 ? imageLoad(occlusion, pixel).r : 0.0;
    if (to_sun && dot(point.normal, sun) > 0.0) {
        from_sun = sees_sun(point, start, sun, sun_radius, shadow_distance) ? 0.0 : 1.0;
    }
    float from_sky = to_sky ? sky_occlusion(point, start, radius) : 0.0;
    imageStore(occlusion, pixel, vec4(from_sun, from_sky, 0.0, 0.0));
}
