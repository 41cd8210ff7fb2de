# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected voxels are deleted, filled, and hollowed."""

from typing import TYPE_CHECKING, Any

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job
from ...voxel.limits import MAX_SELECTION_STEPS
from ...voxel.world import World
from .. import idnames, selections, session
from ..palettes import index_of, material_items
from .voxel_operator import Outcome, VoxelOperator

if TYPE_CHECKING:
    from ...voxel.edit.actions import Action
    from ...voxel.edit.selection import Selection


class _ActionOperator(VoxelOperator):
    """A mixin. The subclass gives action(), which is done to the selection."""

    needs_selection = True

    def action(self) -> "Action":
        raise NotImplementedError

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        from ...voxel.edit.dabs import doing

        assert selection is not None
        return Outcome(selection, (yield from doing(world, self.action(), selection)))


class VOXELWRIGHT_OT_delete_voxels(_ActionOperator, bpy.types.Operator):
    """Remove the selected voxels"""

    bl_idname = idnames.OT_DELETE_VOXELS
    bl_label = "Delete Voxels"
    bl_options = {"REGISTER", "UNDO"}

    # Where nothing is selected the key must not go on to Blender, which would delete the whole object.
    needs_selection = False

    def start(self, context: bpy.types.Context) -> Job[Any]:
        if selections.selection_of(session.active_world_object(context)) is None:
            raise VoxelwrightError("Select the voxels to be deleted first.")
        return super().start(context)

    def action(self) -> "Action":
        from ...voxel.edit.actions import remove

        return remove()


class VOXELWRIGHT_OT_fill_voxels(_ActionOperator, bpy.types.Operator):
    """Put voxels of one material everywhere in the selection, in its air too"""

    bl_idname = idnames.OT_FILL_VOXELS
    bl_label = "Fill with Voxels"
    bl_options = {"REGISTER", "UNDO"}

    material: bpy.props.EnumProperty(name="Material", description="What fills the selection", items=material_items)

    def read(self, owner: bpy.types.Object) -> None:
        self._index = index_of(self.material, owner)

    def action(self) -> "Action":
        from ...voxel.edit.actions import fill
        from ...voxel.edit.patterns import only

        return fill(only(self._index))


class VOXELWRIGHT_OT_hollow_voxels(VoxelOperator, bpy.types.Operator):
    """Leave a shell of the solid voxels selected, or of the whole world"""

    bl_idname = idnames.OT_HOLLOW_VOXELS
    bl_label = "Hollow Voxels"
    bl_options = {"REGISTER", "UNDO"}

    thickness: bpy.props.IntProperty(
        name="Thickness",
        description="How many voxels thick the shell is, counted through faces",
        default=1,
        min=1,
        max=MAX_SELECTION_STEPS,
    )

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        from ...voxel.edit.hollow import hollowing
        from ...voxel.edit.selection import solid

        part = solid(world) if selection is None else selection
        return Outcome(selection, (yield from hollowing(world, part, self.thickness)))


CLASSES = (
    VOXELWRIGHT_OT_delete_voxels,
    VOXELWRIGHT_OT_fill_voxels,
    VOXELWRIGHT_OT_hollow_voxels,
)
