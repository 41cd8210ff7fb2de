# SPDX-License-Identifier: GPL-3.0-or-later
"""Where procedural operators work."""

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from ..voxel.edit.selection import Selection


def selection_of(_owner: bpy.types.Object) -> "Selection | None":
    """The selected voxels of the object's world; None where nothing is selected, so that operators work everywhere."""
    return None
