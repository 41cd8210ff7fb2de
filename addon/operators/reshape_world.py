# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces smoothed and roughened throughout a world."""

from typing import TYPE_CHECKING

import bpy

from ...voxel.jobs import Job, Progress
from ...voxel.layout import POS_X, POS_Y, POS_Z
from ...voxel.limits import MAX_ACTION_TIMES, MAX_SCULPT_STEP
from ...voxel.world import Edit, World
from .. import idnames
from .edit_operator import EditOperator, region

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection


class VOXELWRIGHT_OT_smooth_world(EditOperator, bpy.types.Operator):
    """Smooth the surfaces of the world, or of what is selected"""

    bl_idname = idnames.OT_SMOOTH_WORLD
    bl_label = "Smooth Surfaces"

    times: bpy.props.IntProperty(
        name="Times", description="How often it is done", default=1, min=1, max=MAX_ACTION_TIMES, soft_max=20
    )
    strength: bpy.props.FloatProperty(
        name="Strength",
        description="Less smooths only what sticks out further",
        default=1.0,
        min=0,
        max=1,
        subtype="FACTOR",
    )

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        from ...voxel.edit.dabs import throughout
        from ...voxel.edit.sculpt import smooth

        yield Progress(0.1, "Smoothing")
        return throughout(world, smooth(self.strength), region(world, selection), self.times)


_FACES = {"X": POS_X, "Y": POS_Y, "Z": POS_Z}


class VOXELWRIGHT_OT_roughen_world(EditOperator, bpy.types.Operator):
    """Move the surfaces of the world, or of what is selected, up and down by noise"""

    bl_idname = idnames.OT_ROUGHEN_WORLD
    bl_label = "Displace by Noise"

    strength: bpy.props.FloatProperty(
        name="Strength", description="By how many voxels at most", default=3.0, min=0, max=MAX_SCULPT_STEP
    )
    wavelength: bpy.props.FloatProperty(
        name="Size", description="The size of bumps, in voxels", default=16.0, min=2, max=10_000, soft_max=200
    )
    axis: bpy.props.EnumProperty(
        name="Axis",
        description="The axis along which surfaces move",
        items=[(axis, axis, "") for axis in _FACES],
        default="Z",
    )
    seed: bpy.props.IntProperty(name="Seed", description="Another number gives other bumps of the same kind")

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        from ...voxel.edit.dabs import throughout
        from ...voxel.edit.sculpt import roughen

        yield Progress(0.1, "Displacing")
        action = roughen(self.strength, self.wavelength, _FACES[self.axis], self.seed)
        return throughout(world, action, region(world, selection))


CLASSES = (VOXELWRIGHT_OT_smooth_world, VOXELWRIGHT_OT_roughen_world)
