// SPDX-License-Identifier: GPL-3.0-or-later

// Filmic curve after Krzysztof Narkowicz's fit of ACES, at a lower exposure than his: mid-tones stay where they are.
vec3 tone_map(vec3 light) {
    vec3 x = light * 0.50;
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

vec3 srgb_from_linear(vec3 linear) {
    return mix(1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
}

// A pixel of the picture from the sum of several frames, whose number is in w. Half a step of ordered noise keeps the
// sky from banding.
vec3 display_color(vec4 sum, vec2 pixel) {
    float noise = fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
    return srgb_from_linear(sum.rgb / sum.a) + (noise - 0.5) / 255.0;
}
