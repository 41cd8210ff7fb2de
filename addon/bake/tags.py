# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bake finds again what an earlier one made: custom properties, since users rename things."""

from collections.abc import Iterable
from typing import TypeVar

import bpy

WORLD = "voxelwright_baked_from"
"""On collections and materials: the key of their world."""

INDEX = "voxelwright_index"
"""On materials: the palette index that they were made of, or what they show of decals."""

IdT = TypeVar("IdT", bound=bpy.types.ID)


def tag(datablock: bpy.types.ID, world_key: str, index: int | str | None = None) -> None:
    """Mark a datablock as made of that world, a material of that entry of its palette or of decals."""
    datablock[WORLD] = world_key
    if index is not None:
        datablock[INDEX] = index


def find(datablocks: Iterable[IdT], world_key: str, index: int | str | None = None) -> IdT | None:
    """The first local datablock with this mark, or None."""
    for datablock in datablocks:
        if datablock.library is None and datablock.get(WORLD) == world_key and datablock.get(INDEX) == index:
            return datablock
    return None
