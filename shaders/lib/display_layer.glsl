// SPDX-License-Identifier: GPL-3.0-or-later
// What one sees through, for viewports, which blend it over colours that are mapped to display brightness already.
#include "lib/overlay_space.glsl"

// Light adds up before it is mapped, and the curve is not straight: what is blended over our own ground is so chosen that
// the same comes out. layer is premultiplied light, behind the light behind it, none where that is somebody else's. The
// result is premultiplied too; one sees less through it where the layer darkens more than its own opacity does.
vec4 display_layer(vec4 layer, vec3 behind) {
    if (layer.a <= 0.0) {
        return vec4(0.0);
    }
    vec3 ground = overlay_from_linear(tone_map(behind));
    vec3 wanted = overlay_from_linear(tone_map(layer.rgb + behind * (1.0 - layer.a)));
    vec3 most = mix(vec3(1.0), wanted / max(ground, 1e-6), greaterThan(ground, wanted)); // that is let through
    float opacity = max(layer.a, 1.0 - min(most.r, min(most.g, most.b)));
    return vec4(max(wanted - ground * (1.0 - opacity), 0.0), opacity);
}
