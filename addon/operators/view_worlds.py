# SPDX-License-Identifier: GPL-3.0-or-later
"""What the view has to do with worlds: showing all of one, and reaching far enough."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import framing, idnames, session
from ..properties import of_object
from .job_operator import Result

_CLIP_MARGIN = 1.5
"""The clip end that is set, as a multiple of what is needed now: the view may still move away."""


class _InViewport:
    """A mixin for what needs a 3D viewport."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return framing.view_of(context) is not None


class VOXELWRIGHT_OT_frame_worlds(_InViewport, bpy.types.Operator):
    """Move the view to show voxel worlds whole, with what else is selected"""

    bl_idname = idnames.OT_FRAME_WORLDS
    bl_label = "Frame Worlds"

    everything: bpy.props.BoolProperty(
        name="Everything", description="Show all visible objects, not only what is selected", default=False
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        # Without a world Blender does it better: its view glides.
        return {"PASS_THROUGH"} if not self._framed(context) else {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> Result:
        if not self._framed(context):
            self.report({"WARNING"}, "There is no world with voxels to show; select one")
            return {"CANCELLED"}
        return {"FINISHED"}

    def _framed(self, context: bpy.types.Context) -> bool:
        objects = context.visible_objects if self.everything else context.selected_objects
        worlds = [owner for owner in objects if session.is_world(owner) and of_object(owner).show_preview]
        if not len(framing.corners_of_all(worlds)):
            return False
        corners = framing.corners_of_all(objects)
        _show(self, context, corners)
        return True


class VOXELWRIGHT_OT_extend_clip_end(_InViewport, bpy.types.Operator):
    """Let this viewport show everything up to the far end of the world"""

    bl_idname = idnames.OT_EXTEND_CLIP_END
    bl_label = "Extend Clip End"

    def execute(self, context: bpy.types.Context) -> Result:
        corners = framing.corners_of_all(filter(session.is_world, context.visible_objects))
        space: Any = context.space_data
        needed = framing.clip_end_needed(space, framing.view_of(context), corners)
        if needed is not None:
            space.clip_end = needed * _CLIP_MARGIN
        return {"FINISHED"}


def frame_new_world(operator: bpy.types.Operator, context: bpy.types.Context, owner: bpy.types.Object) -> None:
    """Show a world that was just made by hand."""
    corners = framing.corners_of(owner)
    if framing.view_of(context) is not None and len(corners):
        _show(operator, context, corners)


def _show(operator: bpy.types.Operator, context: bpy.types.Context, corners: NDArray[np.float64]) -> None:
    """Show all of these points, and report where the viewport does not reach so far."""
    view = framing.view_of(context)
    space: Any = context.space_data
    assert view is not None
    framing.frame(view, corners)
    view.update()
    needed = framing.clip_end_needed(space, view, corners)
    if needed is not None:
        operator.report(
            {"WARNING"},
            f"This reaches {needed:.0f} m away, beyond the viewport's clip end of {space.clip_end:.0f} m; "
            "Extend Clip End in the sidebar shows the rest",
        )


CLASSES = (VOXELWRIGHT_OT_frame_worlds, VOXELWRIGHT_OT_extend_clip_end)
