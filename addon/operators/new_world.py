# SPDX-License-Identifier: GPL-3.0-or-later
"""Generating worlds: new ones, and the active one anew."""

import json
from typing import Any

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job
from ...voxel.settings import Recipe
from ...voxel.world import Edit, World
from .. import idnames, presets, session, worlds
from ..properties import of_scene, preset_items
from .job_operator import JobOperator, Result, has_world
from .view_worlds import frame_new_world


class _RecipeOperator(JobOperator):
    """What both have: the properties that make a recipe."""

    bl_options: Any = {"REGISTER", "UNDO"}
    is_previewed = True

    preset: bpy.props.EnumProperty(name="Preset", description="The kind of terrain", items=preset_items)
    size: bpy.props.IntVectorProperty(
        name="Size",
        description="The world's size in voxels",
        default=(192, 192, 256),
        min=1,
        max=4096,
        size=3,
        subtype="XYZ",
    )
    seed: bpy.props.IntProperty(
        name="Seed",
        description="Another number gives another terrain of the same kind; the same number the same",
        default=1,
    )
    adjusted: bpy.props.StringProperty(
        name="Adjusted",
        description="Numbers other than the preset's, as a JSON list of [path, value]",
        default="[]",
        options={"HIDDEN"},
    )

    def recipe(self) -> Recipe:
        try:
            pairs = tuple((str(path), float(value)) for path, value in json.loads(self.adjusted))
        except (ValueError, TypeError):
            raise VoxelwrightError("Adjusted must be a JSON list of [path, value].") from None
        return Recipe(presets.world_text(self.preset), tuple(self.size), self.seed, 0.0, pairs)


class VOXELWRIGHT_OT_new_world(_RecipeOperator, bpy.types.Operator):
    """Generate a new voxel world. It belongs to an empty, whose location, rotation and scale place it"""

    bl_idname = idnames.OT_NEW_WORLD
    bl_label = "New World"

    def start(self, _context: bpy.types.Context) -> Job[World]:
        return worlds.generate(self.recipe())

    def finish(self, context: bpy.types.Context, result: World) -> None:
        owner = session.new_world_object(context, presets.world_preset(self.preset).name, result)
        if self.by_hand:
            frame_new_world(self, context, owner)


class VOXELWRIGHT_OT_regenerate_world(_RecipeOperator, bpy.types.Operator):
    """Generate the active world anew with the settings above. All its voxels are replaced; undo brings them back"""

    bl_idname = idnames.OT_REGENERATE_WORLD
    bl_label = "Regenerate World"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and has_world(cls, context)

    def start(self, context: bpy.types.Context) -> Job[Edit]:
        owner = session.active_world_object(context)
        self._target = session.Target(owner)
        return worlds.generate_anew(session.own_world_of(owner), self.recipe())

    def finish(self, context: bpy.types.Context, result: Edit) -> None:
        session.commit(self._target.owner(context.scene), result)


class VOXELWRIGHT_OT_adjust_preset(bpy.types.Operator):
    """Show the numbers of the chosen preset, to turn them before the world is generated"""

    bl_idname = idnames.OT_ADJUST_PRESET
    bl_label = "Adjust Preset"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        settings = of_scene(context.scene)
        settings.parameters.clear()
        for number in presets.world_adjustables(settings.preset):
            parameter = settings.parameters.add()
            parameter.name = number.path
            parameter.label = number.path.replace("nodes.", "").replace(".", " ").replace("_", " ").capitalize()
            parameter.value = parameter.default = number.value
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_new_world, VOXELWRIGHT_OT_regenerate_world, VOXELWRIGHT_OT_adjust_preset)
