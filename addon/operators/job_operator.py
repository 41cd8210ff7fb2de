# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that run a job: from a script or the redo panel in one go, from the interface in slices, with
progress in the status bar and Esc to cancel."""

import time
from typing import TYPE_CHECKING, Any

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job, Progress
from .. import session, worlds

_SLICE_SECONDS = 0.05
_TIMER_SECONDS = 0.01

Result = set[Any]


def has_world(operator: Any, context: bpy.types.Context) -> bool:
    """Whether there is a world that an operator can work on; else its tooltip says what to do."""
    if session.active_world_object(context) is None:
        operator.poll_message_set("Select a world first, or make one with New World")
        return False
    return True


def _with_preview(job: Job[Any]) -> Job[Any]:
    """The job, and then what viewports need to show at once what it makes."""
    result = yield from job
    yield from worlds.prepare_viewport()
    return result


# A mixin, so that a test can drive it without Blender; to the type checker it is the operator that it will be.
_Operator: Any = bpy.types.Operator if TYPE_CHECKING else object


class JobOperator(_Operator):
    """A mixin. The subclass gives start(), which makes the job, and finish(), which puts its result into the scene.

    Nothing in Blender changes before finish(), so cancelling leaves everything as it was.
    """

    is_previewed = False
    """Whether viewports will show what the job makes."""

    by_hand = False
    """Whether the operator was started from the interface, not by a script or the redo panel."""

    _job: Job[Any] | None = None
    _timer: bpy.types.Timer | None = None
    _stage = ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode first")
            return False
        return True

    def start(self, context: bpy.types.Context) -> Job[Any]:
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, result: Any) -> None:
        raise NotImplementedError

    def seconds_at_once(self) -> float:
        """How long the job is worked on from the interface before it goes on in slices."""
        return 0.0

    def execute(self, context: bpy.types.Context) -> Result:
        """The whole job at once."""
        window_manager = context.window_manager
        window_manager.progress_begin(0, 100)
        try:
            job = self.start(context)
            while True:
                try:
                    window_manager.progress_update(100 * next(job).fraction)
                except StopIteration as end:
                    self.finish(context, end.value)
                    return {"FINISHED"}
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            window_manager.progress_end()

    def run_in_slices(self, context: bpy.types.Context) -> Result:
        """Start the job and return to Blender; modal() goes on with it."""
        self.by_hand = True
        try:
            job = self.start(context)
            self._job = _with_preview(job) if self.is_previewed else job
            if self._ends_within(context, self.seconds_at_once()):
                return {"FINISHED"}
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        context.window_manager.progress_begin(0, 100)
        self._timer = context.window_manager.event_timer_add(_TIMER_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        self._show(context, Progress(0.0, self.bl_label))
        return {"RUNNING_MODAL"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        return self.run_in_slices(context)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.type == "ESC" and event.value == "PRESS":
            self._stop(context)
            self.report({"INFO"}, f"{self.bl_label} was cancelled; nothing was changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            return self._slice(context)
        except VoxelwrightError as error:
            self._stop(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except BaseException:
            self._stop(context)
            raise

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender calls this where it ends the operator itself, on quitting for example."""
        self._stop(context)

    def _ends_within(self, context: bpy.types.Context, seconds: float) -> bool:
        """Work for some seconds; whether nothing is left to do after them."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                next(self._job)
            except StopIteration as done:
                self._job = None
                self.finish(context, done.value)
                return True
        return False

    def _slice(self, context: bpy.types.Context) -> Result:
        end = time.monotonic() + _SLICE_SECONDS
        stage = self._stage
        while True:
            try:
                progress = next(self._job)
            except StopIteration as done:
                self._stop(context)
                self.finish(context, done.value)
                return {"FINISHED"}
            # A new stage is shown before it is worked on: its first step may take long.
            if progress.what != stage or time.monotonic() >= end:
                self._show(context, progress)
                return {"RUNNING_MODAL"}

    def _show(self, context: bpy.types.Context, progress: Progress) -> None:
        self._stage = progress.what
        context.window_manager.progress_update(100 * progress.fraction)
        context.workspace.status_text_set(f"{progress.what} … {progress.fraction:.0%}   (Esc to cancel)")

    def _stop(self, context: bpy.types.Context) -> None:
        if self._job is not None:
            self._job.close()
            self._job = None
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
            context.window_manager.progress_end()
            context.workspace.status_text_set(None)
