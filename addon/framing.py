# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects lie in a 3D viewport's view, and the view that shows all of them."""

from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

import bpy
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import CHUNK_SIZE
from ..voxel.world import Coord, World
from . import session

_MARGIN = 0.05
"""The share of the picture's half that stays free on each side."""

_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)


def view_of(context: bpy.types.Context) -> bpy.types.RegionView3D | None:
    """The view of the 3D viewport that the user is in; a sidebar's own region has none."""
    space: Any = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D):
        return None
    return context.region_data or space.region_3d


def corners_of(owner: bpy.types.Object) -> NDArray[np.float64]:
    """(n, 3) float64: the corners of the box about an object, in Blender's world space; n is 0 for a world that is
    empty or cannot be loaded."""
    if session.is_world(owner):
        bounds = bounds_of(owner)
        if bounds is None:
            return np.empty((0, 3))
        low, high = np.array(bounds[0]), np.array(bounds[1]) + 1
        local = low + _CORNERS * (high - low)
    else:
        local = np.array([tuple(corner) for corner in owner.bound_box])
    matrix = np.array(owner.matrix_world)
    return np.asarray(local @ matrix[:3, :3].T + matrix[:3, 3])


_known_bounds: WeakKeyDictionary[World, tuple[int, tuple[Coord, Coord] | None]] = WeakKeyDictionary()
"""Versions of worlds, and their bounds then: a panel asks at every draw."""


def bounds_of(owner: bpy.types.Object) -> tuple[Coord, Coord] | None:
    """The lowest and highest (inclusive) voxel of the object's world; None where it is empty or cannot be loaded."""
    try:
        world = session.world_of(owner)
    except VoxelwrightError:
        return None
    known = _known_bounds.get(world)
    if known is None or known[0] != world.version:
        known = _known_bounds[world] = world.version, world.bounds()
    return known[1]


def chunk_box_of(owner: bpy.types.Object) -> tuple[Coord, Coord] | None:
    """The lowest and highest (inclusive) voxel of the box of the object's chunks that are not air; None where there are
    none. Unlike bounds_of() it looks at no voxel: tools ask after every dab."""
    coords = session.world_of(owner).coords()
    if not coords:
        return None
    low, high = np.min(coords, axis=0) * CHUNK_SIZE, (np.max(coords, axis=0) + 1) * CHUNK_SIZE - 1
    (x, y, z), (i, j, k) = low.tolist(), high.tolist()
    return (x, y, z), (i, j, k)


def corners_of_all(owners: Iterable[bpy.types.Object]) -> NDArray[np.float64]:
    """corners_of() several objects."""
    return np.concatenate([np.empty((0, 3)), *(corners_of(owner) for owner in owners)])


def frame(view: bpy.types.RegionView3D, corners: NDArray[np.float64]) -> None:
    """Move the view, without turning it, until it shows these points as large as it can. A view through a camera
    becomes one of the viewport's own."""
    if view.view_perspective == "CAMERA":
        view.view_perspective = "PERSP"
        view.update()
    center = (corners.min(axis=0) + corners.max(axis=0)) / 2
    axes = np.array(view.view_matrix)[:3, :3]
    right, up, towards_eye = axes @ (corners - center).T
    across, upwards = np.abs(np.array(view.window_matrix)[(0, 1), (0, 1)]) / (1 - _MARGIN)
    reach = np.maximum(np.abs(right) * across, np.abs(up) * upwards)
    view.view_location = center.tolist()
    if view.is_perspective:
        view.view_distance = float(np.max(towards_eye + reach))
    else:
        view.view_distance *= float(np.max(reach))


def clip_end_needed(space: Any, view: bpy.types.RegionView3D | None, corners: NDArray[np.float64]) -> float | None:
    """The clip end that a viewport needs to show these points in perspective; None where its own is far enough."""
    if view is None or not len(corners) or not view.is_perspective or view.view_perspective == "CAMERA":
        return None
    matrix = np.array(view.view_matrix)
    farthest = float(np.max(-(corners @ matrix[2, :3] + matrix[2, 3])))
    return farthest if farthest > space.clip_end else None
