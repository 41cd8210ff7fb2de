# SPDX-License-Identifier: GPL-3.0-or-later
"""The pie menu of tools and the palette."""

from typing import Any

import bpy

from . import idnames

_TOOLS: tuple[tuple[str, str, Any], ...] = (
    (idnames.TOOL_SCULPT, "Sculpt", "SCULPTMODE_HLT"),
    (idnames.TOOL_BUILD, "Build", "CUBE"),
    (idnames.TOOL_PAINT, "Paint", "BRUSH_DATA"),
    (idnames.TOOL_SELECT, "Select", "SELECT_SET"),
    (idnames.TOOL_BOX, "Box", "MESH_CUBE"),
    (idnames.TOOL_PICK, "Pick Material", "EYEDROPPER"),
)
"""Around the pie as Blender fills it but for the palette's place: left, right, below, upper left, upper right, lower
left."""

_FURTHER_TOOLS: tuple[tuple[str, str, Any], ...] = (
    (idnames.TOOL_LINE, "Line", "IPO_LINEAR"),
    (idnames.TOOL_FILL, "Fill", "SNAP_FACE"),
    (idnames.TOOL_EXTRUDE, "Extrude", "MOD_SOLIDIFY"),
    (idnames.TOOL_STAMP, "Stamp", "DUPLICATE"),
)
"""Lower right."""

_PALETTE_PLACE = 3
"""Above."""


class VOXELWRIGHT_MT_pie(bpy.types.Menu):
    """Tools for voxels, and the material that they place"""

    bl_idname = idnames.MT_PIE
    bl_label = "Voxels"

    def draw(self, _context: bpy.types.Context) -> None:
        pie = self.layout.menu_pie()
        for place, tool in enumerate(_TOOLS):
            if place == _PALETTE_PLACE:
                palette = pie.operator("wm.call_panel", text="Palette", icon="COLOR")
                palette.name, palette.keep_open = idnames.PT_PALETTE, True
            _draw_tool(pie, tool)
        column = pie.column(align=True)
        column.ui_units_x = 5
        for tool in _FURTHER_TOOLS:
            _draw_tool(column, tool)


def _draw_tool(layout: bpy.types.UILayout, tool: tuple[str, str, Any]) -> None:
    idname, text, icon = tool
    layout.operator("wm.tool_set_by_id", text=text, icon=icon).name = idname


CLASSES = (VOXELWRIGHT_MT_pie,)
