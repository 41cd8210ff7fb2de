# SPDX-License-Identifier: GPL-3.0-or-later
"""Choosing the material that tools place."""

from typing import Any

import bpy

from ...voxel.errors import VoxelwrightError
from .. import idnames, session
from ..palettes import only_material_items
from ..properties import of_object
from ..redrawing import redraw
from .job_operator import Result, has_world


class _ChoosingOperator:
    bl_options: Any = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_world(cls, context)


class VOXELWRIGHT_OT_set_material(_ChoosingOperator, bpy.types.Operator):
    """Place this material with the tools"""

    bl_idname = idnames.OT_SET_MATERIAL
    bl_label = "Set Material"

    index: bpy.props.IntProperty(
        name="Index", description="The material's index in the world's palette", default=1, min=1, max=255
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        owner = session.active_world_object(context)
        world = session.loaded_world(owner) if owner is not None else None
        material = world.palette.materials[properties.index] if world is not None else None
        return f"{material.name}\n{cls.__doc__}" if material is not None else str(cls.__doc__)

    def execute(self, context: bpy.types.Context) -> Result:
        owner = session.active_world_object(context)
        try:
            session.world_of(owner).palette.voxel(self.index)
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        of_object(owner).material = self.index
        redraw()
        return {"FINISHED"}


class VOXELWRIGHT_OT_search_material(_ChoosingOperator, bpy.types.Operator):
    """Find a material by its name, to place it with the tools"""

    bl_idname = idnames.OT_SEARCH_MATERIAL
    bl_label = "Search Material"
    bl_property = "material"

    material: bpy.props.EnumProperty(
        name="Material", description="A material of the world", items=only_material_items, options={"SKIP_SAVE"}
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        context.window_manager.invoke_search_popup(self)
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> Result:
        of_object(session.active_world_object(context)).material = int(self.material)
        redraw()
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_set_material, VOXELWRIGHT_OT_search_material)
