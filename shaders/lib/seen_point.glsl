// SPDX-License-Identifier: GPL-3.0-or-later
#include "lib/seen.glsl"
#include "lib/sky_rays.glsl"

// The point on a surface that is seen at a pixel.
SurfacePoint surface_point_at(ivec2 pixel) {
    Surface surface = surface_at(pixel);
    vec3 from_eye_voxel = frame.eye_fraction.xyz + position_at(pixel);
    return surface_point(
        ivec3(frame.eye_voxel.xyz), from_eye_voxel, surface.normal, surface.face, surface.is_smooth
    );
}
