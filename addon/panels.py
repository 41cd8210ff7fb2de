# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab in the 3D viewport."""

import textwrap
from typing import Any

import bpy

from . import framing, idnames, preferences, session
from .operators import recover_worlds
from .properties import adjusted, area_number, of_object, of_scene, of_screen
from .viewport import handler


class _SidebarPanel:
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = idnames.CATEGORY


class VOXELWRIGHT_PT_recovery(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_RECOVERY
    bl_label = "Recover"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return recover_worlds.is_needed()

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        text = "Blender ended unexpectedly, with worlds that were not saved. They were kept."
        paragraph(layout, context, text, "ERROR")
        layout.operator(idnames.OT_RECOVER_WORLDS, icon="RECOVER_LAST")
        layout.operator(idnames.OT_DISCARD_RECOVERY, icon="TRASH")


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
            paragraph(layout, context, problem, "ERROR")
        world = session.loaded_world(owner)
        if world is not None:
            layout.label(text=f"Chunks: {world.n_chunks:,}, materials: {len(world.palette.items())}")
            layout.operator(
                idnames.OT_SET_SMOOTHING, text=f"Smoothing {world.settings.smoothing:.0%}…", icon="MOD_SMOOTH"
            )
        layout.use_property_split = True
        if world is not None and world.settings.recipe is not None:
            layout.prop(of_object(owner), "phase")
        layout.operator(idnames.OT_DROP_OBJECTS, icon="SNAP_FACE")


class VOXELWRIGHT_PT_bake(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_BAKE
    bl_label = "Bake"
    bl_order = 4

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return session.active_world_object(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        paragraph(layout, context, "Renders (F12) and exports hold what is baked, not the preview.", "INFO")
        settings = of_scene(context.scene)
        layout.prop(settings, "mesh_kind")
        layout.prop(settings, "toping_mode")
        bake = layout.operator(idnames.OT_BAKE_WORLD, icon="MESH_GRID")
        bake.mesh_kind, bake.topings = settings.mesh_kind, settings.toping_mode
        layout.operator(idnames.OT_EXPORT_BAKED, text="Export…", icon="EXPORT")


class VOXELWRIGHT_PT_viewport(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_VIEWPORT
    bl_label = "Viewport"
    bl_order = 5

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        preview = handler.preview
        if preview.failure:
            paragraph(layout, context, f"No preview: {preview.failure} Baked objects are seen without it.", "ERROR")
            layout.operator(idnames.OT_RETRY_PREVIEW, icon="FILE_REFRESH")
        for notice in preview.notices:
            paragraph(layout, context, notice, "INFO")
        self._draw_clip_end(context)
        column = layout.column(heading="Preview")
        owner = session.active_world_object(context)
        if owner is not None:
            column.prop(of_object(owner), "show_preview", text=owner.name)
        number = area_number(context.screen, context.area)
        if number is not None:
            column.prop(of_screen(context.screen), "shown", index=number, text="This Viewport")
        for name in ("view", "show_stats"):
            layout.prop(of_scene(context.scene), name)

    def _draw_clip_end(self, context: bpy.types.Context) -> None:
        """A warning where worlds reach beyond the viewport's clip end."""
        shown = (owner for owner in handler.shown_worlds(context) if session.loaded_world(owner) is not None)
        corners = framing.corners_of_all(shown)
        needed = framing.clip_end_needed(context.space_data, framing.view_of(context), corners)
        if needed is not None:
            paragraph(self.layout, context, f"Worlds reach {needed:.0f} m away, beyond the view's clip end.", "INFO")
            self.layout.operator(idnames.OT_EXTEND_CLIP_END, icon="VIEW_PERSPECTIVE")


class VOXELWRIGHT_PT_quality(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_QUALITY
    bl_parent_id = idnames.PT_VIEWPORT
    bl_label = "Quality"
    bl_order = 1
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        stored = preferences.stored()
        if stored is not None:
            preferences.draw_settings(layout, stored)
        preview = handler.preview
        figures = preview.figures()
        if figures is not None:
            budget = preferences.choices().budget_mib
            layout.label(text=f"{figures.nbytes / 2**20:,.0f} MiB in use, {budget:,} MiB at most a world")
            paragraph(layout, context, f"Drawn {_WAYS[preview.way]}. {preview.reason}", "NONE")


_WAYS = {"direct": "in Blender's own context", "carried": "apart, and carried into the viewport"}


def paragraph(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: Any) -> None:
    """Text in as many lines as the region's width needs."""
    letters = max(int(context.region.width / context.preferences.system.ui_scale / _LETTER_WIDTH) - _ICON_LETTERS, 12)
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(textwrap.wrap(text, letters)):
        column.label(text=line, icon=icon if number == 0 else "BLANK1" if icon != "NONE" else "NONE")


_LETTER_WIDTH, _ICON_LETTERS = 6.4, 8
"""A letter's mean width in pixels at a scale of 1, and the letters for which icon and margins leave no room."""


CLASSES = (
    VOXELWRIGHT_PT_recovery,
    VOXELWRIGHT_PT_new_world,
    VOXELWRIGHT_PT_adjust,
    VOXELWRIGHT_PT_world,
    VOXELWRIGHT_PT_bake,
    VOXELWRIGHT_PT_viewport,
    VOXELWRIGHT_PT_quality,
)
