# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake makes of a world's topings, as far as it needs no Blender."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import Job, Progress, stage
from ..voxel.limits import MAX_TOPING_OBJECTS
from ..voxel.palette import Material, Palette
from ..voxel.world import World, new_world
from . import kernel_cache

if TYPE_CHECKING:
    from ..voxel.mesh.arrays import SmoothMesh
    from ..voxel.topings.placed import PlacedTopings
    from ..voxel.topings.records import Meshes, Topings

MODES = {
    "points": ("Points", "An object of points with an instance at each, by geometry nodes; for many"),
    "objects": ("Objects", "An object each, with meshes that they share; to be edited one by one"),
    "mesh": ("Mesh", "One mesh of all"),
    "none": ("None", "No topings"),
}
"""How topings are baked: label and description by name."""


@dataclass(frozen=True)
class GrownTopings:
    """A world's topings, and the meshes of each type that has some; placed: the same as one mesh, where the mode is
    "mesh"."""

    topings: "Topings"
    meshes: "dict[int, Meshes]"
    placed: "PlacedTopings | None"


def grow(world: World, smooth: "SmoothMesh", mode: str, own: "Mapping[int, Meshes]") -> Job[GrownTopings | None]:
    """The topings of a world whose smooth surfaces these are; own are the meshes of the user's objects by the index of
    their material. Raises VoxelwrightError where there are too many for the mode."""
    if mode == "none" or all(material.toping == "none" for _, material in world.palette.items()):
        return None
    yield Progress(0.0, "Loading")
    kernel_cache.prepare()
    from ..voxel.topings.collect import collect_topings
    from ..voxel.topings.placed import meshes_by_type, place
    from ..voxel.topings.surface import follow_surface

    yield from kernel_cache.compiling("topings", lambda: collect_topings(_sample_world()))
    topings = follow_surface((yield from stage(collect_topings(world), 0.0, 0.5)), smooth)
    n = len(topings.instances)
    if mode == "objects" and n > MAX_TOPING_OBJECTS:
        raise VoxelwrightError(
            f"There are {n:,} topings, more than the {MAX_TOPING_OBJECTS:,} that can be an object each; bake them as "
            "points."
        )
    meshes = meshes_by_type(world.palette, own)
    placed = None
    if mode == "mesh":
        placed = yield from stage(place(topings, world.palette, meshes), 0.5, 1.0)
    return GrownTopings(topings, meshes, placed)


def _sample_world() -> World:
    """A world with a top."""
    palette = Palette.of({1: Material("grass", (0, 0, 0), toping="grass")})
    return new_world({(0, 0, 0): palette.voxel(1)}, palette)
