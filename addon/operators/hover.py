# SPDX-License-Identifier: GPL-3.0-or-later
"""What tools do besides their gestures: the cursor that follows the mouse, brushes resized with F, compiling."""

import math

import bpy

from ...voxel.edit.brushes import RANGES
from ...voxel.jobs import Job
from .. import cursor, idnames, worlds
from ..tool_properties import of_tool
from .gesture import are_tools_ready
from .job_operator import JobOperator, Result


class VOXELWRIGHT_OT_prepare_tools(JobOperator, bpy.types.Operator):
    """Compile what tools need, at first use only"""

    bl_idname = idnames.OT_PREPARE_TOOLS
    bl_label = "Prepare Tools"
    bl_options = {"INTERNAL"}

    def start(self, _context: bpy.types.Context) -> Job[None]:
        return worlds.prepare_editing()

    def finish(self, _context: bpy.types.Context, _result: None) -> None:
        self.report({"INFO"}, "The tools are ready")


class VOXELWRIGHT_OT_hover(bpy.types.Operator):
    """Show what a click would touch"""

    bl_idname = idnames.OT_HOVER
    bl_label = "Follow the Mouse"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return isinstance(context.region_data, bpy.types.RegionView3D)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if are_tools_ready():
            cursor.follow(context, (event.mouse_region_x, event.mouse_region_y))
        return {"PASS_THROUGH"}


_SETTINGS = (
    ("RADIUS", "Radius", "The brush's radius"),
    ("STRENGTH", "Strength", "The brush's strength"),
)
_PIXELS_TO_DOUBLE = 90.0
_PIXELS_FOR_ALL = 300.0


class VOXELWRIGHT_OT_resize_brush(bpy.types.Operator):
    """Move the mouse to the right for more and to the left for less; click to keep it"""

    bl_idname = idnames.OT_RESIZE_BRUSH
    bl_label = "Resize Brush"
    bl_options = {"INTERNAL", "BLOCKING"}

    tool: bpy.props.StringProperty(name="Tool", description="Whose brush: sculpt, build or paint")
    setting: bpy.props.EnumProperty(name="Setting", description="What is changed", items=_SETTINGS)

    _start: tuple[int, int]
    _before: float

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        self._start = event.mouse_region_x, event.mouse_region_y
        self._before = getattr(of_tool(context.scene, self.tool), self.setting.lower())
        self._set(context, self._before)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._set(context, self._before)
            return self._ended(context, "CANCELLED")
        if event.type in {"LEFTMOUSE", "RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            return self._ended(context, "FINISHED")
        if event.type == "MOUSEMOVE":
            way = event.mouse_region_x - self._start[0]
            if self.setting == "RADIUS":
                # Half voxels; from one voxel to the largest brush it goes in equal steps of the eye's.
                self._set(context, round(2 * self._before * math.exp2(way / _PIXELS_TO_DOUBLE)) / 2)
            else:
                self._set(context, self._before + way / _PIXELS_FOR_ALL)
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender calls this where it ends the operator itself."""
        self._ended(context, "CANCELLED")

    def _set(self, context: bpy.types.Context, value: float) -> None:
        low, high = RANGES[self.setting.lower()]
        value = min(max(value, low), high)
        setattr(of_tool(context.scene, self.tool), self.setting.lower(), value)
        shown = f"{value:.1f} voxels" if self.setting == "RADIUS" else f"{value:.0%}"
        context.workspace.status_text_set(f"{self.setting.capitalize()} {shown}   (click to keep it, Esc to cancel)")
        cursor.follow(context, self._start)

    def _ended(self, context: bpy.types.Context, how: str) -> Result:
        context.workspace.status_text_set(None)
        return {how}


CLASSES = (VOXELWRIGHT_OT_prepare_tools, VOXELWRIGHT_OT_hover, VOXELWRIGHT_OT_resize_brush)
