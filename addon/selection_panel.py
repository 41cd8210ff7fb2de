# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of selected voxels, and of the clipboard."""

from typing import Any

import bpy

from . import clipboard, idnames, selections, session


class VOXELWRIGHT_PT_selection(bpy.types.Panel):
    bl_idname = idnames.PT_SELECTION
    bl_label = "Selection"
    bl_order = 2
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = idnames.CATEGORY

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return session.active_world_object(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        owner = session.active_world_object(context)
        assert owner is not None
        self._draw_size(owner)
        row = layout.row(align=True)
        for text, action in (("All", "SELECT"), ("None", "DESELECT"), ("Invert", "INVERT")):
            row.operator(idnames.OT_SELECT_ALL, text=text).action = action
        row = layout.row(align=True)
        row.operator(idnames.OT_SELECT_SURFACE, text="Surface")
        row.operator(idnames.OT_GROW_SELECTION, text="Grow")
        row.operator(idnames.OT_SHRINK_SELECTION, text="Shrink")
        for idnames_of_row in _ROWS:
            row = layout.row(align=True)
            for idname, text, icon in idnames_of_row:
                row.operator(idname, text=text, icon=icon)
        clip = clipboard.clip()
        if clip is not None:
            layout.label(text=f"Copied: {_product(clip.size)}", icon="COPYDOWN")

    def _draw_size(self, owner: bpy.types.Object) -> None:
        selection = selections.selection_of(owner)
        if selection is None:
            self.layout.label(text="Nothing is selected: all can be changed", icon="INFO")
            return
        n_voxels, size = _size_of(owner)
        self.layout.label(text=f"Voxels: {n_voxels:,}, in {_product(size)}", icon="SELECT_SET")


_ROWS: tuple[tuple[tuple[str, str, Any], ...], ...] = (
    (
        (idnames.OT_COPY_VOXELS, "Copy", "COPYDOWN"),
        (idnames.OT_CUT_VOXELS, "Cut", "NONE"),
        (idnames.OT_PASTE_VOXELS, "Paste", "PASTEDOWN"),
    ),
    (
        (idnames.OT_MOVE_VOXELS, "Move", "NONE"),
        (idnames.OT_DUPLICATE_VOXELS, "Duplicate", "DUPLICATE"),
        (idnames.OT_DELETE_VOXELS, "Delete", "X"),
    ),
    (
        (idnames.OT_ROTATE_VOXELS, "Rotate", "NONE"),
        (idnames.OT_MIRROR_VOXELS, "Mirror", "MOD_MIRROR"),
        (idnames.OT_FILL_VOXELS, "Fill", "NONE"),
        (idnames.OT_HOLLOW_VOXELS, "Hollow", "NONE"),
    ),
    (
        (idnames.OT_COPY_FROM_FILE, "Copy from File…", "FILEBROWSER"),
        (idnames.OT_EXPORT_SELECTION, "Export…", "EXPORT"),
    ),
)

_sizes: dict[int, tuple[int, tuple[int, ...]]] = {}
"""Voxels and size of the box of the selection drawn last, by its number."""


def _size_of(owner: bpy.types.Object) -> tuple[int, tuple[int, ...]]:
    number = selections.number_of(owner)
    if number not in _sizes:
        selection = selections.selection_of(owner)
        bounds = selection.bounds() if selection is not None else None
        assert selection is not None
        assert bounds is not None
        _sizes.clear()
        _sizes[number] = selection.count, tuple(high - low + 1 for low, high in zip(*bounds, strict=True))
    return _sizes[number]


def _product(size: tuple[int, ...]) -> str:
    return " × ".join(f"{n:,}" for n in size)


CLASSES = (VOXELWRIGHT_PT_selection,)
