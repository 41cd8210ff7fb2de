# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of a world that show how its picture comes about, for finding faults."""

from enum import IntEnum


class View(IntEnum):
    """What a picture shows; shaders/lib/views.glsl draws them, shaders/light/shade.comp those of light."""

    LIT = 0
    FACES = 1
    BLEND = 2
    CHUNKS = 3
    NORMALS = 4
    QUADS = 5
    MATERIALS = 6
    SHADOWS = 7
    OCCLUSION = 8
    LEVELS = 9


DESCRIPTIONS = {
    View.LIT: "Materials in the light of sun and sky",
    View.FACES: "Faces by their direction",
    View.BLEND: "Where materials run into each other",
    View.CHUNKS: "Borders of chunks",
    View.NORMALS: "Normals as colours",
    View.QUADS: "Every quad in a colour of its own",
    View.MATERIALS: "Colours of materials, without light and texture",
    View.SHADOWS: "What lies in the shade of the sun",
    View.OCCLUSION: "Ambient occlusion alone",
    View.LEVELS: "Levels of detail: how far voxels are put together",
}

Legend = tuple[tuple[tuple[float, float, float], str], ...]
"""Colours, linear, and what they mean."""

LEGENDS: dict[View, Legend] = {
    View.LIT: (),
    View.FACES: (
        ((0.90, 0.10, 0.10), "+X"),
        ((0.35, 0.03, 0.03), "-X"),
        ((0.10, 0.80, 0.10), "+Y"),
        ((0.03, 0.28, 0.03), "-Y"),
        ((0.15, 0.30, 0.95), "+Z"),
        ((0.03, 0.06, 0.35), "-Z"),
    ),
    View.BLEND: (
        ((0.45, 0.0, 0.0), "BLENDS ALONG U"),
        ((0.0, 0.0, 0.6), "BLENDS ALONG V"),
        ((0.0, 0.3, 0.0), "NO BLEND"),
        ((1.0, 0.0, 0.0), "VOXELS AND QUAD DISAGREE"),
    ),
    View.CHUNKS: (((1.0, 0.75, 0.05), "CHUNK BORDER"),),
    View.NORMALS: (
        ((1.0, 0.5, 0.5), "+X"),
        ((0.5, 1.0, 0.5), "+Y"),
        ((0.5, 0.5, 1.0), "+Z"),
    ),
    View.QUADS: (),
    View.MATERIALS: (),
    View.SHADOWS: (
        ((0.9, 0.05, 0.05), "IN SHADOW"),
        ((0.05, 0.7, 0.05), "IN THE SUN"),
        ((0.05, 0.1, 0.8), "FACES AWAY"),
        ((0.02, 0.02, 0.02), "SKY"),
    ),
    View.OCCLUSION: (
        ((1.0, 1.0, 1.0), "OPEN TO THE SKY"),
        ((0.0, 0.0, 0.0), "SHUT IN"),
        ((0.02, 0.02, 0.02), "SKY"),
    ),
    View.LEVELS: (
        ((0.55, 0.55, 0.55), "FULL DETAIL"),
        ((0.10, 0.60, 0.15), "HALF"),
        ((0.85, 0.70, 0.05), "A QUARTER"),
        ((0.85, 0.25, 0.05), "AN EIGHTH"),
        ((0.60, 0.05, 0.35), "A SIXTEENTH"),
    ),
}
