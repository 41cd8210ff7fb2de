# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from .common import Tool, brush_keys, draw_brush, icon
from .cursors import brush_cursor


class VOXELWRIGHT_TL_build(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_BUILD
    bl_label = "Build Voxels"
    bl_description = (
        "Add, remove or replace voxels of the active world.\nCtrl does the opposite, Shift smooths, F sets the radius"
    )
    bl_icon = icon("build")
    bl_keymap = brush_keys("build")
    cursor = staticmethod(brush_cursor("build"))

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        draw_brush(context, layout, "build")
