// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps light away from the surfaces of this world: red from the sun, 0 or 1, green the share of the sky's light.
#include "lib/seen.glsl"
#include "lib/surface_rays.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(rg8, binding = 7) writeonly uniform image2D occlusion;

uniform bool to_sun;
uniform bool to_sky;
uniform float radius; // voxels

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (!is_in_picture(pixel) || !is_seen(pixel)) {
        return;
    }
    Surface surface = surface_at(pixel);
    SurfacePoint point = surface_point(
        ivec3(frame.eye_voxel.xyz),
        frame.eye_fraction.xyz + position_at(pixel),
        surface.normal,
        surface.face,
        surface.is_smooth
    );
    float from_sun = to_sun && !sees_sun(point, frame.sun_direction.xyz) ? 1.0 : 0.0;
    float from_sky = to_sky ? sky_occlusion(point, radius) : 0.0;
    imageStore(occlusion, pixel, vec4(from_sun, from_sky, 0.0, 0.0));
}
