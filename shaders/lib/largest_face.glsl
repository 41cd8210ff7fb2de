// SPDX-License-Identifier: GPL-3.0-or-later

// The face whose normal is nearest to a surface's.
uint largest_face(vec3 normal) {
    vec3 size = abs(normal);
    uint axis = size.x >= size.y && size.x >= size.z ? 0u : size.y >= size.z ? 1u : 2u;
    return axis * 2u + (normal[axis] < 0.0 ? 1u : 0u);
}
