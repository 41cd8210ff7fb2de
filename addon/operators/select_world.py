# SPDX-License-Identifier: GPL-3.0-or-later
"""A click on a world's voxels selects its object, as a click on a mesh does.

Blender answers a press by what it knows at that place, which may be a mesh that the world hides; a click, after the
press, is left to us where it knows nothing. So where a mesh lies behind we take the press itself; it cannot begin a box
selection then."""

from typing import Any

import bpy
import numpy as np

from ...voxel.jobs import Job
from .. import idnames, picking, worlds
from ..viewport import handler
from .job_operator import JobOperator, Result

_SELECTING_TOOLS = frozenset(
    f"builtin.{name}"
    for name in (
        "select", "select_box", "select_circle", "select_lasso", "move", "rotate", "scale", "scale_cage", "transform",
    )
)  # fmt: skip
"""The tools that select where one clicks beside their handles."""


class VOXELWRIGHT_OT_prepare_picking(JobOperator, bpy.types.Operator):
    """Compile what finds the voxels under the mouse, at first use only"""

    bl_idname = idnames.OT_PREPARE_PICKING
    bl_label = "Prepare Picking"
    bl_options = {"INTERNAL"}

    def start(self, _context: bpy.types.Context) -> Job[None]:
        return worlds.prepare_rays()

    def finish(self, _context: bpy.types.Context, _result: None) -> None:
        self.report({"INFO"}, "Worlds can be selected by clicks now")


class VOXELWRIGHT_OT_select_world(bpy.types.Operator):
    """Select the voxel world under the mouse"""

    bl_idname = idnames.OT_SELECT_WORLD
    bl_label = "Select World"
    bl_options = {"UNDO", "INTERNAL"}

    extend: bpy.props.BoolProperty(
        name="Extend", description="Add the world to what is selected, or take it out", default=False
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode == "OBJECT" and isinstance(context.region_data, bpy.types.RegionView3D)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.type != _select_button(context) or not _tool_selects(context):
            return {"PASS_THROUGH"}
        shown = handler.shown_worlds(context)
        if shown and not picking.is_ready():
            operators: Any = bpy.ops
            operators.voxelwright.prepare_picking("INVOKE_DEFAULT")
            return {"PASS_THROUGH"}
        place = event.mouse_region_x, event.mouse_region_y
        owner = _world_seen(context, shown, place, before_meshes=event.value == "PRESS")
        if owner is None:
            return {"PASS_THROUGH"}
        selects = not (self.extend and owner.select_get() and context.view_layer.objects.active == owner)
        if not self.extend:
            for other in context.selected_objects:
                other.select_set(False)
        owner.select_set(selects)
        context.view_layer.objects.active = owner
        return {"FINISHED"}


def _world_seen(
    context: bpy.types.Context, shown: list[bpy.types.Object], place: tuple[int, int], *, before_meshes: bool
) -> bpy.types.Object | None:
    """The object whose world is seen at a place of the region; None where a mesh is seen, or nothing. before_meshes:
    only where a mesh lies behind."""
    ray = picking.mouse_ray(context, place)
    found = picking.pick(shown, ray)
    if found is None:
        return None
    origin, direction = ray.origin.tolist(), ray.direction.tolist()
    meets, location, *_ = context.scene.ray_cast(context.evaluated_depsgraph_get(), origin, direction)
    if not meets:
        return None if before_meshes else found.owner
    distance = float((np.array(location) - ray.origin) @ ray.direction / (ray.direction @ ray.direction))
    return found.owner if found.distance < distance else None


def _select_button(context: bpy.types.Context) -> str:
    preferences: Any = context.window_manager.keyconfigs.active.preferences
    return f"{getattr(preferences, 'select_mouse', 'LEFT')}MOUSE"


def _tool_selects(context: bpy.types.Context) -> bool:
    tool = context.workspace.tools.from_space_view3d_mode(context.mode)
    return tool is None or tool.idname in _SELECTING_TOOLS


CLASSES = (VOXELWRIGHT_OT_prepare_picking, VOXELWRIGHT_OT_select_world)
