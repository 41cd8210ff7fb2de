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


def boolean(world: World, other: World, operation: str, within: Selection | None = None) -> Edit:
    """The edit that unites world with other's solid voxels, as paste() does it, takes them away, or leaves only them;
    of voxels within a selection only, where there is one. Both have the same origin."""
    if operation not in OPERATIONS:
        raise VoxelwrightError(f"Worlds are combined by one of {', '.join(OPERATIONS)}.")
    if operation == "union":
        edit = paste(world, other, (0, 0, 0))
        return edit if within is None else limited(edit, within)
    part, there = solid(world) if within is None else within, solid(other)
    return throughout(world, remove(), part & there if operation == "difference" else part - there)
