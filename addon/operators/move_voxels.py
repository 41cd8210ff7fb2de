# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels are put elsewhere: pasted, duplicated, moved, rotated, mirrored. Where the operator is started from the
interface, the first three follow the mouse until they are placed."""

from typing import TYPE_CHECKING, Any

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job, Progress, stage
from ...voxel.world import Coord, World
from .. import clipboard, idnames
from .placing import PlacingOperator
from .voxel_operator import AXIS_ITEMS, Outcome, VoxelOperator

if TYPE_CHECKING:
    from ...voxel.edit.clipboard import Clip
    from ...voxel.edit.orientation import Orientation
    from ...voxel.edit.selection import Selection


class VOXELWRIGHT_OT_paste_voxels(PlacingOperator, VoxelOperator, bpy.types.Operator):
    """Write what was copied over the world's voxels; its materials are added to the world's palette"""

    bl_idname = idnames.OT_PASTE_VOXELS
    bl_label = "Paste Voxels"
    bl_options = {"REGISTER", "UNDO"}

    at: bpy.props.IntVectorProperty(
        name="At", description="Where the lowest voxel of the copied box goes", size=3, subtype="XYZ"
    )
    within: bpy.props.BoolProperty(
        name="Within Selection",
        description="Change selected voxels only, and leave them selected",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if clipboard.clip() is None:
            cls.poll_message_set("Copy voxels first")
            return False
        return super().poll(context)

    def clip_to_place(self, _world: World, _selection: "Selection | None") -> "Clip":
        clip = clipboard.clip()
        if clip is None:
            raise VoxelwrightError("Nothing was copied; copy voxels first.")
        return clip

    def set_place(self, at: Coord, _clip: "Clip") -> None:
        self.at = at

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        from ...voxel.edit.clipboard import pasting
        from ...voxel.edit.selection import solid

        yield Progress(0.0, "Pasting")
        clip = self.clip_to_place(world, selection).oriented(self.orientation())
        within = selection if self.within else None
        edit = yield from pasting(world, clip, self.at[:], within)
        return Outcome(within or solid(clip.voxels).shifted(_difference(self.at, clip.low)), edit)


class _OffsetOperator(PlacingOperator, VoxelOperator):
    """A mixin for what puts the selected voxels elsewhere."""

    needs_selection = True

    offset: bpy.props.IntVectorProperty(name="Offset", description="How far they go, in voxels", size=3, subtype="XYZ")

    def clip_to_place(self, world: World, selection: "Selection | None") -> "Clip":
        from ...voxel.edit.clipboard import copy

        assert selection is not None
        return copy(world, selection)

    def set_place(self, at: Coord, clip: "Clip") -> None:
        self.offset = _difference(at, clip.low)


class VOXELWRIGHT_OT_duplicate_voxels(_OffsetOperator, bpy.types.Operator):
    """Copy the selected voxels to another place; the copies are selected then"""

    bl_idname = idnames.OT_DUPLICATE_VOXELS
    bl_label = "Duplicate Voxels"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        from ...voxel.edit.clipboard import copying, pasting

        assert selection is not None
        clip = yield from stage(copying(world, selection), 0.0, 0.3)
        at = _sum(clip.low, self.offset)
        turned = clip.oriented(self.orientation())
        edit = yield from stage(pasting(world, turned, at), 0.3, 1.0)
        return Outcome(_moved(selection, self.orientation(), turned, at), edit)


class VOXELWRIGHT_OT_move_voxels(_OffsetOperator, bpy.types.Operator):
    """Move the selected voxels, over whatever is there"""

    bl_idname = idnames.OT_MOVE_VOXELS
    bl_label = "Move Voxels"
    bl_options = {"REGISTER", "UNDO"}

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        assert selection is not None
        bounds = selection.bounds()
        assert bounds is not None
        return (yield from _transplanted(world, selection, self.orientation(), _sum(bounds[0], self.offset)))


class _InPlaceOperator(VoxelOperator):
    """A mixin for what turns the selected voxels about the middle of their box, along or about an axis."""

    needs_selection = True

    axis: bpy.props.EnumProperty(name="Axis", description="The axis of the world", items=AXIS_ITEMS, default="Z")

    def orientation(self) -> "Orientation":
        raise NotImplementedError

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        assert selection is not None
        bounds = selection.bounds()
        assert bounds is not None
        at = self.orientation().in_place(*bounds)
        return (yield from _transplanted(world, selection, self.orientation(), at))


class VOXELWRIGHT_OT_rotate_voxels(_InPlaceOperator, bpy.types.Operator):
    """Turn the selected voxels by quarters about the middle of their box"""

    bl_idname = idnames.OT_ROTATE_VOXELS
    bl_label = "Rotate Voxels"
    bl_options = {"REGISTER", "UNDO"}

    quarters: bpy.props.IntProperty(
        name="Quarter Turns",
        description="Turns by 90°, counter-clockwise seen against the axis",
        default=1,
        min=-3,
        max=3,
    )

    def orientation(self) -> "Orientation":
        from ...voxel.edit.orientation import turn

        return turn("XYZ".index(self.axis), self.quarters)


class VOXELWRIGHT_OT_mirror_voxels(_InPlaceOperator, bpy.types.Operator):
    """Mirror the selected voxels within their box"""

    bl_idname = idnames.OT_MIRROR_VOXELS
    bl_label = "Mirror Voxels"
    bl_options = {"REGISTER", "UNDO"}

    def orientation(self) -> "Orientation":
        from ...voxel.edit.orientation import mirror

        return mirror("XYZ".index(self.axis))


def _transplanted(world: World, selection: "Selection", orientation: "Orientation", at: Coord) -> Job[Outcome]:
    """The selected voxels turned, the lowest voxel of their box then at at."""
    from ...voxel.edit.clipboard import copying, transplanting

    clip = (yield from stage(copying(world, selection), 0.0, 0.3)).oriented(orientation)
    edit = yield from stage(transplanting(world, selection, clip, at), 0.3, 1.0)
    return Outcome(_moved(selection, orientation, clip, at), edit)


def _moved(selection: "Selection", orientation: "Orientation", clip: "Clip", at: Coord) -> "Selection":
    """The selection that a clip was copied from, as the clip is now."""
    return selection.oriented(orientation).shifted(_difference(at, clip.low))


def _sum(one: Any, other: Any) -> Coord:
    x, y, z = (a + b for a, b in zip(one, other, strict=True))
    return x, y, z


def _difference(one: Any, other: Any) -> Coord:
    x, y, z = (a - b for a, b in zip(one, other, strict=True))
    return x, y, z


CLASSES = (
    VOXELWRIGHT_OT_paste_voxels,
    VOXELWRIGHT_OT_duplicate_voxels,
    VOXELWRIGHT_OT_move_voxels,
    VOXELWRIGHT_OT_rotate_voxels,
    VOXELWRIGHT_OT_mirror_voxels,
)
