# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy

from .. import brushes, cursor, idnames, picking, stamps
from ..tool_properties import of_tools
from .common import COMMON_KEYS, Tool, icon, key


def _clip_cursor(context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray) -> cursor.Shown | None:
    """The box of the stamp where it would stand."""
    from ...voxel.edit.stamps import on_face

    found = brushes.aim_at_voxel(owner, picking.in_voxels(owner, ray), outside=True)
    if found is None:
        return None
    settings = of_tools(context.scene).stamp
    clip = stamps.turned(stamps.clip_of(settings), settings.quarters, settings.mirrored)
    low = on_face(clip.size, brushes.voxel_of(found.point), found.face)
    high = (low[0] + clip.size[0] - 1, low[1] + clip.size[1] - 1, low[2] + clip.size[2] - 1)
    return [cursor.box_part(low, high)], "{} × {} × {}".format(*clip.size)


class VOXELWRIGHT_TL_stamp(Tool, bpy.types.WorkSpaceTool):
    bl_idname = idnames.TOOL_STAMP
    bl_label = "Stamp Voxels"
    bl_description = "Put what was copied, or a file's voxels, onto the active world; drag to put more of them"
    bl_icon = icon("stamp")
    bl_keymap = (key(idnames.OT_STAMP, "LEFTMOUSE"), *COMMON_KEYS)
    cursor = staticmethod(_clip_cursor)

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: Any) -> None:
        settings = of_tools(context.scene).stamp
        layout.prop(settings, "source", text="")
        if settings.source == "FILE":
            layout.prop(settings, "filepath", text="")
        for name in ("quarters", "mirrored", "is_random", "jitter", "distance"):
            layout.prop(settings, name)
