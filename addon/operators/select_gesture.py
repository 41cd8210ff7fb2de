# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from ...voxel.layout import FACE_AXIS, FACE_SIGN, MATERIAL_SHIFT
from ...voxel.world import Coord
from .. import brushes, cursor, idnames, picking, selections, session
from ..redrawing import redraw
from ..tool_properties import of_tools
from .gesture import WHEEL, are_tools_ready, prepare_tools
from .job_operator import Result, has_world
from .select_voxels import FACES


class VOXELWRIGHT_OT_select_gesture(bpy.types.Operator):
    """Drag a box over voxels to select it, or click to select what is connected. Shift adds, Ctrl takes away"""

    bl_idname = idnames.OT_SELECT_GESTURE
    bl_label = "Select Voxels"
    # The operators that it calls push the undo step, and are what the redo panel shows.
    bl_options = {"INTERNAL"}

    mode: bpy.props.EnumProperty(
        name="Mode",
        description="What becomes of the selection before",
        items=[(name, label, description) for name, (label, description) in selections.MODES.items()],
    )

    _target: Any
    _start: Coord
    _end: Coord
    _face: int
    _deeper: int

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return isinstance(context.region_data, bpy.types.RegionView3D) and has_world(cls, context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if not are_tools_ready():
            prepare_tools()
            return {"CANCELLED"}
        try:
            return self._begun(context, event)
        except (VoxelwrightError, RuntimeError) as error:  # what an operator reports is raised as the latter
            return self._failed(context, error)

    def _begun(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        owner = session.active_world_object(context)
        assert owner is not None
        self._target, self._deeper = session.Target(owner), 0
        found = self._aim(context, owner, event)
        if found is None:
            # As everywhere in Blender: beside everything, nothing is selected.
            deselects = self.mode == "SET" and selections.selection_of(owner) is not None
            return _select("select_all", action="DESELECT") if deselects else {"CANCELLED"}
        self._start = self._end = brushes.voxel_of(found.point)
        self._face = found.face
        settings = of_tools(context.scene)
        match settings.select.by:
            case "BOX":
                context.window_manager.modal_handler_add(self)
                context.workspace.status_text_set("Turn the wheel for the box's height; release to select it")
                self._show(context, event)
                return {"RUNNING_MODAL"}
            case "EVERYWHERE":
                material = session.world_of(owner).voxel(*self._start) >> MATERIAL_SHIFT
                return _select("select_by_material", material=str(material), mode=self.mode)
            case by:
                face, limit = FACES[self._face], settings.fill.limit
                return _select(
                    "select_connected", start_voxel=self._start, by=by, face=face, limit=limit, mode=self.mode
                )

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        try:
            return self._moved(context, event)
        except (VoxelwrightError, RuntimeError) as error:
            return self._failed(context, error)

    def _moved(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        owner = self._target.owner(context.scene)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            cursor.follow(context, (event.mouse_region_x, event.mouse_region_y))
            return self._stopped(context)
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._stopped(context)
            low, high = self._box()
            return _select("select_box", corner=low, opposite=high, mode=self.mode)
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            found = self._aim(context, owner, event)
            if found is not None:
                self._end = brushes.voxel_of(found.point)
                self._show(context, event)
        elif event.type in WHEEL and event.value == "PRESS":
            self._deeper += WHEEL[event.type]
            self._show(context, event)
        return {"RUNNING_MODAL"}

    def _failed(self, context: bpy.types.Context, error: Exception) -> Result:
        self.report({"ERROR"}, str(error).removeprefix("Error: ").strip())
        return self._stopped(context)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender calls this where it ends the operator itself."""
        self._stopped(context)

    def _aim(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> brushes.Aim | None:
        ray = picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y))
        return brushes.aim_at_voxel(owner, picking.in_voxels(owner, ray), outside=False)

    def _box(self) -> tuple[Coord, Coord]:
        """The lowest and the highest voxel. The wheel draws out the side that the face looks to, or the one behind."""
        low, high = np.minimum(self._start, self._end), np.maximum(self._start, self._end)
        axis = FACE_AXIS[self._face]
        if (self._deeper > 0) == (FACE_SIGN[self._face] > 0):
            high[axis] += abs(self._deeper)
        else:
            low[axis] -= abs(self._deeper)
        (x, y, z), (i, j, k) = low.tolist(), high.tolist()
        return (x, y, z), (i, j, k)

    def _show(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        low, high = self._box()
        size = " × ".join(str(b - a + 1) for a, b in zip(low, high, strict=True))
        cursor.follow(context, (event.mouse_region_x, event.mouse_region_y), ([cursor.box_part(low, high)], size))

    def _stopped(self, context: bpy.types.Context) -> Result:
        context.workspace.status_text_set(None)
        redraw()
        return {"CANCELLED"}


def _select(name: str, **arguments: Any) -> Result:
    """Run one of the operators that select, as an undo step of its own."""
    operators: Any = bpy.ops
    return set(getattr(operators.voxelwright, name)("EXEC_DEFAULT", True, **arguments))


CLASSES = (VOXELWRIGHT_OT_select_gesture,)
