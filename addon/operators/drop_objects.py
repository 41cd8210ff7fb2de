# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting Blender's objects onto voxel worlds."""

from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from .. import framing, idnames, picking, session
from .job_operator import Result


class VOXELWRIGHT_OT_drop_objects(bpy.types.Operator):
    """Move the selected objects down, or up, until they stand on the surface of a voxel world"""

    bl_idname = idnames.OT_DROP_OBJECTS
    bl_label = "Drop onto World"
    bl_options = {"REGISTER", "UNDO"}

    from_above: bpy.props.BoolProperty(
        name="From Above",
        description="Look for ground from above the world, not from the object: out of caves, onto roofs",
        default=False,
    )
    align: bpy.props.BoolProperty(
        name="Align to Surface", description="Turn each object's Z axis to the surface it stands on", default=False
    )
    offset: bpy.props.FloatProperty(
        name="Offset", description="How far above the surface objects stand", default=0.0, subtype="DISTANCE"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT" or not _to_drop(context):
            cls.poll_message_set("Select the objects to be dropped, in Object Mode")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        worlds = [owner for owner in picking.pickable(context) if len(framing.corners_of(owner))]
        corners = framing.corners_of_all(worlds)
        if not len(corners):
            self.report({"WARNING"}, "There is no visible world with voxels; make one first")
            return {"CANCELLED"}
        top = float(corners[:, 2].max()) + 1.0
        objects = _to_drop(context)
        n_dropped = sum(self._drop(owner, worlds, top) for owner in objects)
        context.view_layer.update()
        if n_dropped < len(objects):
            self.report({"WARNING"}, f"{len(objects) - n_dropped} objects have no ground below; move them over a world")
        return {"FINISHED"} if n_dropped else {"CANCELLED"}

    def _drop(self, owner: bpy.types.Object, worlds: list[bpy.types.Object], top: float) -> bool:
        corners = framing.corners_of(owner)
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        foot = Vector((middle[0], middle[1], corners[:, 2].min()))
        # From the object's top, so that one that stands in the ground a little comes up out of it.
        start = top if self.from_above else float(corners[:, 2].max())
        found = picking.pick(worlds, _ray_down(foot.x, foot.y, start))
        if found is None and not self.from_above:
            found = picking.pick(worlds, _ray_down(foot.x, foot.y, top))
        if found is None:
            return False
        normal = Vector(found.normal.tolist())
        matrix = owner.matrix_world.copy()
        up = Vector((0.0, 0.0, 1.0))
        if self.align:
            axis = (matrix.to_3x3() @ up).normalized()
            turn: Any = axis.rotation_difference(normal).to_matrix()
            place = matrix.translation.copy()
            matrix = turn.to_4x4() @ matrix
            matrix.translation = place
            foot = place + turn @ (foot - place)
            up = normal
        matrix.translation += Vector(found.point.tolist()) + up * self.offset - foot
        owner.matrix_world = matrix
        return True


def _ray_down(x: float, y: float, z: float) -> picking.Ray:
    return picking.Ray(np.array((x, y, z)), np.array((0.0, 0.0, -1.0)))


def _to_drop(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [
        owner
        for owner in context.selected_objects
        if not session.is_world(owner) and owner.library is None and owner.parent not in context.selected_objects
    ]


CLASSES = (VOXELWRIGHT_OT_drop_objects,)
