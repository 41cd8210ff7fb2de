# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.layout import MATERIAL_SHIFT
from .. import brushes, idnames, picking, session
from ..properties import of_object
from .gesture import are_tools_ready, prepare_tools
from .job_operator import Result, has_world


class VOXELWRIGHT_OT_pick_material(bpy.types.Operator):
    """Make the material under the mouse the active one"""

    bl_idname = idnames.OT_PICK_MATERIAL
    bl_label = "Pick Material"
    bl_options = {"UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return isinstance(context.region_data, bpy.types.RegionView3D) and has_world(cls, context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if not are_tools_ready():
            prepare_tools()
            return {"CANCELLED"}
        owner = session.active_world_object(context)
        try:
            local = picking.in_voxels(owner, picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y)))
            found = brushes.aim_at_voxel(owner, local, outside=False)
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if found is None:
            return {"CANCELLED"}
        material = session.world_of(owner).voxel(*brushes.voxel_of(found.point)) >> MATERIAL_SHIFT
        if material == of_object(owner).material:
            return {"CANCELLED"}
        of_object(owner).material = material
        context.area.tag_redraw()
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_pick_material,)
