// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen of blocks: the pixel's ray meets the plane of its quad exactly.
#include "lib/largest_face.glsl"
#include "lib/level_normal.glsl"
#include "lib/packed_quad.glsl"
#include "lib/visibility.glsl"
#include "resolve/output.glsl"

layout(std430, binding = QUADS_BINDING) readonly buffer Quads { uvec2 quads[]; };
layout(std430, binding = QUAD_OWNERS_BINDING) readonly buffer QuadOwners { uint quad_owners[]; };
layout(std430, binding = CHUNK_DRAWS_BINDING) readonly buffer ChunkDraws { ChunkDraw chunk_draws[]; };

// Where smooth voxels have become a coarse block, light is that of a smooth surface.
void smooth_coarse_surface(inout Place place) {
    ivec3 voxel = place.voxel >> place.level;
    ivec3 chunk = voxel >> CHUNK_SHIFT, local = voxel & CHUNK_SIZE - 1;
    uint cell = level_cell(place.level, chunk);
    if ((voxel_of_cell(cell, local) & LEVEL_SMOOTH) != 0u) {
        place.normal = level_normal(place.level, cell, chunk, local, place.geometric);
        place.face = largest_face(place.normal);
        place.is_smooth = true;
    }
}

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(frame.picture.xy)))) {
        return;
    }
    uint seen = texelFetch(visibility_target, pixel, 0).r;
    if (!sees_blocky(seen)) {
        return;
    }
    uint index = blocky_quad(seen);
    uvec2 words = quads[index];
    Quad quad = unpack_quad(words);
    vec4 chunk = chunk_draws[quad_owners[index / QUAD_BLOCK]].corner;
    vec3 normal = FACE_NORMALS[quad.face];
    vec3 low = vec3(quad.voxel) * chunk.w;
    vec3 to_plane = FACE_ORIGINS[quad.face] * chunk.w;
    vec3 on_plane = relative_to_eye(chunk.xyz, low + to_plane);

    Ray ray = pixel_ray(vec2(pixel));
    Place place;
    place.distance = distance_to_plane(ray, normal, on_plane);
    place.position = ray.origin + ray.direction * place.distance;
    // From the quad's lowest voxel on. A pixel at a quad's edge may lie beyond it by a part of itself.
    vec3 size = (FACE_U[quad.face] * float(quad.size.x) + FACE_V[quad.face] * float(quad.size.y)) * chunk.w;
    vec3 along = clamp(place.position - on_plane, vec3(0.0), size);
    vec3 steps = min(floor(along), max(size - 1.0, 0.0));
    place.voxel = ivec3(chunk.xyz) + ivec3(low + max(to_plane - 1.0, 0.0)) + ivec3(steps);
    place.inside = along - steps + FACE_ORIGINS[quad.face];
    place.normal = place.geometric = normal;
    place.material = quad.material;
    place.face = quad.face;
    place.is_smooth = false;
    place.level = uint(findMSB(uint(chunk.w)));
    if (place.level > 0u) {
        smooth_coarse_surface(place);
    }
    place.quad = words.x ^ quad.face ^ number_of_chunk(ivec3(chunk.xyz) / CHUNK_SIZE);
    write_surface(pixel, place);
}
