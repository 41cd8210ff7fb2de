# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bake finds again what an earlier one made: custom properties, since users rename things."""

from collections.abc import Iterable
from typing import TypeVar

import bpy

WORLD = "voxelwright_world"
"""On collections, objects and materials: the key of their world."""

PART = "voxelwright_part"
"""On objects and materials: what of that world they are. An object's name of surface, a material's palette index."""

IdT = TypeVar("IdT", bound=bpy.types.ID)


def tag(datablock: bpy.types.ID, world_key: str, part: str | int | None = None) -> None:
    """Mark a datablock as this part of that world."""
    datablock[WORLD] = world_key
    if part is not None:
        datablock[PART] = part


def find(datablocks: Iterable[IdT], world_key: str, part: str | int | None = None) -> IdT | None:
    """The first local datablock that is this part of that world, or None."""
    for datablock in datablocks:
        if datablock.library is None and datablock.get(WORLD) == world_key and datablock.get(PART) == part:
            return datablock
    return None
