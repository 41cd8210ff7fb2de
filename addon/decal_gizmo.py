# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles at the sides of the active decal's box, which make it larger and smaller there."""

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from . import decals, idnames
from .decal_boxes import placed

_COLORS = ((0.85, 0.25, 0.25), (0.35, 0.7, 0.15), (0.25, 0.5, 0.9))
_LEAST = 1e-3
"""The smallest half-extent."""


class VOXELWRIGHT_GGT_decal(bpy.types.GizmoGroup):
    """An arrow on each side of the box. Its middle stays where it is."""

    bl_idname = idnames.GGT_DECAL
    bl_label = "Decal"
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        owner = context.active_object
        return context.mode == "OBJECT" and decals.is_decal(owner) and owner is not None and owner.select_get()

    def setup(self, _context: bpy.types.Context) -> None:
        self._arrows: list[tuple[Any, int, int]] = []
        for axis in range(3):
            for side in (1, -1):
                arrow: Any = self.gizmos.new("GIZMO_GT_arrow_3d")
                arrow.draw_style = "BOX"
                arrow.color, arrow.alpha = _COLORS[axis], 0.7
                arrow.color_highlight, arrow.alpha_highlight = (1.0, 1.0, 1.0), 1.0
                arrow.use_draw_modal = arrow.use_undo = True
                arrow.length = 0.0
                arrow.target_set_handler("offset", get=_getter(axis), set=_setter(axis))
                self._arrows.append((arrow, axis, side))

    def draw_prepare(self, context: bpy.types.Context) -> None:
        owner = context.active_object
        if owner is None or not decals.is_decal(owner):
            return
        for arrow, axis, side in self._arrows:
            arrow.matrix_basis = _outwards(owner, axis, side)


def half_extent(owner: bpy.types.Object, axis: int) -> float:
    """Of the decal's box, in Blender's world space."""
    return float(np.linalg.norm(decals.box_of(owner)[:3, axis]))


def set_half_extent(owner: bpy.types.Object, axis: int, length: float) -> None:
    """Give the decal's box another one, at least a hair's breadth, by its scale."""
    now = half_extent(owner, axis)
    if now:
        owner.scale[axis] *= max(length, _LEAST) / now


def _getter(axis: int) -> Callable[[], float]:
    def get() -> float:
        owner = bpy.context.active_object
        return half_extent(owner, axis) if owner is not None and decals.is_decal(owner) else 0.0

    return get


def _setter(axis: int) -> Callable[[float], None]:
    def set_(length: float) -> None:
        owner = bpy.context.active_object
        if owner is not None and decals.is_decal(owner):
            set_half_extent(owner, axis, length)

    return set_


def _outwards(owner: bpy.types.Object, axis: int, side: int) -> Matrix:
    """The middle of the box, with Z towards a side."""
    box = decals.box_of(owner)
    return Matrix(placed(box[:3, 3], side * box[:3, axis], np.ones(3)).tolist())


CLASSES = (VOXELWRIGHT_GGT_decal,)
