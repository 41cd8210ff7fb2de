// SPDX-License-Identifier: GPL-3.0-or-later
#include "lib/frame.glsl"
#include "lib/sky.glsl"

in vec2 clip_position;

out vec4 light;

void main() {
    // From the near to the far plane, which serves orthographic views too.
    vec4 near = frame.eye_from_clip * vec4(clip_position, -1.0, 1.0);
    vec4 far = frame.eye_from_clip * vec4(clip_position, 1.0, 1.0);
    vec3 direction = normalize(far.xyz / far.w - near.xyz / near.w);
    light = vec4(sky_color(direction, frame.sun_direction.xyz), 1.0);
}
