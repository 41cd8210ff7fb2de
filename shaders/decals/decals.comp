// SPDX-License-Identifier: GPL-3.0-or-later
// Decals on what is seen of this world: they change its colour and normal in the G-buffer.
#include "lib/decals.glsl"
#include "lib/ray.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba8, binding = 1) uniform image2D colors;
layout(rg32ui, binding = 2) uniform uimage2D surfaces;

uniform usampler2D visibility_target;
uniform sampler2D distances;

// Where the ray of another pixel meets the surface's plane.
vec3 on_plane(vec2 pixel, vec3 normal, vec3 position) {
    Ray ray = pixel_ray(pixel);
    return ray.origin + ray.direction * distance_to_plane(ray, normal, position);
}

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy))) || texelFetch(visibility_target, pixel, 0).r == 0u) {
        return;
    }
    Surface surface = unpacked_surface(imageLoad(colors, pixel), imageLoad(surfaces, pixel).rg);
    Ray ray = pixel_ray(vec2(pixel));
    vec3 from_eye = ray.origin + ray.direction * texelFetch(distances, pixel, 0).r;
    DecalPlace place;
    place.position = frame.eye_fraction.xyz + from_eye;
    place.dpdx = on_plane(vec2(pixel) + vec2(1.0, 0.0), surface.normal, from_eye) - from_eye;
    place.dpdy = on_plane(vec2(pixel) + vec2(0.0, 1.0), surface.normal, from_eye) - from_eye;
    place.distance = length(from_eye);
    if (lay_decals(pixel, place, surface)) {
        imageStore(colors, pixel, packed_color(surface));
        imageStore(surfaces, pixel, uvec4(packed_surface(surface), 0u, 0u));
    }
}
