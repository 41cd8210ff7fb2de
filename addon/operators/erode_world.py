# SPDX-License-Identifier: GPL-3.0-or-later
from typing import TYPE_CHECKING

import bpy

from ...voxel.generate.preset import Erosion
from ...voxel.jobs import Job
from ...voxel.world import Edit, World
from .. import idnames
from .edit_operator import EditOperator

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection


class VOXELWRIGHT_OT_erode_world(EditOperator, bpy.types.Operator):
    """Erode the ground of the world, or of what is selected, as slides and rain do"""

    bl_idname = idnames.OT_ERODE_WORLD
    bl_label = "Erode Ground"

    kind: bpy.props.EnumProperty(
        name="Kind",
        description="What erodes the ground",
        items=[
            ("thermal", "Slides", "Steep ground slides down"),
            ("hydraulic", "Rain", "Drops of rain carve ground and settle it"),
        ],
    )
    amount: bpy.props.FloatProperty(
        name="Amount", description="Drops a column, or tens of rounds of slides", default=1.0, min=0, max=20, soft_max=5
    )
    strength: bpy.props.FloatProperty(
        name="Strength", description="How much moves at once", default=0.5, min=0, max=1, subtype="FACTOR"
    )
    talus: bpy.props.FloatProperty(
        name="Talus",
        description="The rise at which ground rests, in voxels a voxel; slides only",
        default=1.0,
        min=0,
        max=100,
        soft_max=4,
    )
    seed: bpy.props.IntProperty(name="Seed", description="Another number gives other drops")

    def kernels(self) -> str:
        return f"{super().kernels()} {self.kind}"

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        from ...voxel.edit.selection import solid
        from ...voxel.edit.weathering import weather

        # Not a voxel beside the world: there everything would be carried off.
        ground = solid(world) if selection is None else selection
        return weather(world, ground, [Erosion(self.kind, self.amount, self.strength, self.talus)], self.seed)


CLASSES = (VOXELWRIGHT_OT_erode_world,)
