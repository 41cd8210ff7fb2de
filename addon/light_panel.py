# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of the light in viewports."""

from typing import Any

import bpy

from . import idnames, preferences
from .light_properties import sun_object
from .properties import of_scene
from .quality import NO_LIGHT


class VOXELWRIGHT_PT_light(bpy.types.Panel):
    bl_idname = idnames.PT_LIGHT
    bl_parent_id = idnames.PT_VIEWPORT
    bl_label = "Light"
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = idnames.CATEGORY
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = of_scene(context.scene).light
        layout.prop(settings, "sun")
        if sun_object(settings) is None:
            _draw_settings(
                layout, settings, {"sun_elevation": "Elevation", "sun_rotation": "Rotation", "sun_size": "Size"}
            )
        has_light = preferences.choices().quality.light != NO_LIGHT
        if not has_light:
            layout.label(text="Not in this quality", icon="INFO")
        column = layout.column()
        column.active = has_light
        _draw_effect(column, settings, "Shadows", "use_shadows", "shadow_strength")
        _draw_settings(column, settings, {"shadow_distance": "Distance"}, active=settings.use_shadows)
        _draw_effect(column, settings, "Occlusion", "use_occlusion", "occlusion_strength")
        _draw_settings(column, settings, {"occlusion_radius": "Radius"}, active=settings.use_occlusion)


def _draw_effect(layout: bpy.types.UILayout, settings: Any, heading: str, switch: str, strength: str) -> None:
    """A switch, and the strength beside it."""
    row = layout.row(heading=heading)
    row.prop(settings, switch, text="")
    beside = row.row()
    beside.active = getattr(settings, switch)
    beside.prop(settings, strength, text="")


def _draw_settings(layout: bpy.types.UILayout, settings: Any, texts: dict[str, str], *, active: bool = True) -> None:
    """Settings, by their names and what they are called here."""
    column = layout.column(align=True)
    column.active = active
    for name, text in texts.items():
        column.prop(settings, name, text=text)


CLASSES = (VOXELWRIGHT_PT_light,)
