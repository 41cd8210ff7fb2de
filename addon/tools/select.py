# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import idnames
from ..tool_properties import of_tools
from .common import COMMON_KEYS, Tool, icon, key
from .cursors import select_cursor


class VOXELWRIGHT_TL_select(Tool):
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
        *COMMON_KEYS,
    )
    cursor = staticmethod(select_cursor)

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        settings = of_tools(context.scene)
        layout.prop(settings.select, "by", text="")
        if settings.select.by not in {"BOX", "EVERYWHERE"}:
            layout.prop(settings.fill, "limit")
