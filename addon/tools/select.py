# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from ..tool_properties import of_tools
from .common import COMMON_KEYS, Tool, icon, key
from .cursors import select_cursor


class VOXELWRIGHT_TL_select(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_SELECT
    bl_label = "Select Voxels"
    bl_description = (
        "Select voxels of the active world: a box, or what is connected with the voxel under the mouse.\n"
        "Shift adds to the selection, Ctrl takes away from it"
    )
    bl_icon = icon("select")
    bl_keymap = (
        key(idnames.OT_SELECT_GESTURE, "LEFTMOUSE", mode="SET"),
        key(idnames.OT_SELECT_GESTURE, "LEFTMOUSE", shift=True, mode="ADD"),
        key(idnames.OT_SELECT_GESTURE, "LEFTMOUSE", ctrl=True, mode="SUBTRACT"),
        key(idnames.OT_SELECT_ALL, "A", action="SELECT"),
        key(idnames.OT_SELECT_ALL, "A", alt=True, action="DESELECT"),
        key(idnames.OT_SELECT_ALL, "I", ctrl=True, action="INVERT"),
        key(idnames.OT_GROW_SELECTION, "NUMPAD_PLUS", ctrl=True),
        key(idnames.OT_SHRINK_SELECTION, "NUMPAD_MINUS", ctrl=True),
        key(idnames.OT_COPY_VOXELS, "C", ctrl=True),
        key(idnames.OT_CUT_VOXELS, "X", ctrl=True),
        key(idnames.OT_PASTE_VOXELS, "V", ctrl=True),
        key(idnames.OT_DUPLICATE_VOXELS, "D", shift=True),
        key(idnames.OT_MOVE_VOXELS, "G"),
        key(idnames.OT_ROTATE_VOXELS, "R"),
        key(idnames.OT_MIRROR_VOXELS, "M", ctrl=True),
        key(idnames.OT_DELETE_VOXELS, "X"),
        key(idnames.OT_DELETE_VOXELS, "DEL"),
        *COMMON_KEYS,
    )
    cursor = staticmethod(select_cursor)

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        settings = of_tools(context.scene)
        layout.prop(settings.select, "by", text="")
        if settings.select.by not in {"BOX", "EVERYWHERE"}:
            layout.prop(settings.fill, "limit")
