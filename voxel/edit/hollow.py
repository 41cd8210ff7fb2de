# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids made hollow."""

from ..world import Edit, World
from .actions import remove
from .dabs import throughout
from .selection import Selection, solid


def hollow(world: World, selection: Selection, thickness: int = 1) -> Edit:
    """The edit that leaves of the solid voxels selected a shell, thickness voxels thick, counted through faces."""
    return throughout(world, remove(), (selection & solid(world)).shrunk(thickness))
