# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels behind the buttons of the tools' header."""

import bpy

from . import cursor, idnames, session
from .properties import of_object
from .tool_properties import of_tool


class VOXELWRIGHT_PT_brush(bpy.types.Panel):
    """The brush's further settings, and presets"""

    bl_idname = idnames.PT_BRUSH
    bl_label = "Brush"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_ui_units_x = 13

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        tool = cursor.active_tool(context).rpartition(".")[2]
        settings = of_tool(context.scene, tool if tool in _TOOLS else "build")
        layout.operator_menu_enum(idnames.OT_APPLY_BRUSH, "preset", text="Presets")
        for name in ("falloff", "spacing", "accumulate", "lock", "snap"):
            layout.prop(settings, name)


_TOOLS = frozenset({"sculpt", "build", "paint"})


class VOXELWRIGHT_PT_symmetry(bpy.types.Panel):
    """The active world's symmetry"""

    bl_idname = idnames.PT_SYMMETRY
    bl_label = "Symmetry"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_ui_units_x = 13

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        owner = session.active_world_object(context)
        if owner is None:
            return
        for name in ("mirrors", "radial", "center"):
            layout.prop(of_object(owner).symmetry, name)
        layout.operator(idnames.OT_CENTER_SYMMETRY, icon="PIVOT_BOUNDBOX")


CLASSES = (VOXELWRIGHT_PT_brush, VOXELWRIGHT_PT_symmetry)
