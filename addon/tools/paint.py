# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from .common import Tool, brush_keys, draw_brush, icon
from .cursors import brush_cursor


class VOXELWRIGHT_TL_paint(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_PAINT
    bl_label = "Paint Voxels"
    bl_description = (
        "Give voxels of the active world another material.\nF sets the radius, S picks the material under the mouse"
    )
    bl_icon = icon("paint")
    bl_keymap = brush_keys("paint")
    cursor = staticmethod(brush_cursor("paint"))

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        draw_brush(context, layout, "paint")
