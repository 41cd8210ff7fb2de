# SPDX-License-Identifier: GPL-3.0-or-later
from typing import TYPE_CHECKING

import bpy

from ...voxel.jobs import Job, Progress
from ...voxel.world import Edit, World
from .. import idnames
from ..palettes import index_of, material_items
from .edit_operator import EditOperator, region
from .job_operator import Result

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection


class VOXELWRIGHT_OT_replace_material(EditOperator, bpy.types.Operator):
    """Give voxels of one material another one, in the whole world or in what is selected; the palette stays"""

    bl_idname = idnames.OT_REPLACE_MATERIAL
    bl_label = "Replace Material"

    material: bpy.props.EnumProperty(name="Material", description="What is replaced", items=material_items)
    by: bpy.props.EnumProperty(name="By", description="What takes its place", items=material_items)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        return context.window_manager.invoke_props_dialog(self)

    def read(self, _context: bpy.types.Context, owner: bpy.types.Object) -> None:
        self._old, self._new = index_of(self.material, owner), index_of(self.by, owner)

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        from ...voxel.edit import actions, patterns
        from ...voxel.edit.dabs import throughout

        yield Progress(0.1, "Replacing")
        return throughout(world, actions.paint(patterns.only(self._new), material=self._old), region(world, selection))


CLASSES = (VOXELWRIGHT_OT_replace_material,)
