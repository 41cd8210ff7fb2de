# SPDX-License-Identifier: GPL-3.0-or-later
"""The active world's palette in the sidebar."""

from typing import Any

import bpy

from ..voxel.palette import Material
from . import idnames, session, swatches, toping_objects
from .palettes import active_material

_MAX_NAMED = 32
"""Up to so many materials are shown with their names, more as swatches alone."""

_NAMED_COLUMNS, _COLUMNS = 2, 8


class VOXELWRIGHT_PT_palette(bpy.types.Panel):
    bl_idname = idnames.PT_PALETTE
    bl_label = "Palette"
    bl_order = 1
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = idnames.CATEGORY
    bl_ui_units_x = 15

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        owner = session.active_world_object(context)
        return owner is not None and session.loaded_world(owner) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        owner = session.active_world_object(context)
        materials, active = session.loaded_world(owner).palette.items(), active_material(owner)
        chosen = dict(materials).get(active)
        if chosen is not None:
            _draw_chosen(layout, chosen)
            if chosen.toping == "object":
                _draw_toping_object(layout, owner, chosen)
        _draw_grid(layout, materials, active)
        row = layout.row(align=True)
        row.operator(idnames.OT_REPLACE_MATERIAL, text="Replace…", icon="ARROW_LEFTRIGHT")
        row.operator(idnames.OT_PURGE_MATERIALS, text="Purge", icon="TRASH")


def _draw_chosen(layout: bpy.types.UILayout, material: Material) -> None:
    """The active material, large, with what can be done to it."""
    row = layout.row()
    row.template_icon(swatches.icon_of(material), scale=3.6)
    column = row.column()
    column.label(text=material.name)
    column.operator(idnames.OT_EDIT_MATERIAL, text="Edit…", icon="GREASEPENCIL")
    buttons = column.row(align=True)
    buttons.operator(idnames.OT_SEARCH_MATERIAL, text="", icon="VIEWZOOM")
    buttons.operator(idnames.OT_ADD_MATERIAL, text="", icon="ADD")
    buttons.operator(idnames.OT_MERGE_MATERIAL, text="", icon="AUTOMERGE_ON")
    buttons.operator(idnames.OT_MOVE_MATERIAL, text="", icon="TRIA_UP").steps = -1
    buttons.operator(idnames.OT_MOVE_MATERIAL, text="", icon="TRIA_DOWN").steps = 1


def _draw_toping_object(layout: bpy.types.UILayout, owner: bpy.types.Object, material: Material) -> None:
    """Which object grows on the material."""
    item = toping_objects.item_of(owner, material.name)
    if item is None:
        # A panel may not make one; editing the material does.
        layout = layout.row()
        layout.operator_context = "EXEC_DEFAULT"
        layout.operator(idnames.OT_EDIT_MATERIAL, text="Choose Object", icon="OBJECT_DATA").toping = "object"
        return
    column = layout.column(align=True)
    column.use_property_split = True
    column.use_property_decorate = False
    column.prop(item, "object", text="Toping")
    column.prop(item, "collection")


def _draw_grid(layout: bpy.types.UILayout, materials: list[tuple[int, Material]], active: int) -> None:
    is_named = len(materials) <= _MAX_NAMED
    columns = _NAMED_COLUMNS if is_named else _COLUMNS
    grid = layout.grid_flow(row_major=True, columns=columns, even_columns=True, even_rows=True, align=True)
    for index, material in materials:
        text = material.name if is_named else ""
        icon = swatches.icon_of(material)
        button = grid.operator(
            idnames.OT_SET_MATERIAL, text=text, translate=False, icon_value=icon, depress=index == active
        )
        button.index = index


CLASSES = (VOXELWRIGHT_PT_palette,)
