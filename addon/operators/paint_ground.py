# SPDX-License-Identifier: GPL-3.0-or-later
import math
from typing import TYPE_CHECKING

import bpy

from ...voxel.jobs import Job, Progress
from ...voxel.world import Edit, World
from .. import idnames
from ..palettes import index_of, material_items
from .edit_operator import EditOperator, region

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection

_FAR = 1e6


class VOXELWRIGHT_OT_paint_ground(EditOperator, bpy.types.Operator):
    """Paint surfaces of the world, or of what is selected, by how steep they are and how high they lie"""

    bl_idname = idnames.OT_PAINT_GROUND
    bl_label = "Paint by Slope and Height"

    material: bpy.props.EnumProperty(name="Material", description="What is painted", items=material_items)
    least_slope: bpy.props.FloatProperty(
        name="Slope from",
        description="0° is level ground, 90° a wall",
        default=math.radians(40),
        min=0,
        max=math.pi / 2,
        subtype="ANGLE",
    )
    most_slope: bpy.props.FloatProperty(
        name="to",
        description="0° is level ground, 90° a wall; slopes beyond 76° count as walls",
        default=math.pi / 2,
        min=0,
        max=math.pi / 2,
        subtype="ANGLE",
    )
    lowest: bpy.props.FloatProperty(
        name="Height from", description="In voxels of the world", default=-_FAR, min=-_FAR, max=_FAR
    )
    highest: bpy.props.FloatProperty(name="to", description="In voxels of the world", default=_FAR, min=-_FAR, max=_FAR)
    strength: bpy.props.FloatProperty(
        name="Strength", description="How many of the voxels, at random", default=1.0, min=0, max=1, subtype="FACTOR"
    )

    def read(self, _context: bpy.types.Context, owner: bpy.types.Object) -> None:
        self._index = index_of(self.material, owner)

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        from ...voxel.edit.dabs import throughout
        from ...voxel.edit.patterns import only
        from ...voxel.edit.selection import between_heights
        from ...voxel.edit.slope import STEEPEST, paint_slope

        yield Progress(0.1, "Painting")
        least, most = (
            min(math.tan(min(angle, 1.5)), float(STEEPEST)) for angle in (self.least_slope, self.most_slope)
        )  # fmt: skip
        action = paint_slope(only(self._index), least, most, self.strength)
        return throughout(world, action, between_heights(region(world, selection), self.lowest, self.highest))


CLASSES = (VOXELWRIGHT_OT_paint_ground,)
