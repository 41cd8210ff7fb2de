# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of tools that take one click: brush presets, and symmetry about the middle of the world."""

import bpy

from ...voxel.errors import VoxelwrightError
from .. import framing, idnames, presets, session
from ..properties import of_object
from ..tool_properties import apply_brush, of_tool
from .job_operator import Result, has_world

_items: list[tuple[str, str, str]] = []


def _preset_items(_self: object, _context: object) -> list[tuple[str, str, str]]:
    # Blender keeps no reference to the strings.
    if not _items:
        _items.extend((name, name.replace("_", " ").capitalize(), "") for name in presets.brush_names())
    return _items


class VOXELWRIGHT_OT_apply_brush(bpy.types.Operator):
    """Set the brush of Sculpt, Build or Paint as a preset has it, and take that tool"""

    bl_idname = idnames.OT_APPLY_BRUSH
    bl_label = "Apply Brush Preset"
    bl_options = {"INTERNAL"}

    preset: bpy.props.EnumProperty(name="Preset", description="The brush", items=_preset_items)

    def execute(self, context: bpy.types.Context) -> Result:
        try:
            brush = presets.brush(self.preset)
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        apply_brush(brush, of_tool(context.scene, brush.tool))
        if context.area is not None:
            bpy.ops.wm.tool_set_by_id(name=f"voxelwright.{brush.tool}")
        return {"FINISHED"}


class VOXELWRIGHT_OT_center_symmetry(bpy.types.Operator):
    """Put the centre of symmetry into the middle of the world"""

    bl_idname = idnames.OT_CENTER_SYMMETRY
    bl_label = "Centre on World"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_world(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        owner = session.active_world_object(context)
        bounds = framing.bounds_of(owner)
        if bounds is None:
            self.report({"WARNING"}, "This world has no voxels; build some first")
            return {"CANCELLED"}
        settings = of_object(owner).symmetry
        center = [(low + high + 1) / 2 for low, high in zip(*bounds, strict=True)]
        if settings.radial > 1 and (center[0] + center[1]) % 1:
            center[1] += 0.5
        settings.center = center
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_apply_brush, VOXELWRIGHT_OT_center_symmetry)
