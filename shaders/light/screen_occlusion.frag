// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the sky's light is kept away from the surfaces of this world, by what the picture shows.
#include "lib/screen_occlusion.glsl"

uniform float radius; // voxels

out vec2 kept_away; // green

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    kept_away = vec2(0.0);
    if (is_seen(pixel)) {
        Surface surface = surface_at(pixel);
        SurfacePoint point = surface_point(
            ivec3(frame.eye_voxel.xyz),
            frame.eye_fraction.xyz + position_at(pixel),
            surface.normal,
            surface.face,
            surface.is_smooth
        );
        kept_away.g = screen_occlusion(point, radius);
    }
}
