# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from ..tool_properties import of_tools
from .common import COMMON_KEYS, Tool, icon, key
from .cursors import face_cursor


class VOXELWRIGHT_TL_extrude(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_EXTRUDE
    bl_label = "Extrude Voxels"
    bl_description = "Drag the connected face under the mouse out of the world, or into it"
    bl_icon = icon("extrude")
    bl_keymap = (key(idnames.OT_EXTRUDE_FACE, "LEFTMOUSE"), *COMMON_KEYS)
    cursor = staticmethod(face_cursor)

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        layout.prop(of_tools(context.scene).fill, "limit")
