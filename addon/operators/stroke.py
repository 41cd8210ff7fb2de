# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes of brushes: what the tools Sculpt, Build and Paint do."""

import random
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from ...voxel.world import Edit, World
from .. import brushes, cursor, idnames, palettes, picking, selections, session
from ..points import Sample, samples_of, to_json
from ..properties import of_object
from ..symmetry_properties import SYMMETRY_KEYS, SymmetrySettings
from ..tool_properties import ACTION_ITEMS, BRUSH_KEYS, BrushSettings, copy_settings, draw_placed, of_tool
from .gesture import GestureOperator

if TYPE_CHECKING:
    from ...voxel.edit.dabs import Stroke

MODES = (
    ("NORMAL", "Normal", "What the brush does"),
    ("INVERT", "Invert", "The opposite: remove for add, lower for raise, erode for grow"),
    ("SMOOTH", "Smooth", "Even out the surface"),
)
_PIXELS = 6.0
"""The mouse's way is looked at every so many pixels, so that strokes keep to surfaces when it is fast."""

_MAX_LOOKS = 64


class VOXELWRIGHT_OT_stroke(GestureOperator, BrushSettings, SymmetrySettings, bpy.types.Operator):
    """Shape the active world with the brush. Ctrl does the opposite, Shift smooths"""

    bl_idname = idnames.OT_STROKE
    bl_label = "Brush Stroke"
    bl_options = {"REGISTER", "UNDO"}

    help_text = "Release to keep the stroke; Esc or right click to leave the world as it was"

    tool: bpy.props.EnumProperty(
        name="Tool",
        description="Whose brush a stroke by hand has",
        items=[(name.upper(), name.capitalize(), "") for name in ACTION_ITEMS],
        options={"HIDDEN"},
    )
    mode: bpy.props.EnumProperty(
        name="Mode", description="How a stroke by hand uses the brush", items=MODES, options={"HIDDEN", "SKIP_SAVE"}
    )
    action: bpy.props.EnumProperty(
        name="Action",
        description="What the brush does",
        items=[item for items in ACTION_ITEMS.values() for item in items],
    )
    material: bpy.props.EnumProperty(name="Material", description="What is placed", items=palettes.material_items)
    seed: bpy.props.IntProperty(name="Seed", description="Another number gives another random choice", min=0)
    samples: bpy.props.StringProperty(
        name="Samples",
        description="The stroke's points, as JSON: a list of [x, y, z in voxels, face, pressure, jumps]",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    _stroke: Any
    _drawn: list[Sample]
    _mouse: tuple[int, int]

    def begin(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> bool:
        settings = of_tool(context.scene, self.tool.lower())
        copy_settings(settings, self, BRUSH_KEYS)
        copy_settings(of_object(owner).symmetry, self, SYMMETRY_KEYS)
        self.action = brushes.action_in_mode(settings.action, self.mode)
        self.material = palettes.active_item(owner)
        self.seed = random.randrange(1 << 16)
        self._drawn = []
        self._mouse = event.mouse_region_x, event.mouse_region_y
        first = self._aim(context, owner, self._mouse)
        if first is None:
            return False
        picking.freeze(owner, not brushes.follows_surface(self.action))
        self._add(first, event.pressure)
        self._stroke = self._begun_stroke(owner, session.world_of(owner), self._drawn)
        self._show_last(owner)
        return True

    def drag(self, context: bpy.types.Context, owner: bpy.types.Object, event: bpy.types.Event) -> None:
        if event.type not in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            return
        start, end = np.array(self._mouse), np.array((event.mouse_region_x, event.mouse_region_y))
        n_looks = min(max(int(np.ceil(np.linalg.norm(end - start) / _PIXELS)), 1), _MAX_LOOKS)
        for look in range(1, n_looks + 1):
            x, y = (start + (end - start) * (look / n_looks)).tolist()
            found = self._aim(context, owner, (x, y))
            if found is not None:
                self._add(found, event.pressure)
                self._show_last(owner)
        self._mouse = event.mouse_region_x, event.mouse_region_y
        cursor.follow(context, self._mouse)

    def result(self, owner: bpy.types.Object) -> Edit:
        # As execute() would make it, but it is there already.
        self.samples = to_json(self._drawn)
        return self._stroke.edit()

    def made(self, owner: bpy.types.Object, world: World) -> Edit:
        samples = samples_of(self.samples)
        stroke = self._begun_stroke(owner, world, samples)
        for number in range(len(samples)):
            self._draw_to(stroke, samples, number)
        return stroke.edit()

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        names = ["action", "shape", "radius", "strength", "falloff", "spacing", "accumulate"]
        if self.action in brushes.MOVING:
            names.append("direction")
        if self.action == "NOISE":
            names.append("wavelength")
        for name in names:
            layout.prop(self, name)
        draw_placed(layout, self)

    def _aim(
        self, context: bpy.types.Context, owner: bpy.types.Object, place: tuple[float, float]
    ) -> brushes.Aim | None:
        locked = brushes.Aim(self._drawn[0].point, self._drawn[0].face) if self._drawn else None
        return brushes.aim(owner, picking.mouse_ray(context, place), self, self.action, locked)

    def _add(self, found: brushes.Aim, pressure: float) -> None:
        jumps = bool(self._drawn) and brushes.is_jump(self._drawn[-1].point, found.point, self.radius)
        self._drawn.append(Sample(*found.point, found.face, pressure, jumps))

    def _show_last(self, owner: bpy.types.Object) -> None:
        try:
            edit = self._draw_to(self._stroke, self._drawn, len(self._drawn) - 1)
        except VoxelwrightError:
            self._drawn.pop()  # the stroke keeps what it has
            raise
        if edit:
            session.show(owner, edit)

    def _begun_stroke(self, owner: bpy.types.Object, world: World, samples: list[Sample]) -> "Stroke":
        first = brushes.Aim(samples[0].point, samples[0].face)
        action = brushes.action_of(self, owner, first)
        within = selections.selection_of(owner)
        shape = brushes.shape_of(self, self.action, first.face)
        return brushes.stroke_of(world, self, action, shape, brushes.symmetry_of(self), within)

    def _draw_to(self, stroke: "Stroke", samples: list[Sample], number: int) -> Edit:
        """Go on with the sample of that number."""
        sample = samples[number]
        if sample.jumps:
            stroke.lift()
        pressure = sample.pressure
        # In half voxels, so that there are not too many different shapes.
        radius = max(0.5, round(2 * self.radius * pressure) / 2) if self.pressure_radius else self.radius
        # A brush that moves surfaces does so the same way throughout a stroke.
        face = samples[0].face if self.action in brushes.MOVING else sample.face
        shape = brushes.shape_of(self, self.action, face, radius)
        return stroke.to(sample.point, pressure if self.pressure_strength else 1.0, shape)


CLASSES = (VOXELWRIGHT_OT_stroke,)
