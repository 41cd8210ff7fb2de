# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

from ...voxel.layout import POS_Z
from ...voxel.world import Edit, World
from .. import brushes, idnames, palettes, picking
from ..tool_properties import FILL_KEYS, FillSettings, copy_settings, of_tools
from .gesture import GestureOperator


class VOXELWRIGHT_OT_fill_connected(GestureOperator, FillSettings, bpy.types.Operator):
    """Give the voxels that are connected with the one under the mouse the active material"""

    bl_idname = idnames.OT_FILL_CONNECTED
    bl_label = "Fill Connected"
    bl_options = {"REGISTER", "UNDO"}

    ends_with_press = True

    start: bpy.props.IntVectorProperty(name="From", description="One of the voxels", subtype="XYZ")
    face: bpy.props.IntProperty(
        name="Face", description="Which way it looks", default=POS_Z, min=0, max=5, options={"HIDDEN"}
    )
    material: bpy.props.EnumProperty(name="Material", description="What they become", items=palettes.material_items)

    def begin(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> bool:
        local = picking.in_voxels(owner, picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y)))
        found = brushes.aim_at_voxel(owner, local, outside=False)
        if found is None:
            return False
        copy_settings(of_tools(context.scene).fill, self, FILL_KEYS)
        self.start, self.face = brushes.voxel_of(found.point), found.face
        self.material = palettes.active_item(owner)
        return True

    def made(self, owner: bpy.types.Object, world: World) -> Edit:
        from ...voxel.edit import connected, patterns, selection
        from .. import selections

        start = tuple(self.start)
        pattern, by = patterns.only(palettes.index_of(self.material, owner)), self.by.lower()
        edit = connected.fill_connected(world, start, pattern, by, self.face, self.limit)
        within = selections.selection_of(owner)
        return edit if within is None else selection.limited(edit, within)


CLASSES = (VOXELWRIGHT_OT_fill_connected,)
