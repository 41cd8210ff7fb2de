# SPDX-License-Identifier: GPL-3.0-or-later
import random
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...voxel.world import Coord, Edit, World
from .. import brushes, cursor, idnames, picking, selections, stamps
from ..points import Put, puts_of, to_json
from ..tool_properties import STAMP_KEYS, StampSettings, copy_settings, of_tools
from .gesture import GestureOperator

if TYPE_CHECKING:
    from ...voxel.edit.clipboard import Clip


class VOXELWRIGHT_OT_stamp(GestureOperator, StampSettings, bpy.types.Operator):
    """Put what was copied, or a file's voxels, onto the active world; drag to put more of them"""

    bl_idname = idnames.OT_STAMP
    bl_label = "Stamp"
    bl_options = {"REGISTER", "UNDO"}

    help_text = "Drag to put more; release to keep them; Esc to leave the world as it was"

    puts: bpy.props.StringProperty(
        name="Places",
        description="Where stamps stand, as JSON: a list of [x, y, z of the voxel before the face, face, turn, mirror]",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    _clip: Any
    _drawn: list[Put]
    _last: Any

    def begin(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> bool:
        copy_settings(of_tools(context.scene).stamp, self, STAMP_KEYS)
        self._clip = stamps.clip_of(self)
        self._drawn = []
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
        for put in puts_of(self.puts):
            variant = (put.quarters + self.quarters) % 4, put.mirrored != self.mirrored
            if variant not in variants:
                variants[variant] = stamps.turned(clip, *variant)
            at = on_face(variants[variant].size, (put.x, put.y, put.z), put.face)
            places.append((variants[variant], at))
        return stamp(world, places, selections.selection_of(owner))

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        for name in ("source", *(("filepath",) if self.source == "FILE" else ()), "quarters", "mirrored"):
            layout.prop(self, name)

    def _aim(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> brushes.Aim | None:
        ray = picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y))
        return brushes.aim_at_voxel(owner, picking.in_voxels(owner, ray), outside=True)

    def _put(self, owner: bpy.types.Object, found: brushes.Aim) -> None:
        self._last = np.array(found.point)
        moved = [c + random.uniform(-self.jitter, self.jitter) * (axis < 2) for axis, c in enumerate(found.point)]
        quarters, mirrored = (random.randrange(4), random.random() < 0.5) if self.is_random else (0, False)
        self._drawn.append(Put(*brushes.voxel_of((moved[0], moved[1], moved[2])), found.face, quarters, mirrored))
        self.puts = to_json(self._drawn)
        self.preview(owner)


CLASSES = (VOXELWRIGHT_OT_stamp,)
