# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import bpy
import numpy as np

from ...voxel.layout import FACE_NORMALS, POS_Z
from ...voxel.limits import MAX_CONNECTED_VOXELS, MAX_EXTRUSION
from ...voxel.world import Edit, World
from .. import brushes, cursor, idnames, picking, selections, session
from ..tool_properties import of_tools
from .gesture import GestureOperator

_MAX_SHOWN_VOXELS = 1 << 20
"""Beyond so many voxels only the number is shown during the drag."""


class VOXELWRIGHT_OT_extrude_face(GestureOperator, bpy.types.Operator):
    """Drag the connected face under the mouse out of the world, or into it"""

    bl_idname = idnames.OT_EXTRUDE_FACE
    bl_label = "Extrude Face"
    bl_options = {"REGISTER", "UNDO"}

    help_text = "Drag along the face's direction; release to keep it; Esc to leave the world as it was"

    start: bpy.props.IntVectorProperty(name="From", description="One of the face's voxels", subtype="XYZ")
    face: bpy.props.IntProperty(
        name="Face", description="Which way it looks", default=POS_Z, min=0, max=5, options={"HIDDEN"}
    )
    n_voxels: bpy.props.IntProperty(
        name="Voxels",
        description="How far the face moves, in voxels; a negative number moves it in",
        min=-MAX_EXTRUSION,
        max=MAX_EXTRUSION,
    )
    limit: bpy.props.IntProperty(
        name="Limit",
        description="Refuse to move faces of more voxels",
        default=1_000_000,
        min=1,
        max=MAX_CONNECTED_VOXELS,
    )

    _grip: Any
    _n_faces: int

    def begin(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> bool:
        local = picking.in_voxels(owner, picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y)))
        found = brushes.aim_at_voxel(owner, local, outside=False)
        if found is None:
            return False
        self.limit = of_tools(context.scene).fill.limit
        self.start, self.face, self.n_voxels = brushes.voxel_of(found.point), found.face, 0
        self._grip = np.array(found.point)
        self._n_faces = self._count(session.world_of(owner))
        return True

    def drag(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> None:
        if event.type not in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            return
        place = event.mouse_region_x, event.mouse_region_y
        local = picking.in_voxels(owner, picking.mouse_ray(context, place))
        n_voxels = _along(self._grip, FACE_NORMALS[self.face].astype(np.float64), local)
        if n_voxels is not None and n_voxels != self.n_voxels:
            self.n_voxels = n_voxels
            if self._n_faces * abs(n_voxels) <= _MAX_SHOWN_VOXELS:
                self.preview(owner)
            else:
                session.uncover(owner)
        cursor.follow(context, place, ([], f"{self.n_voxels:+d} voxels"))

    def _count(self, world: World) -> int:
        from ...voxel.edit.connected import connected

        return connected(world, tuple(self.start), "face", self.face, self.limit).count

    def made(self, owner: bpy.types.Object, world: World) -> Edit:
        from ...voxel.edit.connected import extrude
        from ...voxel.edit.selection import limited

        edit = extrude(world, tuple(self.start), self.face, self.n_voxels, self.limit)
        within = selections.selection_of(owner)
        return edit if within is None else limited(edit, within)


def _along(grip: np.ndarray, normal: np.ndarray, ray: picking.Ray) -> int | None:
    """How far, in whole voxels, a point of a line lies from grip in the direction of normal, the one that is nearest to
    a ray; None where they run side by side."""
    direction = ray.direction / np.linalg.norm(ray.direction)
    slope = float(normal @ direction)
    if 1.0 - slope * slope < 1e-6:
        return None
    way = ray.origin - grip
    distance = (normal @ way - slope * (direction @ way)) / (1.0 - slope * slope)
    return int(np.clip(np.floor(distance + 0.5), -MAX_EXTRUSION, MAX_EXTRUSION))


CLASSES = (VOXELWRIGHT_OT_extrude_face,)
