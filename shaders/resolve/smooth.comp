// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen of smooth surfaces: the pixel's ray meets the plane of its triangle.
#include "lib/largest_face.glsl"
#include "lib/visibility.glsl"
#include "resolve/output.glsl"

layout(std430, binding = SMOOTH_QUADS_BINDING) readonly buffer SmoothQuads { SmoothQuad smooth_quads[]; };
layout(std430, binding = SMOOTH_VERTICES_BINDING) readonly buffer SmoothVertices { SmoothVertex smooth_vertices[]; };
layout(std430, binding = SMOOTH_DRAWS_BINDING) readonly buffer SmoothDraws { SmoothDraw smooth_draws[]; };

// Into the voxel that a surface belongs to, along the axis that its normal points to most.
const float INTO_VOXEL = 0.001;

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy)))) {
        return;
    }
    uint seen = texelFetch(visibility_target, pixel, 0).r;
    if (!sees_smooth(seen)) {
        return;
    }
    SmoothQuad quad = smooth_quads[smooth_quad(seen)];
    uint second = smooth_triangle(seen) + 1u;
    SmoothVertex a = smooth_vertices[quad.vertices[0]];
    SmoothVertex b = smooth_vertices[quad.vertices[second]];
    SmoothVertex c = smooth_vertices[quad.vertices[second + 1u]];
    SmoothDraw chunk = smooth_draws[a.slot];
    vec3 corner = chunk.corner.xyz;
    vec3 origin = relative_to_eye(corner, a.position);
    vec3 ab = b.position - a.position;
    vec3 ac = c.position - a.position;
    vec3 area = cross(ab, ac);

    Ray ray = pixel_ray(vec2(pixel));
    Place place;
    place.geometric = area / max(length(area), 1e-12);
    place.distance = distance_to_plane(ray, place.geometric, origin);
    place.position = ray.origin + ray.direction * place.distance;
    // Barycentric coordinates, kept inside the triangle: a pixel's middle may lie a little beside it.
    vec3 along = place.position - origin;
    float inverse_area = 1.0 / max(dot(area, area), 1e-12);
    float weight_b = clamp(dot(cross(along, ac), area) * inverse_area, 0.0, 1.0);
    float weight_c = clamp(dot(cross(ab, along), area) * inverse_area, 0.0, 1.0 - weight_b);
    place.normal = normalize(a.normal * (1.0 - weight_b - weight_c) + b.normal * weight_b + c.normal * weight_c);

    place.face = largest_face(place.normal);
    vec3 local = a.position + ab * weight_b + ac * weight_c;
    vec3 cell = floor(local - FACE_NORMALS[place.face] * INTO_VOXEL);
    place.voxel = ivec3(corner) + ivec3(cell);
    place.inside = clamp(local - cell, vec3(0.0), vec3(1.0));
    place.material = quad.material;
    place.is_smooth = true;
    place.level = 0u;
    place.quad = smooth_quad(seen) - chunk.quad_offset ^ number_of_chunk(ivec3(corner) / CHUNK_SIZE);
    write_surface(pixel, place);
}
