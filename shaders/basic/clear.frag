// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing is seen anywhere. Integer targets have no other way to be cleared through moderngl.

out uint visibility;

void main() {
    visibility = 0u;
}
