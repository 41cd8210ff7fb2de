// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing is seen anywhere. Clearing an integer target takes some graphics cards ten times as long.

layout(local_size_x = 8, local_size_y = 8) in;

layout(r32f, binding = 0) writeonly uniform image2D distances;
layout(rgba16f, binding = 3) writeonly uniform image2D light;
layout(r32ui, binding = 6) writeonly uniform uimage2D visibility;

uniform bool first; // of the frame's worlds; nothing was drawn before it

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    imageStore(visibility, pixel, uvec4(0u));
    if (first) {
        imageStore(distances, pixel, vec4(0.0));
        imageStore(light, pixel, vec4(0.0));
    }
}
