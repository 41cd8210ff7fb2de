# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of topings that come with the extension, and their meshes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from .clumps import moss, pebbles
from .plants import flowers, grass
from .records import N_ALTERNATES, N_VARIANTS, Meshes, TopingMesh
from .snow import snow
from .stone import stone


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of topings by its name in palette.TOPINGS.

    plant: its sheets are seen from both sides, lit through, and each one's height varies by its seed. make gives the
    mesh of a variant and an alternate.
    """

    plant: bool
    make: Callable[[int, int], TopingMesh]


KINDS = {
    "stone": Kind(False, stone),
    "pebbles": Kind(False, pebbles),
    "snow": Kind(False, snow),
    "moss": Kind(False, moss),
    "flowers": Kind(True, flowers),
    "grass": Kind(True, grass),
}


@cache
def meshes_of(name: str) -> Meshes:
    """The meshes of a kind, by variant and alternate; a few milliseconds, once."""
    make = KINDS[name].make
    return tuple(tuple(make(variant, alternate) for alternate in range(N_ALTERNATES)) for variant in range(N_VARIANTS))
