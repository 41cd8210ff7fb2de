// SPDX-License-Identifier: GPL-3.0-or-later
// As little as can be: which quad is seen. A smooth quad's triangles are told apart by the primitive, of which every
// draw command has two a quad.
#include "lib/visibility.glsl"
#ifdef LEVELS
#include "lib/levels.glsl"

flat in vec2 fade;
#endif

flat in uint seen;

out uint visibility;

void main() {
#ifdef LEVELS
    if (!is_drawn_at(fade, gl_FragCoord.xy)) {
        discard;
    }
#endif
    visibility = sees_smooth(seen) ? seen | uint(gl_PrimitiveID) & 1u : seen;
}
