# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes and lines from one voxel to another."""

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...voxel.layout import FACE_AXIS, FACE_SIGN, POS_Z
from ...voxel.limits import MAX_WORLD_EDGE
from ...voxel.world import Coord, Edit, World
from .. import brushes, cursor, idnames, palettes, picking, selections, session
from ..properties import of_object
from ..symmetry_properties import SYMMETRY_KEYS, SymmetrySettings
from ..tool_properties import ACTION_ITEMS, BRUSH_KEYS, BrushSettings, copy_settings, draw_placed, of_tool
from .gesture import WHEEL, GestureOperator
from .stroke import MODES

if TYPE_CHECKING:
    from ...voxel.edit.shapes import Placement

_MAX_SHOWN_VOXELS = 1 << 22
"""Of what goes over more voxels the outline alone is shown during the gesture."""


class _DrawOperator(GestureOperator, BrushSettings, SymmetrySettings):
    """A mixin of what goes from start to end with the Build tool's brush. The subclass gives placements()."""

    mode: bpy.props.EnumProperty(
        name="Mode", description="How the Build tool's brush is used", items=MODES[:2], options={"HIDDEN", "SKIP_SAVE"}
    )
    action: bpy.props.EnumProperty(name="Action", description="What is done", items=ACTION_ITEMS["build"])
    start: bpy.props.IntVectorProperty(name="From", description="The first voxel", subtype="XYZ")
    end: bpy.props.IntVectorProperty(name="To", description="The last voxel", subtype="XYZ")
    face: bpy.props.IntProperty(
        name="Face",
        description="Which way the face looks where it begins",
        default=POS_Z,
        min=0,
        max=5,
        options={"HIDDEN"},
    )
    material: bpy.props.EnumProperty(name="Material", description="What is placed", items=palettes.material_items)
    seed: bpy.props.IntProperty(name="Seed", description="Another number gives another random choice", min=0)

    def begin(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> bool:
        settings = of_tool(context.scene, "build")
        copy_settings(settings, self, BRUSH_KEYS)
        copy_settings(of_object(owner).symmetry, self, SYMMETRY_KEYS)
        self.action = brushes.action_in_mode(settings.action, self.mode)
        self.material = palettes.active_item(owner)
        self.seed = random.randrange(1 << 16)
        ray = picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y))
        found = self.aim(owner, ray)
        if found is None:
            return False
        self.start = self.end = brushes.voxel_of(found.point)
        self.face = found.face
        self._show(context, owner, event)
        return True

    def drag(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> None:
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            ray = picking.mouse_ray(context, (event.mouse_region_x, event.mouse_region_y))
            end = self.end_at(owner, ray)
            if end is not None:
                start = np.array(self.start)
                self.end = np.clip(end, start - MAX_WORLD_EDGE + 1, start + MAX_WORLD_EDGE - 1).tolist()
        elif not (event.type in WHEEL and event.value == "PRESS" and self.deepen(WHEEL[event.type])):
            return
        self._show(context, owner, event)

    def aim(self, owner: bpy.types.Object, ray: picking.Ray) -> brushes.Aim | None:
        """Where a ray in Blender's world space begins."""
        raise NotImplementedError

    def end_at(self, owner: bpy.types.Object, ray: picking.Ray) -> Coord | None:
        """Where a ray in Blender's world space puts the end."""
        raise NotImplementedError

    def n_touched(self) -> int:
        """About how many voxels it goes over, without symmetry."""
        raise NotImplementedError

    def deepen(self, _n_voxels: int) -> bool:
        """The wheel was turned; whether that changes anything."""
        return False

    def placements(self) -> "Iterable[Placement]":
        raise NotImplementedError

    def outlined(self) -> tuple[Coord, Coord]:
        """The lowest and highest voxel of the outline."""
        low, high = np.minimum(self.start, self.end).tolist(), np.maximum(self.start, self.end).tolist()
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def made(self, owner: bpy.types.Object, world: World) -> Edit:
        from ...voxel.edit.dabs import dab

        first = brushes.Aim(tuple(self.start), self.face)
        action = brushes.action_of(self, owner, first)
        return dab(world, action, self.placements(), brushes.symmetry_of(self), selections.selection_of(owner))

    def _show(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> None:
        low, high = self.outlined()
        n_images = len(brushes.symmetry_of(self).images())
        if self.n_touched() * n_images <= _MAX_SHOWN_VOXELS:
            self.preview(owner)
        else:
            session.uncover(owner)
        place = event.mouse_region_x, event.mouse_region_y
        size = " × ".join(str(b - a + 1) for a, b in zip(low, high, strict=True))
        cursor.follow(context, place, ([cursor.box_part(low, high), *cursor.planes(owner)], size))

    def draw_settings(self, *names: str) -> None:
        """The redo panel, with what both have and these settings of the brush."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("action", "start", "end", *names):
            layout.prop(self, name)
        draw_placed(layout, self)


class VOXELWRIGHT_OT_draw_box(_DrawOperator, bpy.types.Operator):
    """Drag a box in the plane of the face under the mouse; the wheel makes it higher. Ctrl does the opposite"""

    bl_idname = idnames.OT_DRAW_BOX
    bl_label = "Draw Box"
    bl_options = {"REGISTER", "UNDO"}

    help_text = "Turn the wheel for the box's height; release to keep it; Esc to leave the world as it was"

    def aim(self, owner: bpy.types.Object, ray: picking.Ray) -> brushes.Aim | None:
        return brushes.aim_at_voxel(owner, picking.in_voxels(owner, ray), outside=brushes.builds_outwards(self.action))

    def end_at(self, owner: bpy.types.Object, ray: picking.Ray) -> Coord | None:
        axis = int(FACE_AXIS[self.face])
        point = brushes.on_plane(picking.in_voxels(owner, ray), axis, self.start[axis] + 0.5)
        if point is None or not brushes.is_near(owner, point):
            return None
        end = list(brushes.voxel_of(point))
        end[axis] = self.end[axis]
        return (end[0], end[1], end[2])

    def n_touched(self) -> int:
        low, high = self.outlined()
        return int(np.prod(np.array(high, np.int64) - low + 1))

    def draw(self, _context: bpy.types.Context) -> None:
        self.draw_settings("strength")

    def deepen(self, n_voxels: int) -> bool:
        self.end[FACE_AXIS[self.face]] += n_voxels * int(FACE_SIGN[self.face])
        return True

    def placements(self) -> "Iterable[Placement]":
        from ...voxel.edit.shapes import box_between

        return [box_between(tuple(self.start), tuple(self.end))]


class VOXELWRIGHT_OT_draw_line(_DrawOperator, bpy.types.Operator):
    """Drag a line from one voxel to another, with the Build tool's brush. Ctrl does the opposite"""

    bl_idname = idnames.OT_DRAW_LINE
    bl_label = "Draw Line"
    bl_options = {"REGISTER", "UNDO"}

    help_text = "Release to keep the line; Esc to leave the world as it was"

    def aim(self, owner: bpy.types.Object, ray: picking.Ray) -> brushes.Aim | None:
        return brushes.aim(owner, ray, self, self.action)

    def end_at(self, owner: bpy.types.Object, ray: picking.Ray) -> Coord | None:
        found = self.aim(owner, ray)
        if found is not None:
            return brushes.voxel_of(found.point)
        axis = int(FACE_AXIS[self.face])
        point = brushes.on_plane(picking.in_voxels(owner, ray), axis, self.start[axis] + 0.5)
        return None if point is None or not brushes.is_near(owner, point) else brushes.voxel_of(point)

    def n_touched(self) -> int:
        n_steps = int(np.max(np.abs(np.subtract(self.end, self.start)))) + 1
        return n_steps * round(2 * self.radius) ** 3

    def placements(self) -> "Iterable[Placement]":
        from ...voxel.edit.shapes import line_between

        shape = brushes.shape_of(self, self.action, self.face)
        return line_between(shape, tuple(self.start), tuple(self.end), brushes.is_between(self))

    def draw(self, _context: bpy.types.Context) -> None:
        self.draw_settings("shape", "radius", "strength", "falloff")


CLASSES = (VOXELWRIGHT_OT_draw_box, VOXELWRIGHT_OT_draw_line)
