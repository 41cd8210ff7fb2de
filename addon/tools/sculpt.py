# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from .common import Tool, brush_keys, draw_brush, icon
from .cursors import brush_cursor


class VOXELWRIGHT_TL_sculpt(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_SCULPT
    bl_label = "Sculpt Voxels"
    bl_description = (
        "Raise, lower, smooth, flatten, grow, erode or roughen the surface of the active world.\n"
        "Ctrl does the opposite, Shift smooths, F sets the radius"
    )
    bl_icon = icon("sculpt")
    bl_keymap = brush_keys("sculpt")
    cursor = staticmethod(brush_cursor("sculpt"))

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        draw_brush(context, layout, "sculpt")
