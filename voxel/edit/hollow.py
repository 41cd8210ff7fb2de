# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids made hollow."""

from ..jobs import Job, finish
from ..world import Edit, World
from .actions import remove
from .dabs import doing
from .selection import Selection, solid


def hollow(world: World, selection: Selection, thickness: int = 1) -> Edit:
    """The edit that leaves of the solid voxels selected a shell, thickness voxels thick, counted through faces."""
    return finish(hollowing(world, selection, thickness))


def hollowing(world: World, selection: Selection, thickness: int) -> Job[Edit]:
    """The job of hollow()."""
    inner = yield from (selection & solid(world)).spreading(thickness, False)
    return (yield from doing(world, remove(), inner))
