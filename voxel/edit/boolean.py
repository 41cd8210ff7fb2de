# SPDX-License-Identifier: GPL-3.0-or-later
"""One world combined with another."""

from ..errors import VoxelwrightError
from ..world import Edit, World
from .actions import remove
from .dabs import throughout
from .paste import paste
from .selection import Selection, limited, solid

OPERATIONS = {
    "union": "Add the voxels of the other",
    "difference": "Take away what lies in the other",
    "intersect": "Leave only what lies in the other",
}
"""What each does, in a sentence."""


def boolean(world: World, other: World, operation: str, within: Selection) -> Edit:
    """The edit that unites world with other's solid voxels, as paste() does it, takes them away, or leaves only them;
    of the voxels within a selection. Both have the same origin."""
    if operation not in OPERATIONS:
        raise VoxelwrightError(f"Worlds are combined by one of {', '.join(OPERATIONS)}.")
    if operation == "union":
        return limited(paste(world, other, (0, 0, 0)), within)
    there = solid(other)
    return throughout(world, remove(), within & there if operation == "difference" else within - there)
