# SPDX-License-Identifier: GPL-3.0-or-later
"""The palette changed, and the voxels with it."""

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.palette import MAX_TOPING_PRIORITY, TEXTURES, TOPINGS, Material
from ...voxel.world import Edit, World
from .. import idnames, session, toping_objects
from ..palettes import active_material, only_material_items
from ..properties import of_object
from ..redrawing import redraw
from .job_operator import Result, has_world

_COLORS = {"color", "toping_color"}
_TOPING_SETTINGS = [field.name for field in fields(Material) if field.name.startswith("toping_")]

_Operator: Any = bpy.types.Operator if TYPE_CHECKING else object


class _PaletteOperator(_Operator):
    """A mixin. The subclass gives edit_of(): the edit of the world, and which material is the active one after it."""

    bl_options: Any = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_world(cls, context)

    def edit_of(self, world: World, active: int) -> tuple[Edit, int]:
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Result:
        owner = session.active_world_object(context)
        try:
            edit, active = self.edit_of(session.own_world_of(owner), active_material(owner))
            session.commit(owner, edit)
            _keep_toping_objects(owner, edit, active)
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        of_object(owner).material = active
        redraw()
        return {"FINISHED"}


def _keep_toping_objects(owner: bpy.types.Object, edit: Edit, active: int) -> None:
    """The choice of an object follows the active material's name; where its toping is one, there is a choice."""
    before, after = edit.palette_before.materials[active], edit.palette_after.materials[active]
    if before is not None and after is not None and before.name != after.name:
        item = toping_objects.item_of(owner, before.name)
        if item is not None and before.name not in {m.name for _, m in edit.palette_after.items()}:
            item.name = after.name
    if after is not None and after.toping == "object":
        toping_objects.choose(owner, after.name)


class VOXELWRIGHT_OT_add_material(_PaletteOperator, bpy.types.Operator):
    """Add a material to the palette, a copy of the active one, to be changed then"""

    bl_idname = idnames.OT_ADD_MATERIAL
    bl_label = "Add Material"

    name: bpy.props.StringProperty(
        name="Name", description="The new material's name; empty for that of the active one", maxlen=60
    )

    def edit_of(self, world: World, active: int) -> tuple[Edit, int]:
        from ...voxel.edit.palettes import add_material

        material = world.palette.materials[active] or Material("material", (128, 128, 128))
        return add_material(world, replace(material, name=self.name or material.name))


class VOXELWRIGHT_OT_edit_material(_PaletteOperator, bpy.types.Operator):
    """Change the active material's name and looks; what is not given stays"""

    bl_idname = idnames.OT_EDIT_MATERIAL
    bl_label = "Edit Material"

    name: bpy.props.StringProperty(name="Name", description="The material's name", maxlen=60)
    color: bpy.props.FloatVectorProperty(
        name="Color", description="The mean colour of its texture", size=3, subtype="COLOR_GAMMA", min=0, max=1
    )
    roughness: bpy.props.FloatProperty(
        name="Roughness", description="0 mirrors, 1 is matt", min=0, max=1, subtype="FACTOR"
    )
    metallic: bpy.props.FloatProperty(
        name="Metallic", description="0 is stone or wood, 1 bare metal", min=0, max=1, subtype="FACTOR"
    )
    emission: bpy.props.FloatProperty(
        name="Emission", description="How strongly it shines, in multiples of its colour", min=0, max=1000, soft_max=20
    )
    opacity: bpy.props.FloatProperty(
        name="Opacity", description="Below 1 one sees through it", min=0, max=1, subtype="FACTOR"
    )
    ior: bpy.props.FloatProperty(
        name="IOR", description="How much it bends light: water 1.33, glass 1.45", min=1, max=4, soft_max=2.5
    )
    smooth: bpy.props.BoolProperty(name="Smooth", description="Smooth surfaces instead of blocks")
    texture: bpy.props.EnumProperty(
        name="Texture",
        description="The pattern on it",
        items=[(name, name.capitalize(), "") for name in TEXTURES],
    )
    texture_scale: bpy.props.FloatProperty(
        name="Scale", description="Voxels a tile of the texture", min=0.25, max=256, soft_max=32
    )
    texture_contrast: bpy.props.FloatProperty(
        name="Contrast", description="How strong the texture is", min=0, max=1, subtype="FACTOR"
    )
    toping: bpy.props.EnumProperty(
        name="Toping",
        description="What grows on exposed tops",
        items=[(name, name.capitalize(), "") for name in TOPINGS],
    )
    toping_height: bpy.props.FloatProperty(
        name="Height", description="How tall topings are, in multiples of their kind's", min=0.1, max=4
    )
    toping_density: bpy.props.FloatProperty(
        name="Density", description="The share of tops that have one", min=0, max=1, subtype="FACTOR"
    )
    toping_priority: bpy.props.IntProperty(
        name="Priority",
        description="Where two materials meet, the toping with the higher one keeps the edge",
        min=0,
        max=MAX_TOPING_PRIORITY,
    )
    toping_tinted: bpy.props.BoolProperty(
        name="Material's Color", description="Topings have the colour of the material; flowers' petals have their own"
    )
    toping_color: bpy.props.FloatVectorProperty(
        name="Toping Color",
        description="The colour of topings, or of petals",
        size=3,
        subtype="COLOR_GAMMA",
        min=0,
        max=1,
    )
    toping_wind: bpy.props.FloatProperty(name="Wind", description="How far plants sway", min=0, max=1, subtype="FACTOR")
    toping_distance: bpy.props.FloatProperty(
        name="Distance", description="Voxels from the eye beyond which topings are not drawn", min=8, max=4096
    )
    bleeds: bpy.props.BoolProperty(name="Bleeds", description="It runs into the faces of its neighbours")
    resists: bpy.props.BoolProperty(name="Resists", description="It keeps its neighbours out of its own faces")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        owner = session.active_world_object(context)
        try:
            material = session.own_world_of(owner).palette.materials[active_material(owner)]
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if material is not None:
            for field in fields(Material):
                setattr(self, field.name, getattr(material, field.name))
            for name in _COLORS:
                setattr(self, name, [byte / 255 for byte in getattr(material, name)])
        return context.window_manager.invoke_props_popup(self, event)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        for names in (
            ("name", "color"),
            ("roughness", "metallic", "emission", "opacity", "ior"),
            ("texture", "texture_scale", "texture_contrast"),
            ("smooth", "bleeds", "resists"),
            ("toping", *(_TOPING_SETTINGS if self.toping != "none" else ())),
        ):
            column = layout.column(align=True)
            for name in names:
                column.prop(self, name)

    def edit_of(self, world: World, active: int) -> tuple[Edit, int]:
        from ...voxel.edit.palettes import set_material

        material = world.palette.materials[active]
        if material is None:
            raise VoxelwrightError("The palette has no materials; add one first.")
        names = [field.name for field in fields(Material) if self.properties.is_property_set(field.name)]
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        for name, value in given.items():
            # Blender's floats are shorter: what was read from the material goes back to it as it was.
            if isinstance(value, float):
                given[name] = round(value, 6)
        for name in _COLORS & given.keys():
            given[name] = tuple(round(255 * channel) for channel in given[name])
        return set_material(world, active, replace(material, **given)), active


class VOXELWRIGHT_OT_move_material(_PaletteOperator, bpy.types.Operator):
    """Move the active material to another place in the palette. The world looks as before"""

    bl_idname = idnames.OT_MOVE_MATERIAL
    bl_label = "Move Material"

    steps: bpy.props.IntProperty(
        name="Steps", description="By how many places; below 0 towards the first", default=1, min=-254, max=254
    )

    def edit_of(self, world: World, active: int) -> tuple[Edit, int]:
        from ...voxel.edit.palettes import move_material

        return move_material(world, active, self.steps)


class VOXELWRIGHT_OT_merge_material(_PaletteOperator, bpy.types.Operator):
    """Give all voxels of the active material another one, and take the active one off the palette"""

    bl_idname = idnames.OT_MERGE_MATERIAL
    bl_label = "Merge Material"
    bl_property = "into"

    into: bpy.props.EnumProperty(
        name="Into", description="The material that the voxels get", items=only_material_items, options={"SKIP_SAVE"}
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        context.window_manager.invoke_search_popup(self)
        return {"FINISHED"}

    def edit_of(self, world: World, active: int) -> tuple[Edit, int]:
        from ...voxel.edit.palettes import merge_material

        return merge_material(world, active, int(self.into)), int(self.into)


class VOXELWRIGHT_OT_purge_materials(_PaletteOperator, bpy.types.Operator):
    """Take all materials off the palette that no voxel of the world has"""

    bl_idname = idnames.OT_PURGE_MATERIALS
    bl_label = "Purge Unused Materials"

    def edit_of(self, world: World, active: int) -> tuple[Edit, int]:
        from ...voxel.edit.palettes import purge_materials

        edit = purge_materials(world)
        gone = len(edit.palette_before.items()) - len(edit.palette_after.items())
        self.report({"INFO"}, f"{gone} materials were purged" if gone else "All materials are in use")
        return edit, active


CLASSES = (
    VOXELWRIGHT_OT_add_material,
    VOXELWRIGHT_OT_edit_material,
    VOXELWRIGHT_OT_move_material,
    VOXELWRIGHT_OT_merge_material,
    VOXELWRIGHT_OT_purge_materials,
)
