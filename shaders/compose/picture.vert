// SPDX-License-Identifier: GPL-3.0-or-later
// One triangle over the whole picture.

void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
