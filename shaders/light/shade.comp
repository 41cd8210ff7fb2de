// SPDX-License-Identifier: GPL-3.0-or-later
// From the G-buffer to light, premultiplied by the opacity, where the visibility target shows anything of this world.
#include "lib/gbuffer.glsl"
#include "lib/ray.glsl"
#include "lib/shade.glsl"
#include "lib/view_numbers.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba16f, binding = 3) writeonly uniform image2D light; // or the layer's

uniform usampler2D visibility_target;
uniform sampler2D distances;
uniform sampler2D colors;
uniform usampler2D surfaces;
uniform sampler2D occlusion;

uniform int view;
uniform vec2 strength; // of the shadows and of the ambient occlusion

const vec3 STOPPED = vec3(0.9, 0.05, 0.05);
const vec3 FREE = vec3(0.05, 0.7, 0.05);
const vec3 FACING_AWAY = vec3(0.05, 0.1, 0.8);

vec3 shadow_view(vec3 normal, float from_sun) {
    return dot(normal, frame.sun_direction.xyz) <= 0.0 ? FACING_AWAY : mix(FREE, STOPPED, from_sun);
}

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy))) || texelFetch(visibility_target, pixel, 0).r == 0u) {
        return;
    }
    Surface surface = unpacked_surface(texelFetch(colors, pixel, 0), texelFetch(surfaces, pixel, 0).rg);
    vec2 kept_away = texelFetch(occlusion, pixel, 0).rg;
    vec4 seen = vec4(surface.color, 1.0);
    if (view == VIEW_LIT) {
        Ray ray = pixel_ray(vec2(pixel));
        vec3 position = ray.origin + ray.direction * texelFetch(distances, pixel, 0).r;
        seen = shade(surface, ray.direction, position, 1.0 - strength * kept_away);
    } else if (view == VIEW_SHADOWS) {
        seen.rgb = shadow_view(surface.normal, kept_away.r);
    } else if (view == VIEW_OCCLUSION) {
        seen.rgb = vec3(1.0 - kept_away.g);
    }
    imageStore(light, pixel, seen);
}
