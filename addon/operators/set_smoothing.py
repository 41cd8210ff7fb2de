# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import replace

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.world import edit_of_chunks
from .. import idnames, session
from .job_operator import Result, has_world


class VOXELWRIGHT_OT_set_smoothing(bpy.types.Operator):
    """How much the smooth surfaces of the active world round off the steps of their voxels"""

    bl_idname = idnames.OT_SET_SMOOTHING
    bl_label = "Set Smoothing"
    bl_options = {"REGISTER", "UNDO"}

    smoothing: bpy.props.FloatProperty(
        name="Smoothing",
        description="0 keeps every step of the voxels, 1 makes gentle slopes of terraces",
        min=0,
        max=1,
        subtype="FACTOR",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_world(cls, context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        try:
            self.smoothing = session.world_of(session.active_world_object(context)).settings.smoothing
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: bpy.types.Context) -> Result:
        owner = session.active_world_object(context)
        try:
            world = session.own_world_of(owner)
            settings = replace(world.settings, smoothing=round(self.smoothing, 4))
            session.commit(owner, edit_of_chunks(world, {}, settings=settings))
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_set_smoothing,)
