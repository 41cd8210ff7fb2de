# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the worlds a ray in Blender's world space meets first."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np
from bpy_extras import view3d_utils
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.world import World
from . import kernel_cache, session, worlds
from .properties import of_object

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


class Ray(NamedTuple):
    """Where a ray begins and where it goes, (3,) float64 each; the direction may have any length."""

    origin: NDArray[np.float64]
    direction: NDArray[np.float64]


_casters: dict[str, tuple[World, "RayCaster"]] = {}
"""By world id. They follow their worlds' changes."""


def is_ready() -> bool:
    """Whether pick() answers at once. Otherwise it compiles first, for a minute perhaps."""
    kernel_cache.prepare()
    return kernel_cache.is_compiled(worlds.RAYS)


def pickable(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The visible objects whose worlds are shown."""
    return [o for o in context.visible_objects if session.is_world(o) and of_object(o).show_preview]


def mouse_ray(context: bpy.types.Context, place: tuple[float, float]) -> Ray:
    """The ray in Blender's world space that is seen as one point at a place of the context's region, in pixels."""
    region, view = context.region, context.region_data
    origin = view3d_utils.region_2d_to_origin_3d(region, view, place)
    direction = view3d_utils.region_2d_to_vector_3d(region, view, place)
    return Ray(np.array(origin, np.float64), np.array(direction, np.float64))


def pick(owners: Iterable[bpy.types.Object], ray: Ray) -> Pick | None:
    """The nearest hit of a ray in Blender's world space with the worlds of these objects."""
    picks = [found for owner in owners if (found := _pick_one(owner, ray)) is not None]
    return min(picks, key=lambda found: found.distance, default=None)


def in_voxels(owner: bpy.types.Object, ray: Ray) -> Ray:
    """The ray in the object's voxel space. Raises VoxelwrightError where the object has no extent."""
    try:
        to_voxels = np.linalg.inv(np.array(owner.matrix_world))
    except np.linalg.LinAlgError:
        raise VoxelwrightError(f'"{owner.name}" has a scale of 0; give it another one.') from None
    return Ray(to_voxels[:3, :3] @ ray.origin + to_voxels[:3, 3], to_voxels[:3, :3] @ ray.direction)


def hit_of(owner: bpy.types.Object, ray: Ray) -> "Hit | None":
    """Where a ray in voxel space meets the object's world first."""
    return _caster_of(owner).cast(ray.origin.tolist(), ray.direction.tolist())


def freeze(owner: bpy.types.Object, frozen: bool) -> None:
    """Have rays meet the object's world as it is now, whatever is shown over it later; or as it is seen again."""
    _caster_of(owner).frozen = frozen


def _pick_one(owner: bpy.types.Object, ray: Ray) -> Pick | None:
    hit = hit_of(owner, in_voxels(owner, ray))
    if hit is None:
        return None
    matrix = np.array(owner.matrix_world)
    point = matrix[:3, :3] @ hit.point + matrix[:3, 3]
    normal = np.linalg.inv(matrix[:3, :3]).T @ hit.normal
    distance = float((point - ray.origin) @ ray.direction / (ray.direction @ ray.direction))
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
