# SPDX-License-Identifier: GPL-3.0-or-later
"""Where procedural operators work."""

from typing import TYPE_CHECKING

import bpy

from ..voxel.world import World

if TYPE_CHECKING:
    from ..voxel.edit.selection import Selection


def region_of(_owner: bpy.types.Object, world: World) -> "Selection":
    """What an operator changes of the object's world: everywhere, the air around it too."""
    from ..voxel.edit.selection import everywhere

    return everywhere(world)
