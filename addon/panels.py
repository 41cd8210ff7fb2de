# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab in the 3D viewport."""

from typing import Any

import bpy

from . import idnames, session
from .properties import adjusted, of_object, of_scene
from .viewport import handler


class _SidebarPanel:
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = idnames.CATEGORY


class VOXELWRIGHT_PT_new_world(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_NEW_WORLD
    bl_label = "New World"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = of_scene(context.scene)
        for name in ("preset", "size", "seed"):
            layout.prop(settings, name)
        _recipe_button(layout, settings, idnames.OT_NEW_WORLD, "ADD")
        _recipe_button(layout, settings, idnames.OT_REGENERATE_WORLD, "FILE_REFRESH")
        layout.operator(idnames.OT_IMPORT_WORLD, text="Import…", icon="IMPORT")


def _recipe_button(layout: bpy.types.UILayout, settings: Any, idname: str, icon: Any) -> None:
    button = layout.operator(idname, icon=icon)
    button.preset, button.size, button.seed = settings.preset, settings.size, settings.seed
    button.adjusted = adjusted(settings)


class VOXELWRIGHT_PT_adjust(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_ADJUST
    bl_parent_id = idnames.PT_NEW_WORLD
    bl_label = "Adjust"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        settings = of_scene(context.scene)
        if not settings.parameters:
            layout.operator(idnames.OT_ADJUST_PRESET, icon="OPTIONS")
            return
        for parameter in settings.parameters:
            layout.prop(parameter, "value", text=parameter.label)
        layout.operator(idnames.OT_ADJUST_PRESET, text="Reset", icon="LOOP_BACK")


class VOXELWRIGHT_PT_world(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_WORLD
    bl_label = "World"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        owner = session.active_world_object(context)
        if owner is None:
            layout.label(text="Select a world, or make one", icon="INFO")
            return
        layout.label(text=owner.name, icon="EMPTY_ARROWS")
        if problem := session.problem_of(owner):
            layout.label(text=problem, icon="ERROR")
        world = session.loaded_world(owner)
        if world is not None:
            layout.label(text=f"{world.n_chunks:,} chunks, {len(world.palette.items())} materials")
            layout.operator(
                idnames.OT_SET_SMOOTHING, text=f"Smoothing {world.settings.smoothing:.0%}…", icon="MOD_SMOOTH"
            )
        if reason := handler.failure():
            layout.label(text=f"No preview: {reason}", icon="ERROR")
            layout.operator(idnames.OT_RETRY_PREVIEW, icon="FILE_REFRESH")
        layout.use_property_split = True
        layout.prop(of_object(owner), "show_preview")
        if world is not None and world.settings.recipe is not None:
            layout.prop(of_object(owner), "phase")
        layout.use_property_decorate = False
        settings = of_scene(context.scene)
        layout.prop(settings, "mesh_kind")
        layout.operator(idnames.OT_BAKE_WORLD, icon="MESH_GRID").mesh_kind = settings.mesh_kind
        layout.operator(idnames.OT_EXPORT_BAKED, text="Export…", icon="EXPORT")


CLASSES = (VOXELWRIGHT_PT_new_world, VOXELWRIGHT_PT_adjust, VOXELWRIGHT_PT_world)
