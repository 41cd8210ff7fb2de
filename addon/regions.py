# SPDX-License-Identifier: GPL-3.0-or-later
"""Where procedural operators work."""

from typing import TYPE_CHECKING

import bpy

from ..voxel.world import World
from . import selections

if TYPE_CHECKING:
    from ..voxel.edit.selection import Selection


def region_of(owner: bpy.types.Object, world: World) -> "Selection":
    """What an operator changes of the object's world: what is selected, else everywhere, the air around it too."""
    from ..voxel.edit.selection import everywhere

    selection = selections.selection_of(owner)
    return everywhere(world) if selection is None else selection
