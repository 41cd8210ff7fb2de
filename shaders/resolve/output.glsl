// SPDX-License-Identifier: GPL-3.0-or-later
// From the place on a surface to the G-buffer: the end of both resolve passes.
#include "lib/blend.glsl"
#include "lib/gbuffer.glsl"
#include "lib/ray.glsl"
#include "lib/views.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

layout(r32f, binding = 0) writeonly uniform image2D distances;
layout(rgba8, binding = 1) writeonly uniform image2D colors;
layout(rg32ui, binding = 2) writeonly uniform uimage2D surfaces;

uniform usampler2D visibility_target;

// A surface at a pixel. voxel is in voxel space and holds the place, inside (0 … 1) is where in it.
struct Place {
    float distance;
    ivec3 voxel;
    vec3 inside;
    vec3 normal;   // for light
    vec3 geometric; // of the plane
    vec3 position; // relative to the eye
    uint material;
    uint face;
    bool is_smooth;
    uint level; // of detail, 0 for the world's own voxels
    uint quad; // a number that tells it from its neighbours, wherever it lies in the buffer
};

// A part of such a number, for all quads of a chunk.
uint number_of_chunk(ivec3 chunk) {
    return uint(chunk.x * 73856093 ^ chunk.y * 19349663 ^ chunk.z * 83492791);
}

void write_surface(ivec2 pixel, Place place) {
    Ray right = pixel_ray(vec2(pixel) + vec2(1.0, 0.0));
    Ray above = pixel_ray(vec2(pixel) + vec2(0.0, 1.0));
    vec3 dpdx = right.origin + right.direction * distance_to_plane(right, place.geometric, place.position) - place.position;
    vec3 dpdy = above.origin + above.direction * distance_to_plane(above, place.geometric, place.position) - place.position;

    SurfaceColor seen;
    if (place.level == 0u) {
        seen = surface_color(
            int(place.face), place.voxel, place.inside, place.geometric, place.material, place.is_smooth, dpdx, dpdy
        );
    } else { // whose borders with other materials are too small in the picture to be seen
        TexturePlace on_texture = TexturePlace(place.voxel, place.inside, dpdx, dpdy);
        seen = plain_color(material_surface(place.material, on_texture, triplanar_weights(place.normal)));
    }
    Surface surface;
    surface.color = seen.color;
    surface.opacity = materials[place.material].opacity;
    surface.normal = place.normal;
    surface.roughness = seen.roughness;
    surface.metallic = seen.metallic;
    surface.emission = seen.emission;
    surface.material = place.material;
    surface.face = place.face;
    surface.is_smooth = place.is_smooth;
    if (view == VIEW_BLEND) {
        surface.color = blend_view(
            seen, !place.is_smooth && place.level == 0u && pool_disagrees(place.voxel, place.material)
        );
    } else if (view == VIEW_LEVELS) {
        surface.color = LEVEL_VIEW[place.level];
    } else if (view != VIEW_LIT) {
        surface.color = view_color(surface, place.voxel, place.inside, place.quad);
    }
    imageStore(distances, pixel, vec4(place.distance));
    imageStore(colors, pixel, packed_color(surface));
    imageStore(surfaces, pixel, uvec4(packed_surface(surface), 0u, 0u));
}
