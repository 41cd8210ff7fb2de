# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools in their order."""

from typing import Any

import bpy

from .. import cursor
from .box import VOXELWRIGHT_TL_box
from .build import VOXELWRIGHT_TL_build
from .extrude import VOXELWRIGHT_TL_extrude
from .fill import VOXELWRIGHT_TL_fill
from .line import VOXELWRIGHT_TL_line
from .paint import VOXELWRIGHT_TL_paint
from .pick import VOXELWRIGHT_TL_pick
from .sculpt import VOXELWRIGHT_TL_sculpt
from .select import VOXELWRIGHT_TL_select
from .stamp import VOXELWRIGHT_TL_stamp

TOOLS: tuple[Any, ...] = (
    VOXELWRIGHT_TL_sculpt,
    VOXELWRIGHT_TL_build,
    VOXELWRIGHT_TL_paint,
    VOXELWRIGHT_TL_box,
    VOXELWRIGHT_TL_line,
    VOXELWRIGHT_TL_fill,
    VOXELWRIGHT_TL_extrude,
    VOXELWRIGHT_TL_stamp,
    VOXELWRIGHT_TL_select,
    VOXELWRIGHT_TL_pick,
)

_added: list[Any] = []


def register() -> None:
    """Put the tools into the toolbar, below Blender's."""
    for tool in TOOLS:
        bpy.utils.register_tool(tool, separator=not _added)
        cursor.makers[tool.bl_idname] = tool.cursor
        _added.append(tool)


def unregister() -> None:
    """Take them out of it."""
    while _added:
        tool = _added.pop()
        cursor.makers.pop(tool.bl_idname)
        bpy.utils.unregister_tool(tool)
