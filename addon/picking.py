# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the worlds a ray in Blender's world space meets first."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..voxel.world import World
from . import kernel_cache, session, worlds

if TYPE_CHECKING:
    from ..voxel.edit.ray_cast import Hit, RayCaster


class Pick(NamedTuple):
    """Where a ray meets a world. point and the unit normal are in Blender's world space, hit is in voxel space;
    distance is in lengths of the ray's direction."""

    owner: bpy.types.Object
    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    distance: float
    hit: "Hit"


_casters: dict[str, tuple[World, "RayCaster"]] = {}
"""By world id. They follow their worlds' changes."""


def is_ready() -> bool:
    """Whether pick() answers at once. Otherwise it compiles first, for a minute perhaps."""
    kernel_cache.prepare()
    return kernel_cache.is_compiled(worlds.RAYS)


def pick(owners: Iterable[bpy.types.Object], origin: ArrayLike, direction: ArrayLike) -> Pick | None:
    """The nearest hit of a ray with the worlds of these objects."""
    start, along = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
    picks = [found for owner in owners if (found := _pick_one(owner, start, along)) is not None]
    return min(picks, key=lambda found: found.distance, default=None)


def _pick_one(owner: bpy.types.Object, origin: NDArray[np.float64], direction: NDArray[np.float64]) -> Pick | None:
    matrix = np.array(owner.matrix_world)
    to_voxels = np.linalg.inv(matrix)
    start, along = to_voxels[:3, :3] @ origin + to_voxels[:3, 3], to_voxels[:3, :3] @ direction
    hit = _caster_of(owner).cast(start.tolist(), along.tolist())
    if hit is None:
        return None
    point = matrix[:3, :3] @ hit.point + matrix[:3, 3]
    normal = to_voxels[:3, :3].T @ hit.normal
    distance = float((point - origin) @ direction / (direction @ direction))
    return Pick(owner, point, normal / np.linalg.norm(normal), distance, hit)


def _caster_of(owner: bpy.types.Object) -> "RayCaster":
    kernel_cache.prepare()
    from ..voxel.edit.ray_cast import RayCaster

    world, world_id = session.world_of(owner), session.world_id(owner)
    if world_id not in _casters or _casters[world_id][0] is not world:
        for gone in _casters.keys() - session.loaded_ids():
            del _casters[gone]
        _casters[world_id] = world, RayCaster(world)
    return _casters[world_id][1]
