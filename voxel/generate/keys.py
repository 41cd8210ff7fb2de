# SPDX-License-Identifier: GPL-3.0-or-later
"""What a world preset may say: every section's keys with their ranges, defaults and meaning, in one table.

Panels and docs/generation.md show it, and preset.py reads by it. Lengths, altitudes and depths are in voxels.
"""

from dataclasses import dataclass
from typing import Any

from ..limits import MAX_STAMP_EDGE, MAX_WORLD_EDGE

REQUIRED = object()
"""The default of a key that must be given."""

NUMBER, WHOLE, TEXT, MATERIAL, NODE, NODES, CHOICE, CURVE, TEXTS = (
    "number", "whole number", "text", "material", "node", "nodes", "choice", "curve", "texts",
)  # fmt: skip
"""The types of values."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a section: its type, its default (REQUIRED for none) and, for numbers, the least and the greatest."""

    name: str
    type: str
    default: Any
    text: str
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()


_FAR = 100_000
INFINITE = float("inf")

_SHAPED = (
    Key("curve", CURVE, (), "a smooth curve through points [value, result], applied to the value"),
    Key("scale", NUMBER, 1.0, "what the value is multiplied by, after the curve", -_FAR, _FAR),
    Key("offset", NUMBER, 0.0, "what is added at last", -_FAR, _FAR),
)
FINEST_WAVELENGTH = 2
"""Voxels cannot show what is finer."""

_WAVELENGTH = Key("wavelength", NUMBER, REQUIRED, "the size of the coarsest features", FINEST_WAVELENGTH, _FAR)
_STRETCH = (
    Key("stretch_x", NUMBER, 1.0, "how much longer features are along x", 0.05, 100),
    Key("stretch_y", NUMBER, 1.0, "how much longer features are along y", 0.05, 100),
    Key("stretch_z", NUMBER, 1.0, "how much longer features are along z, in space", 0.05, 100),
)
_OCTAVES = (
    Key("octaves", WHOLE, 5, "how many noises are summed, each finer than the one before", 1, 12),
    Key("lacunarity", NUMBER, 2.0, "how many times finer each is", 1, 4),
    Key("gain", NUMBER, 0.5, "how strong each is beside the one before", 0, 1),
)
_SPACE = Key("space", CHOICE, "flat", "flat: the same at every height; solid: different in all three directions",
             choices=("flat", "solid"))  # fmt: skip
_WARP = (
    Key("warp", NUMBER, 0.0, "how far positions are moved by another noise; flat noise only", 0, 1000),
    Key("warp_wavelength", NUMBER, 100.0, "the size of that other noise's features", 2, _FAR),
)
_NOISE = (_WAVELENGTH, *_OCTAVES, *_STRETCH, _SPACE, *_WARP, *_SHAPED)
_OF = Key("of", NODES, REQUIRED, "the nodes that it takes")

NODE_KINDS: dict[str, tuple[str, tuple[Key, ...]]] = {
    "perlin": ("gradient noise, about −1 to 1", _NOISE),
    "ridged": ("gradient noise with sharp crests, 0 to 1", _NOISE),
    "billow": ("gradient noise with sharp valleys, 0 to 1", _NOISE),
    "simplex": ("simplex noise, with fewer straight lines than gradient noise, about −1 to 1", _NOISE),
    "cellular": (
        "distances to scattered points, 0 to about 1",
        (
            _WAVELENGTH,
            Key("measure", CHOICE, "f1", "f1: to the nearest point; f2: to the second; border: their difference",
                choices=("f1", "f2", "border")),
            *_STRETCH, _SPACE, *_WARP, *_SHAPED,
        ),
    ),
    "constant": ("one number everywhere", (Key("value", NUMBER, REQUIRED, "that number", -_FAR, _FAR),)),
    "altitude": ("the altitude of the voxel's middle, in space", _SHAPED),
    "depth": ("how far the voxel's middle lies below the ground's height, in space", _SHAPED),
    "add": ("the sum of nodes", (_OF, *_SHAPED)),
    "multiply": ("the product of nodes", (_OF, *_SHAPED)),
    "minimum": ("the least of nodes", (_OF, *_SHAPED)),
    "maximum": ("the greatest of nodes", (_OF, *_SHAPED)),
    "mix": (
        "from the first of two nodes to the second",
        (_OF, Key("by", NODE, REQUIRED, "the node that says how far, 0 to 1"), *_SHAPED),
    ),
    "terrace": (
        "a node in steps",
        (
            _OF,
            Key("step", NUMBER, REQUIRED, "the height of a step", 0.01, _FAR),
            Key("ramp", NUMBER, 0.3, "which part of a step is its slope; 0 is a wall", 0, 1),
            *_SHAPED,
        ),
    ),
}  # fmt: skip
"""The kinds of nodes: what each gives, and its keys besides "type"."""

_CONDITIONS = (
    Key("node", NODE, "", "a flat node whose value decides, by the next two"),
    Key("at_least", NUMBER, -INFINITE, "where that node is this or more", -_FAR, _FAR),
    Key("at_most", NUMBER, INFINITE, "where that node is this or less", -_FAR, _FAR),
)

SECTIONS: dict[str, tuple[Key, ...]] = {
    "": (
        Key("name", TEXT, REQUIRED, "the preset's name as people read it"),
        Key("description", TEXT, REQUIRED, "one line about it"),
        Key("palette", TEXT, REQUIRED, "the palette that its materials are from"),
        Key("heights", NODE, REQUIRED, "the flat node that is the ground's height"),
        Key("density", NODE, "", "the node that is above 0 where there is ground, instead of all below the height"),
        Key("rock", MATERIAL, "", "what lies deep; or give layers"),
        Key("tilt", NODE, "", "the flat node that moves the layers upwards"),
        Key("cave_floor", MATERIAL, "", "what the ground's surface and soil are deep below the height, with density"),
        Key("waver", NODE, "", "the flat node that is added to altitudes where strata and features look at them"),
    ),
    "layers": (
        Key("material", MATERIAL, REQUIRED, "what the layer is of"),
        Key("thickness", WHOLE, REQUIRED, "its thickness; layers lie on each other from the bottom up, over and over",
            1, 256),
    ),
    "water": (
        Key("level", WHOLE, REQUIRED, "the altitude of its surface", 1, MAX_WORLD_EDGE),
        Key("material", MATERIAL, REQUIRED, "what it is of"),
    ),
    "strata": (
        Key("below", NUMBER, INFINITE, "where the ground is lower than this", 0, MAX_WORLD_EDGE),
        *_CONDITIONS,
        Key("surface", MATERIAL, REQUIRED, 'the topmost voxel; "rock" is what lies deep'),
        Key("soil", MATERIAL, REQUIRED, "what lies under it"),
        Key("depth", WHOLE, 3, "how deep the soil reaches", 0, 15),
        Key("steep", NUMBER, INFINITE, "where the ground rises more than this a voxel, cliff takes the place of both",
            0, 1000),
        Key("cliff", MATERIAL, "", "what steep ground is of"),
    ),
    "caves": (
        Key("kind", CHOICE, "tunnels", "tunnels: where the noise is near 0; caverns: where it is high",
            choices=("tunnels", "caverns")),
        Key("threshold", NUMBER, REQUIRED, "tunnels: how near, wider when greater; caverns: how high, rarer then",
            0, 1),
        _WAVELENGTH,
        *_OCTAVES,
        Key("flatness", NUMBER, 1.0, "how much wider than high", 0.05, 100),
        Key("floor", WHOLE, 4, "the altitude below which there are none", 0, MAX_WORLD_EDGE),
        Key("cover", NUMBER, 0.0, "they narrow from this depth up to the surface", 0, 1000),
        Key("mouths", NUMBER, 1.0, "how wide they open at the surface; 0 is not at all", 0, 1),
    ),
    "erosion": (
        Key("kind", CHOICE, REQUIRED, "thermal: steep ground slides; hydraulic: drops of rain carve and settle",
            choices=("thermal", "hydraulic")),
        Key("amount", NUMBER, 1.0, "hydraulic: drops a column; thermal: rounds, in tens", 0, 20),
        Key("strength", NUMBER, 0.5, "how much moves at once", 0, 1),
        Key("talus", NUMBER, 1.0, "thermal: the rise a voxel at which ground rests", 0, 100),
    ),
    "features": (
        Key("stamps", TEXTS, REQUIRED, "the stamps to choose from"),
        Key("spacing", WHOLE, REQUIRED, "one place in each square of this edge", 2, 1000),
        Key("chance", NUMBER, 1.0, "how many of these places are taken", 0, 1),
        Key("on", TEXTS, REQUIRED, "the surface materials that it stands on"),
        Key("above", NUMBER, 0.0, "where the ground is at least this high", 0, MAX_WORLD_EDGE),
        Key("below", NUMBER, INFINITE, "where the ground is lower than this", 0, MAX_WORLD_EDGE),
        Key("flat", NUMBER, INFINITE, "where the ground rises at most this a voxel", 0, 1000),
        *_CONDITIONS,
        Key("place", CHOICE, "top", "top: on the topmost ground; inside: on floors below it, with density",
            choices=("top", "inside")),
        Key("sink", WHOLE, 0, "how many of the stamp's layers are in the ground", 0, MAX_STAMP_EDGE),
    ),
    "stamps": (
        Key("layers", TEXTS, REQUIRED, "layers from the bottom up, each a text with a line for every y, the last being "
            "0, and a letter for every x; spaces and dots are empty"),
        Key("materials", TEXT, REQUIRED, "a table: the material of each letter"),
    ),
}  # fmt: skip
"""The keys of each section; "" is the top of the file."""
