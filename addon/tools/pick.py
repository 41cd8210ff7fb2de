# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from .common import COMMON_KEYS, Tool, draw_material, icon, key
from .cursors import voxel_cursor


class VOXELWRIGHT_TL_pick(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_PICK
    bl_label = "Pick Material"
    bl_description = "Make the material under the mouse the active one"
    bl_icon = icon("pick")
    bl_cursor = "EYEDROPPER"
    bl_keymap = (key(idnames.OT_PICK_MATERIAL, "LEFTMOUSE"), *COMMON_KEYS)
    cursor = staticmethod(voxel_cursor(outside=False))

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        draw_material(context, layout)
