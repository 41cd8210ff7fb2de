# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from ..tool_properties import of_tools
from .common import COMMON_KEYS, PICK_KEY, Tool, draw_material, icon, key
from .cursors import region_cursor


class VOXELWRIGHT_TL_fill(Tool):
    bl_idname = idnames.TOOL_FILL
    bl_label = "Fill Voxels"
    bl_description = "Give the voxels that are connected with the one under the mouse the active material"
    bl_icon = icon("fill")
    bl_cursor = "PAINT_CROSS"
    bl_keymap = (key(idnames.OT_FILL_CONNECTED, "LEFTMOUSE"), PICK_KEY, *COMMON_KEYS)
    cursor = staticmethod(region_cursor)

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        settings = of_tools(context.scene).fill
        draw_material(context, layout)
        layout.prop(settings, "by", text="")
        layout.prop(settings, "limit")
