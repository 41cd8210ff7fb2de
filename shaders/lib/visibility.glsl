// SPDX-License-Identifier: GPL-3.0-or-later
// What the visibility target says of a pixel: 0 for nothing, else which quad is seen there.

const uint SMOOTH_BIT = 0x80000000u;

uint blocky_visibility(uint quad) {
    return quad + 1u;
}

// triangle is 0 or 1: which of the quad's two.
uint smooth_visibility(uint quad, uint triangle) {
    return SMOOTH_BIT | quad << 1 | triangle;
}

bool sees_smooth(uint visibility) {
    return (visibility & SMOOTH_BIT) != 0u;
}

bool sees_blocky(uint visibility) {
    return visibility != 0u && !sees_smooth(visibility);
}

uint blocky_quad(uint visibility) {
    return visibility - 1u;
}

uint smooth_quad(uint visibility) {
    return (visibility & ~SMOOTH_BIT) >> 1;
}

uint smooth_triangle(uint visibility) {
    return visibility & 1u;
}
