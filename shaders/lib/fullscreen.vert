// SPDX-License-Identifier: GPL-3.0-or-later
// One triangle over the whole picture, at the far depth.

out vec2 clip_position;

void main() {
    clip_position = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(clip_position, 1.0, 1.0);
}
