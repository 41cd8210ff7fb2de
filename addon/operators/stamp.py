# SPDX-License-Identifier: GPL-3.0-or-later
import random
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from ...voxel.world import Coord, Edit, World
from .. import brushes, cursor, idnames, picking, selections, stamps
from ..properties import of_scene
from ..tool_properties import STAMP_KEYS, StampSettings, copy_settings
from .gesture import GestureOperator

if TYPE_CHECKING:
    from ...voxel.edit.clipboard import Clip


class VOXELWRIGHT_PG_put(bpy.types.PropertyGroup):
    """Where one stamp of a stroke is put."""

    at: bpy.props.IntVectorProperty(name="At", description="The voxel before the face that the stamp stands on")
    face: bpy.props.IntProperty(name="Face", description="Which way the face looks")
    quarters: bpy.props.IntProperty(name="Turn", description="How many quarter turns about the upright axis")
    mirrored: bpy.props.BoolProperty(name="Mirror", description="Put the mirror image")


class VOXELWRIGHT_OT_stamp(GestureOperator, StampSettings, bpy.types.Operator):
    """Put what was copied, or a file's voxels, onto the active world; drag to put more of them"""

    bl_idname = idnames.OT_STAMP
    bl_label = "Stamp"
    bl_options = {"REGISTER", "UNDO"}

    help_text = "Drag to put more; release to keep them; Esc to leave the world as it was"

    puts: bpy.props.CollectionProperty(
        type=VOXELWRIGHT_PG_put, name="Places", description="Where stamps are", options={"HIDDEN", "SKIP_SAVE"}
    )

    _clip: Any
    _last: Any

    def begin(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> bool:
        copy_settings(of_scene(context.scene).stamp, self, STAMP_KEYS)
        self._clip = stamps.clip_of(self)
        self.puts.clear()
        found = self._aim(context, owner, event)
        if found is None:
            return False
        self._put(owner, found)
        return True

    def drag(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> None:
        if event.type not in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            return
        cursor.follow(context, (event.mouse_region_x, event.mouse_region_y))
        found = self._aim(context, owner, event)
        distance = self.distance or max(self._clip.size)
        if found is not None and np.linalg.norm(found.point - self._last) >= distance:
            self._put(owner, found)

    def made(self, owner: bpy.types.Object, world: World) -> Edit:
        from ...voxel.edit.stamps import on_face, stamp

        clip = stamps.clip_of(self)
        variants: dict[tuple[int, bool], Clip] = {}
        places: list[tuple[Clip, Coord]] = []
        for put in self.puts:
            variant = (put.quarters + self.quarters) % 4, put.mirrored != self.mirrored
            if variant not in variants:
                variants[variant] = stamps.turned(clip, *variant)
            places.append((variants[variant], on_face(variants[variant], tuple(put.at), put.face)))
        if not places:
            raise VoxelwrightError("A stamp needs a place; give it one.")
        return stamp(world, places, selections.selection_of(owner))

    def _aim(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> brushes.Aim | None:
        ray = picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y))
        return brushes.aim_at_voxel(owner, picking.in_voxels(owner, ray), outside=True)

    def _put(self, owner: bpy.types.Object, found: brushes.Aim) -> None:
        self._last = np.array(found.point)
        put = self.puts.add()
        moved = [c + random.uniform(-self.jitter, self.jitter) * (axis < 2) for axis, c in enumerate(found.point)]
        put.at, put.face = brushes.voxel_of((moved[0], moved[1], moved[2])), found.face
        if self.is_random:
            put.quarters, put.mirrored = random.randrange(4), random.random() < 0.5
        self.preview(owner)


CLASSES = (VOXELWRIGHT_PG_put, VOXELWRIGHT_OT_stamp)
