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

uniform int view;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy))) || texelFetch(visibility_target, pixel, 0).r == 0u) {
        return;
    }
    Surface surface = unpacked_surface(texelFetch(colors, pixel, 0), texelFetch(surfaces, pixel, 0).rg);
    Ray ray = pixel_ray(vec2(pixel));
    vec3 position = ray.origin + ray.direction * texelFetch(distances, pixel, 0).r;
    vec4 seen = view == VIEW_LIT ? shade(surface, ray.direction, position) : vec4(surface.color, 1.0);
    imageStore(light, pixel, seen);
}
