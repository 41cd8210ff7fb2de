// SPDX-License-Identifier: GPL-3.0-or-later
// The G-buffer of a surface.
#include "lib/faces.glsl"
#include "lib/largest_face.glsl"
#include "lib/material.glsl"
#include "lib/ray.glsl"
#include "lib/views.glsl"

in vec3 local;
in vec3 position;
in vec3 normal;
flat in vec3 corner;
flat in uint material;
flat in uint quad;

uniform bool is_smooth;

layout(location = 0) out uint visibility; // whether anything is seen
layout(location = 1) out float distance;
layout(location = 2) out vec4 color;
layout(location = 3) out uvec2 words;

void main() {
    vec3 dpdx = dFdx(local);
    vec3 dpdy = dFdy(local);
    vec3 cell = floor(local);
    TexturePlace place = TexturePlace(ivec3(corner) + ivec3(cell), local - cell, dpdx, dpdy);
    vec3 geometric = is_smooth ? normalize(cross(dpdx, dpdy)) : normal;
    MaterialSurface seen = material_surface(material, place, triplanar_weights(geometric));

    Surface surface;
    surface.color = seen.color;
    surface.opacity = materials[material].opacity;
    surface.normal = normalize(normal);
    surface.roughness = seen.roughness;
    surface.metallic = seen.metallic;
    surface.emission = seen.emission;
    surface.material = material;
    surface.face = largest_face(normal);
    surface.is_smooth = is_smooth;
    if (view != VIEW_LIT) {
        surface.color = view_color(surface, place.voxel, place.inside, quad);
    }
    Ray ray = pixel_ray(gl_FragCoord.xy - 0.5);
    visibility = 1u;
    distance = dot(position - ray.origin, ray.direction);
    color = packed_color(surface);
    words = packed_surface(surface);
}
