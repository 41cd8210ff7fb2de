# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from ..tool_properties import of_tool
from .common import COMMON_KEYS, PICK_KEY, Tool, draw_placing, icon, key
from .cursors import brush_cursor


class VOXELWRIGHT_TL_line(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_LINE
    bl_label = "Voxel Line"
    bl_description = "Drag a line from one voxel to another, with the Build tool's brush.\nCtrl does the opposite"
    bl_icon = icon("line")
    bl_keymap = (
        key(idnames.OT_DRAW_LINE, "LEFTMOUSE", mode="NORMAL"),
        key(idnames.OT_DRAW_LINE, "LEFTMOUSE", ctrl=True, mode="INVERT"),
        key(idnames.OT_RESIZE_BRUSH, "F", tool="build", setting="RADIUS"),
        key(idnames.OT_RESIZE_BRUSH, "F", shift=True, tool="build", setting="STRENGTH"),
        PICK_KEY,
        *COMMON_KEYS,
    )
    cursor = staticmethod(brush_cursor("build"))

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        settings = of_tool(context.scene, "build")
        layout.prop(settings, "shape", text="")
        for name in ("radius", "strength", "falloff"):
            layout.prop(settings, name)
        draw_placing(context, layout)
