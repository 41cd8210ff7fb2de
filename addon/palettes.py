# SPDX-License-Identifier: GPL-3.0-or-later
"""Which material tools place, and materials as items of Blender's menus."""

import bpy

from ..voxel.layout import N_MATERIALS
from ..voxel.palette import Palette
from . import session, swatches
from .properties import of_object

Items = list[tuple[str, str, str, int, int]]

ACTIVE = "0"
"""The item of material_items() that means the active material."""


def active_material(owner: bpy.types.Object) -> int:
    """The index in its world's palette of the material that tools place: the one chosen, or the nearest before it that
    there is; 1 where the palette is empty. Raises VoxelwrightError where the world cannot be loaded."""
    indices = [index for index, _ in session.world_of(owner).palette.items()]
    chosen = of_object(owner).material
    return max((index for index in indices if index <= chosen), default=indices[0] if indices else 1)


def active_item(owner: bpy.types.Object) -> str:
    """The item of material_items() of the material that tools place."""
    return str(active_material(owner)) if session.world_of(owner).palette.items() else ACTIVE


def material_items(_self: object, context: bpy.types.Context) -> Items:
    """Enum items of the active world's materials, the active one of which comes first. Each one's number is its index,
    its identifier the same as text."""
    return _items_of(_palette_of(context), has_active=True)


def only_material_items(_self: object, context: bpy.types.Context) -> Items:
    """The same without the active one."""
    return _items_of(_palette_of(context), has_active=False)


def index_of(item: str, owner: bpy.types.Object) -> int:
    """The index in the palette that an item of material_items() means."""
    return active_material(owner) if item == ACTIVE else int(item)


def _palette_of(context: bpy.types.Context) -> Palette:
    owner = session.active_world_object(context)
    world = session.loaded_world(owner) if owner is not None else None
    return world.palette if world is not None else Palette()


def _items_of(palette: Palette, *, has_active: bool) -> Items:
    items = [(_NUMBERS[i], m.name, "", swatches.icon_of(m), i) for i, m in palette.items()]
    if has_active or not items:
        items.insert(0, (ACTIVE, "Active", "The material that is chosen in the palette", 0, 0))
    _kept[has_active] = items
    return items


# Blender keeps no reference to the strings of items; the names are the palette's.
_NUMBERS = [str(index) for index in range(N_MATERIALS)]
_kept: dict[bool, Items] = {}
