# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

from .. import decals, idnames
from ..properties import of_object
from .job_operator import Result


class VOXELWRIGHT_OT_move_decal(bpy.types.Operator):
    """Lay the active decal over or under others"""

    bl_idname = idnames.OT_MOVE_DECAL
    bl_label = "Move Decal"
    bl_options = {"REGISTER", "UNDO"}

    steps: bpy.props.IntProperty(
        name="Steps",
        description="How many decals it goes up; down if below 0",
        default=1,
        min=-1_000_000,
        max=1_000_000,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not decals.is_decal(context.active_object):
            cls.poll_message_set("Select a decal first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        ordered = decals.decals_in(context.scene)
        active = context.active_object
        assert active is not None
        place = ordered.index(active)
        new_place = min(max(place + self.steps, 0), len(ordered) - 1)
        if new_place == place:
            return {"CANCELLED"}
        ordered.insert(new_place, ordered.pop(place))
        for order, owner in enumerate(ordered):
            settings = of_object(owner).decal
            if settings.order != order:
                settings.order = order
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_move_decal,)
