# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from .common import COMMON_KEYS, PICK_KEY, Tool, draw_placing, icon, key
from .cursors import box_cursor


class VOXELWRIGHT_TL_box(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_BOX
    bl_label = "Voxel Box"
    bl_description = (
        "Drag a box in the plane of the face under the mouse; the wheel makes it higher.\nCtrl does the opposite"
    )
    bl_icon = icon("box")
    bl_keymap = (
        key(idnames.OT_DRAW_BOX, "LEFTMOUSE", mode="NORMAL"),
        key(idnames.OT_DRAW_BOX, "LEFTMOUSE", ctrl=True, mode="INVERT"),
        PICK_KEY,
        *COMMON_KEYS,
    )
    cursor = staticmethod(box_cursor)

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        draw_placing(context, layout)
