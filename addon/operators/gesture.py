# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that are done by a press on a world, a drag, and a release.

What the gesture will do is shown over the world all the while. Releasing the button makes it one edit and one step of
undo; Esc and the right button leave everything as it was. What the gesture found is in the operator's properties, from
which execute() does the same: for the redo panel and for scripts."""

from typing import TYPE_CHECKING, Any

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.world import Edit, World
from .. import animation, cursor, kernel_cache, picking, session, worlds
from ..redrawing import redraw
from ..viewport import handler
from .job_operator import Result, has_world

# A mixin, as JobOperator is one.
_Operator: Any = bpy.types.Operator if TYPE_CHECKING else object


class GestureOperator(_Operator):
    """A mixin. The subclass gives begin() and drag(), which read the mouse, and made(), the edit that its properties
    say."""

    help_text = ""
    """What the status bar says while the button is held."""

    ends_with_press = False
    """Whether the gesture is done at once, without a drag."""

    _target: session.Target | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode first")
            return False
        return has_world(cls, context)

    def begin(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> bool:
        """The press; whether it begins anything."""
        raise NotImplementedError

    def drag(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> None:
        """The mouse has moved, or a key was pressed."""

    def made(self, owner: bpy.types.Object, world: World) -> Edit:
        """The edit of the object's own world. Raises VoxelwrightError."""
        raise NotImplementedError

    def preview(self, owner: bpy.types.Object) -> None:
        """Show what made() gives now in the place of what was shown before."""
        session.uncover(owner)
        session.show(owner, self.made(owner, session.world_of(owner)))

    def execute(self, context: bpy.types.Context) -> Result:
        owner = session.active_world_object(context)
        try:
            session.commit(owner, self.made(owner, session.own_world_of(owner)))
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        owner = session.active_world_object(context)
        if owner is None or not isinstance(context.region_data, bpy.types.RegionView3D):
            return {"PASS_THROUGH"}
        if not are_tools_ready():
            prepare_tools()
            return {"CANCELLED"}
        try:
            return self._begun(context, owner, event)
        except VoxelwrightError as error:
            self._stop(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except BaseException:
            self._stop(context)
            raise

    def _begun(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> Result:
        if owner not in handler.shown_worlds(context):
            raise VoxelwrightError(f'"{owner.name}" is not shown in this viewport; show it before you change it.')
        session.check_editable(owner)
        session.uncover(owner)
        self._target = session.Target(owner)
        picking.freeze(owner, True)
        if not self.begin(context, owner, event):
            self._stop(context)
            return {"PASS_THROUGH"}
        if self.ends_with_press:
            return self._finish(context)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(self.help_text)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        place = event.mouse_region_x, event.mouse_region_y
        try:
            if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
                self._stop(context)
                cursor.follow(context, place)
                return {"CANCELLED"}
            if event.type == "LEFTMOUSE" and event.value == "RELEASE":
                result = self._finish(context)
                cursor.follow(context, place)
                return result
            if self._target is not None and event.type not in _NO_INPUT:
                self._drag(context, self._target.owner(context.scene), event)
        except VoxelwrightError as error:
            self._stop(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except BaseException:
            self._stop(context)
            raise
        return {"RUNNING_MODAL"}

    def _drag(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> None:
        """What cannot be done is said beside the mouse, and the gesture goes on."""
        try:
            self.drag(context, owner, event)
        except VoxelwrightError as error:
            cursor.follow(context, (event.mouse_region_x, event.mouse_region_y), ([], str(error)))

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender calls this where it ends the operator itself."""
        self._stop(context)

    def result(self, owner: bpy.types.Object) -> Edit:
        """The edit at the release, of the object's world, over which nothing is shown any more."""
        return self.made(owner, session.world_of(owner))

    def finish(self, owner: bpy.types.Object) -> bool:
        """Do it; whether anything changed."""
        edit = self.result(owner)
        if edit:
            session.commit(owner, edit)
        return bool(edit)

    def _finish(self, context: bpy.types.Context) -> Result:
        assert self._target is not None
        owner = self._target.owner(context.scene)
        self._stop(context)
        session.uncover(owner)
        # A gesture that changes nothing is no step of undo.
        return {"FINISHED"} if self.finish(owner) else {"CANCELLED"}

    def _stop(self, context: bpy.types.Context) -> None:
        """Show the world as it was."""
        if self._target is None:
            return
        target, self._target = self._target, None
        context.workspace.status_text_set(None)
        redraw()
        try:
            owner = target.owner(context.scene)
        except VoxelwrightError:
            return
        session.uncover(owner)
        picking.freeze(owner, False)
        # Where a frame of its animation was shown, it is again.
        animation.show_phase(owner, reduced=False)


WHEEL = {"WHEELUPMOUSE": 1, "WHEELDOWNMOUSE": -1, "UP_ARROW": 1, "DOWN_ARROW": -1}
"""What turns of the wheel, and the keys for those who have none, mean."""

_NO_INPUT = frozenset({"TIMER", "TIMER_REPORT", "NONE", "WINDOW_DEACTIVATE"})


def are_tools_ready() -> bool:
    """Whether tools answer at once; otherwise they compile first."""
    kernel_cache.prepare()
    return picking.is_ready() and kernel_cache.is_compiled(worlds.EDITING)


def prepare_tools() -> None:
    """Compile what tools need, with progress."""
    operators: Any = bpy.ops
    operators.voxelwright.prepare_tools("INVOKE_DEFAULT")
