# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals in the sidebar, and in the Add menu."""

from typing import Any

import bpy

from . import decals, idnames
from .panels import paragraph
from .properties import of_object, of_scene


class VOXELWRIGHT_UL_decals(bpy.types.UIList):
    """The scene's decals, the one on top first."""

    bl_idname = idnames.UL_DECALS

    def draw_item(
        self,
        _context: Any,
        layout: Any,
        _data: Any,
        item: Any,
        _icon: Any,
        _active_data: Any,
        _active_property: Any,
        _index: Any,
        _flag: Any,
    ) -> None:
        image = of_object(item).decal.image
        layout.prop(item, "name", text="", emboss=False, icon="IMAGE_DATA" if image is not None else "SELECT_SET")
        layout.prop(item, "hide_viewport", text="", emboss=False, icon_only=True)

    def filter_items(self, context: Any, data: Any, name: Any) -> Any:
        objects = list(getattr(data, name))
        ordered = {owner: place for place, owner in enumerate(reversed(decals.decals_in(context.scene)))}
        wanted = self.filter_name.lower()
        flags = [self.bitflag_filter_item if o in ordered and wanted in o.name.lower() else 0 for o in objects]
        others = iter(range(len(ordered), len(objects)))
        return flags, [ordered[owner] if owner in ordered else next(others) for owner in objects]


class _SidebarPanel:
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = idnames.CATEGORY


class VOXELWRIGHT_PT_decals(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_DECALS
    bl_label = "Decals"
    bl_order = 3
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.operator_menu_enum(idnames.OT_ADD_DECAL, "picture", icon="ADD")
        for problem in decals.shown_decals(context).problems:
            paragraph(layout, context, problem, "ERROR")
        row = layout.row()
        row.template_list(
            idnames.UL_DECALS, "", context.scene, "objects", of_scene(context.scene), "decal_index", rows=3
        )
        column = row.column(align=True)
        column.operator(idnames.OT_MOVE_DECAL, text="", icon="TRIA_UP").steps = 1
        column.operator(idnames.OT_MOVE_DECAL, text="", icon="TRIA_DOWN").steps = -1


class VOXELWRIGHT_PT_decal(_SidebarPanel, bpy.types.Panel):
    bl_idname = idnames.PT_DECAL
    bl_parent_id = idnames.PT_DECALS
    bl_label = "Active Decal"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return decals.is_decal(context.active_object)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        owner = context.active_object
        assert owner is not None
        settings = of_object(owner).decal
        for name, label in (("image", "Image"), ("normal_map", "Normal Map")):
            layout.template_ID(settings, name, new="image.new", open="image.open", text=label)
        for names in (
            ("tint", "color_mix", "normal_mix"),
            ("upper_fade", "lower_fade", "max_angle"),
            ("distance_begin", "distance_length"),
        ):
            column = layout.column(align=True)
            for name in names:
                column.prop(settings, name)
        layout.prop(settings, "layers")
        layout.prop(settings, "order")


def _add_menu(self: Any, _context: bpy.types.Context) -> None:
    # From a menu there is no click to wait for: it goes to the 3D cursor, as all that menus add.
    layout = self.layout
    layout.operator_context = "EXEC_REGION_WIN"
    layout.operator_menu_enum(idnames.OT_ADD_DECAL, "picture", text="Decal", icon="IMAGE_PLANE")


def add_menu() -> None:
    """Add the entry to Blender's Add menu."""
    menu: Any = bpy.types.VIEW3D_MT_add
    menu.append(_add_menu)


def remove_menu() -> None:
    """Take the entry off it."""
    menu: Any = bpy.types.VIEW3D_MT_add
    menu.remove(_add_menu)


CLASSES = (VOXELWRIGHT_UL_decals, VOXELWRIGHT_PT_decals, VOXELWRIGHT_PT_decal)
