# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels are selected: in a box, by material, connected, at the surface, all, around those that are."""

from typing import TYPE_CHECKING

import bpy

from ...voxel.jobs import Job, Progress
from ...voxel.limits import MAX_CONNECTED_VOXELS, MAX_SELECTION_STEPS
from ...voxel.world import World
from .. import idnames, selections
from ..palettes import index_of, material_items
from .voxel_operator import Outcome, VoxelOperator

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection

_FACE_ITEMS = [
    (name, f"{sign}{axis}", f"The faces that look to {sign}{axis}")
    for name, sign, axis in (
        ("POS_X", "+", "X"), ("NEG_X", "−", "X"), ("POS_Y", "+", "Y"),
        ("NEG_Y", "−", "Y"), ("POS_Z", "+", "Z"), ("NEG_Z", "−", "Z"),
    )
]  # fmt: skip
FACES = [name for name, *_ in _FACE_ITEMS]
"""In the order of voxel/layout.py."""


class _SelectOperator(VoxelOperator):
    """A mixin. The subclass gives find()."""

    mode: bpy.props.EnumProperty(
        name="Mode",
        description="What becomes of the selection before",
        items=[(name, label, description) for name, (label, description) in selections.MODES.items()],
        options={"SKIP_SAVE"},
    )

    def find(self, world: World, selection: "Selection | None") -> "Selection":
        """The voxels that are meant, of a world of which some are selected already."""
        raise NotImplementedError

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        yield Progress(0.0, "Selecting")
        return Outcome(selections.combined(selection, self.find(world, selection), self.mode))


class VOXELWRIGHT_OT_select_box(_SelectOperator, bpy.types.Operator):
    """Select all voxels of a box, air too"""

    bl_idname = idnames.OT_SELECT_BOX
    bl_label = "Select Box of Voxels"
    bl_options = {"REGISTER", "UNDO"}

    corner: bpy.props.IntVectorProperty(name="Corner", description="A corner voxel of the box", size=3, subtype="XYZ")
    opposite: bpy.props.IntVectorProperty(
        name="Opposite", description="The corner voxel opposite to it", size=3, subtype="XYZ", default=(31, 31, 31)
    )

    def find(self, _world: World, _selection: "Selection | None") -> "Selection":
        from ...voxel.edit.selection import box

        return box(self.corner[:], self.opposite[:])


class VOXELWRIGHT_OT_select_by_material(_SelectOperator, bpy.types.Operator):
    """Select all voxels of a material"""

    bl_idname = idnames.OT_SELECT_BY_MATERIAL
    bl_label = "Select by Material"
    bl_options = {"REGISTER", "UNDO"}

    material: bpy.props.EnumProperty(
        name="Material", description="The material whose voxels are selected", items=material_items
    )

    def read(self, owner: bpy.types.Object) -> None:
        self._index = index_of(self.material, owner)

    def find(self, world: World, _selection: "Selection | None") -> "Selection":
        from ...voxel.edit.selection import by_material

        return by_material(world, self._index)


class VOXELWRIGHT_OT_select_connected(_SelectOperator, bpy.types.Operator):
    """Select the voxels of one material that are connected"""

    bl_idname = idnames.OT_SELECT_CONNECTED
    bl_label = "Select Connected Voxels"
    bl_options = {"REGISTER", "UNDO"}

    start_voxel: bpy.props.IntVectorProperty(
        name="Voxel", description="The voxel to which the others are connected", size=3, subtype="XYZ"
    )
    by: bpy.props.EnumProperty(
        name="Connected",
        description="What connects voxels of one material",
        items=[
            ("MATERIAL", "Through Faces", "They touch each other with a face"),
            ("SURFACE", "Along the Surface", "All have air at a face, and they touch each other, be it by a corner"),
            ("FACE", "In a Plane", "They lie in one plane with air before them, edge to edge"),
        ],
    )
    face: bpy.props.EnumProperty(
        name="Face", description="Where the plane looks to", items=_FACE_ITEMS, default="POS_Z"
    )
    limit: bpy.props.IntProperty(
        name="Limit",
        description="Where more voxels than this are connected, none are selected",
        default=1 << 24,
        min=1,
        max=MAX_CONNECTED_VOXELS,
    )

    def find(self, world: World, _selection: "Selection | None") -> "Selection":
        from ...voxel.edit.connected import connected

        return connected(world, self.start_voxel[:], self.by.lower(), FACES.index(self.face), self.limit)


class VOXELWRIGHT_OT_select_surface(_SelectOperator, bpy.types.Operator):
    """Select the voxels that have air at a face: of those selected, or of the world"""

    bl_idname = idnames.OT_SELECT_SURFACE
    bl_label = "Select Surface Voxels"
    bl_options = {"REGISTER", "UNDO"}

    def find(self, world: World, selection: "Selection | None") -> "Selection":
        from ...voxel.edit.selection import surface

        return surface(world, selection)


class VOXELWRIGHT_OT_select_all(VoxelOperator, bpy.types.Operator):
    """Select all voxels of the world, none, or those that are not selected"""

    bl_idname = idnames.OT_SELECT_ALL
    bl_label = "Select All Voxels"
    bl_options = {"REGISTER", "UNDO"}

    action: bpy.props.EnumProperty(
        name="Action",
        description="What is selected",
        items=[
            ("SELECT", "Select", "All voxels that are not air"),
            ("DESELECT", "Deselect", "None; tools work everywhere then"),
            ("INVERT", "Invert", "All voxels that are not air and were not selected"),
        ],
        options={"SKIP_SAVE"},
    )

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        from ...voxel.edit.selection import inverted, solid

        yield Progress(0.0, "Selecting")
        if self.action == "DESELECT":
            return Outcome(None)
        return Outcome(solid(world) if self.action == "SELECT" or selection is None else inverted(world, selection))


class _SpreadOperator(VoxelOperator):
    """A mixin for what moves the selection's border."""

    needs_selection = True
    grows = True

    n_voxels: bpy.props.IntProperty(
        name="Voxels",
        description="By how many voxels, counted through faces",
        default=1,
        min=1,
        max=MAX_SELECTION_STEPS,
    )

    def work(self, _world: World, selection: "Selection | None") -> Job[Outcome]:
        assert selection is not None
        return Outcome((yield from selection.spreading(self.n_voxels, self.grows)))


class VOXELWRIGHT_OT_grow_selection(_SpreadOperator, bpy.types.Operator):
    """Select the voxels around those selected too, air too"""

    bl_idname = idnames.OT_GROW_SELECTION
    bl_label = "Grow Selection"
    bl_options = {"REGISTER", "UNDO"}


class VOXELWRIGHT_OT_shrink_selection(_SpreadOperator, bpy.types.Operator):
    """Deselect the voxels at the border of the selection"""

    bl_idname = idnames.OT_SHRINK_SELECTION
    bl_label = "Shrink Selection"
    bl_options = {"REGISTER", "UNDO"}
    grows = False


CLASSES = (
    VOXELWRIGHT_OT_select_box,
    VOXELWRIGHT_OT_select_by_material,
    VOXELWRIGHT_OT_select_connected,
    VOXELWRIGHT_OT_select_surface,
    VOXELWRIGHT_OT_select_all,
    VOXELWRIGHT_OT_grow_selection,
    VOXELWRIGHT_OT_shrink_selection,
)
