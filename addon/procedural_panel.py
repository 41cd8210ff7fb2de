# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done throughout a world, or to all that is selected, in the sidebar."""

from typing import Any

import bpy

from . import idnames, session

_BUTTONS: tuple[tuple[str, str, Any], ...] = (
    (idnames.OT_SMOOTH_WORLD, "Smooth", "MOD_SMOOTH"),
    (idnames.OT_ROUGHEN_WORLD, "Displace", "MOD_NOISE"),
    (idnames.OT_ERODE_WORLD, "Erode", "MOD_FLUIDSIM"),
    (idnames.OT_PAINT_GROUND, "Paint by Slope", "BRUSH_DATA"),
    (idnames.OT_SCATTER, "Scatter", "OUTLINER_OB_POINTCLOUD"),
    (idnames.OT_ADD_TEXT, "Add Text", "FONT_DATA"),
    (idnames.OT_VOXELISE_MESH, "Voxelise Mesh", "MOD_REMESH"),
)


class VOXELWRIGHT_PT_procedural(bpy.types.Panel):
    bl_idname = idnames.PT_PROCEDURAL
    bl_label = "Throughout the World"
    bl_order = 3
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = idnames.CATEGORY
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return session.active_world_object(context) is not None

    def draw(self, _context: bpy.types.Context) -> None:
        grid = self.layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
        for idname, text, icon in _BUTTONS:
            grid.operator(idname, text=text, icon=icon)


CLASSES = (VOXELWRIGHT_PT_procedural,)
