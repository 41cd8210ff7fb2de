# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

from ...voxel.jobs import Job
from ...voxel.world import World
from .. import idnames, presets, session, worlds
from ..properties import preset_items
from .job_operator import JobOperator


class VOXELWRIGHT_OT_new_world(JobOperator, bpy.types.Operator):
    """Generate a new voxel world. It belongs to an empty, whose location, rotation and scale place it"""

    bl_idname = idnames.OT_NEW_WORLD
    bl_label = "New World"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.EnumProperty(name="Preset", description="The kind of terrain", items=preset_items)
    size: bpy.props.IntVectorProperty(
        name="Size",
        description="The world's size in voxels",
        default=(192, 192, 256),
        min=1,
        max=4096,
        size=3,
        subtype="XYZ",
    )
    seed: bpy.props.IntProperty(
        name="Seed",
        description="Another number gives another terrain of the same kind; the same number the same",
        default=1,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode first")
            return False
        return True

    def start(self, _context: bpy.types.Context) -> Job[World]:
        return worlds.generate(self.preset, tuple(self.size), self.seed)

    def finish(self, context: bpy.types.Context, result: World) -> None:
        session.new_world_object(context, presets.world_preset(self.preset).name, result)


CLASSES = (VOXELWRIGHT_OT_new_world,)
