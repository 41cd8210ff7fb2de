# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that follow the mouse over a world until they are placed."""

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from ...voxel.layout import POS_Z
from ...voxel.world import Coord, World
from .. import cursor, picking, selections, session
from ..placement import Placement
from ..redrawing import redraw
from ..viewport import selection_overlay
from ..viewport.lines import Lines
from .job_operator import Result
from .voxel_operator import VoxelOperator

if TYPE_CHECKING:
    from ...voxel.edit.clipboard import Clip
    from ...voxel.edit.orientation import Orientation
    from ...voxel.edit.selection import Selection

_KEYS = "Place: click or Enter   Turn: R   Mirror: M   Axis: X Y Z   Off the face: wheel or ↑ ↓   Cancel: Esc"
_TURNS = {"R": 1, "RIGHT_ARROW": 1, "LEFT_ARROW": -1}
_LIFTS = {"WHEELUPMOUSE": 1, "UP_ARROW": 1, "WHEELDOWNMOUSE": -1, "DOWN_ARROW": -1}
_VIEW_EVENTS = ("MIDDLEMOUSE", "NDOF", "TRACKPAD", "MOUSEPAN", "MOUSEZOOM", "MOUSEROTATE", "NUMPAD_")


class PlacingOperator(VoxelOperator):
    """A mixin. The subclass gives the clip, and puts the place that is found into its properties; then execute() works
    as in scripts."""

    turns: bpy.props.IntVectorProperty(
        name="Quarter Turns",
        description="Turns by 90° about X, then Y, then Z",
        size=3,
        min=-3,
        max=3,
        subtype="XYZ",
        options={"SKIP_SAVE"},
    )
    mirrors: bpy.props.BoolVectorProperty(
        name="Mirror",
        description="Along which axes it is mirrored, before it is turned",
        size=3,
        subtype="XYZ",
        options={"SKIP_SAVE"},
    )

    _placement: Placement
    _lines: Lines

    def clip_to_place(self, world: World, selection: "Selection | None") -> "Clip":
        """What is placed."""
        raise NotImplementedError

    def set_place(self, at: Coord, clip: "Clip") -> None:
        """Have the lowest voxel of the turned clip at at; clip is as it was before it was turned."""
        raise NotImplementedError

    def orientation(self) -> "Orientation":
        """How it is turned."""
        from ...voxel.edit.orientation import of_turns

        return of_turns(self.mirrors[:], self.turns[:])

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if context.area is None or context.area.type != "VIEW_3D":
            return super().invoke(context, event)
        if not picking.is_ready():
            operators: Any = bpy.ops
            operators.voxelwright.prepare_picking("INVOKE_DEFAULT")
            return {"CANCELLED"}
        try:
            self._begin(context)
            self._follow(context, event)
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(_KEYS)
        return {"RUNNING_MODAL"}

    def _begin(self, context: bpy.types.Context) -> None:
        from ...voxel.edit.outline import box_edges, outline
        from ...voxel.edit.selection import solid

        owner = session.active_world_object(context)
        self._target = session.Target(owner)
        cursor.hide()
        clip = self.clip_to_place(session.own_world_of(owner), selections.selection_of(owner))
        self._placement = Placement(clip, self.orientation())
        segments = [outline(solid(clip.voxels)), box_edges(clip.low, clip.high)]
        self._lines = Lines(np.concatenate(segments))

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if self._job is not None:
            return super().modal(context, event)
        try:
            return self._answered(context, event)
        except VoxelwrightError as error:
            self._end(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except BaseException:
            self._end(context)
            raise

    def _answered(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """What an event does."""
        placement = self._placement
        if event.type == "MOUSEMOVE":
            self._follow(context, event)
        elif event.type.startswith(_VIEW_EVENTS) and event.type != "NUMPAD_ENTER":
            return {"PASS_THROUGH"}
        elif event.value != "PRESS":
            return {"RUNNING_MODAL"}
        elif event.type in ("ESC", "RIGHTMOUSE"):
            self._end(context)
            return {"CANCELLED"}
        elif event.type in ("LEFTMOUSE", "RET", "NUMPAD_ENTER"):
            self._end(context)
            return self._placed(context)
        elif event.type in _TURNS:
            placement.turn(_TURNS[event.type])
        elif event.type == "M":
            placement.mirror()
        elif event.type in ("X", "Y", "Z"):
            placement.axis = "XYZ".index(event.type)
        elif event.type in _LIFTS:
            placement.lift += _LIFTS[event.type]
        self._draw_outline(context)
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        self._end(context)
        super().cancel(context)

    def _follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Put it on the face under the mouse, or where there is none on the plane z = 0."""
        owner = self._target.owner(context.scene)
        ray = _ray_of(context, event)
        if ray is None:
            return
        ray = picking.in_voxels(owner, ray)
        hit = picking.hit_of(owner, ray)
        if hit is not None:
            self._placement.voxel, self._placement.face = hit.voxel, hit.face
        elif ray.direction[2] and (distance := -ray.origin[2] / ray.direction[2]) > 0:
            x, y, _ = np.floor(ray.origin + distance * ray.direction).astype(int).tolist()
            self._placement.voxel, self._placement.face = (x, y, -1), POS_Z
        self._draw_outline(context)

    def _draw_outline(self, context: bpy.types.Context) -> None:
        world_id = session.world_id(self._target.owner(context.scene))
        selection_overlay.show_placed(selection_overlay.Placed(world_id, self._lines, self._placement.matrix()))
        redraw()

    def _placed(self, context: bpy.types.Context) -> Result:
        from ...voxel.edit.orientation import turns_of

        self.mirrors, self.turns = turns_of(self._placement.orientation)
        self.set_place(self._placement.at(), self._placement.clip)
        return self.execute(context)

    def _end(self, context: bpy.types.Context) -> None:
        selection_overlay.show_placed(None)
        context.workspace.status_text_set(None)
        redraw()


def _ray_of(context: bpy.types.Context, event: bpy.types.Event) -> picking.Ray | None:
    """The ray under the mouse; None where it is over no picture of the 3D viewport."""
    for region in context.area.regions:
        place = event.mouse_x - region.x, event.mouse_y - region.y
        if region.type == "WINDOW" and 0 <= place[0] < region.width and 0 <= place[1] < region.height:
            with context.temp_override(region=region):
                return picking.mouse_ray(bpy.context, place)
    return None
