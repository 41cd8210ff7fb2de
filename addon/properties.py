# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's files hold of ours: which object carries which world, and the panel's settings."""

import json
from collections.abc import Callable
from typing import Any

import bpy

from ..gpu_backend.views import DESCRIPTIONS, View
from . import idnames, presets
from .decal_properties import VOXELWRIGHT_PG_decal
from .light_properties import VOXELWRIGHT_PG_light
from .symmetry_properties import VOXELWRIGHT_PG_symmetry
from .topings import MODES
from .worlds import MESH_KINDS

_preset_items: list[tuple[str, str, str]] = []


def preset_items(_self: object, _context: object) -> list[tuple[str, str, str]]:
    """Enum items of the world presets. Blender keeps no reference to the strings, so this module must."""
    if not _preset_items:
        for name in presets.world_preset_names():
            preset = presets.world_preset(name)
            _preset_items.append((name, preset.name, preset.description))
    return _preset_items


MESH_KIND_ITEMS = [(name, label, description) for name, (label, description) in MESH_KINDS.items()]

TOPING_MODE_ITEMS = [(name, label, description) for name, (label, description) in MODES.items()]

VIEW_ITEMS = [(view.name, view.name.capitalize(), DESCRIPTIONS[view]) for view in View]

MAX_AREAS = 32
"""Areas of a screen whose previews can be switched, which is as many as a bool vector has."""

phase_listeners: list[Callable[[bpy.types.Object], None]] = []
"""Called with the object whose phase was set by hand. The modules that listen import this one, not the other way."""


def _phase_was_set(self: Any, _context: bpy.types.Context) -> None:
    for listener in phase_listeners:
        listener(self.id_data)


def _is_made_of_faces(_self: object, obj: bpy.types.Object) -> bool:
    return obj.type in {"MESH", "CURVE", "SURFACE", "FONT", "META"}


class VOXELWRIGHT_PG_toping(bpy.types.PropertyGroup):
    """What grows on a material whose toping is an object; its name is the material's."""

    object: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Object",
        description="What grows there: its origin stands on the middle of a top, and it is as large as here",
        poll=_is_made_of_faces,
    )
    collection: bpy.props.PointerProperty(
        type=bpy.types.Collection,
        name="By Neighbours",
        description="Objects for tops with certain neighbours of the same material: their names end in a number, the "
        "sum of 1 for one towards +X, 2 for −X, 4 for +Y and 8 for −Y",
    )


class VOXELWRIGHT_PG_object(bpy.types.PropertyGroup):
    """On an empty that carries a world. The voxels are in session.py's care, and in storage while a file is saved."""

    world_id: bpy.props.StringProperty(
        name="World", description="Which Voxelwright world this object carries; empty for none", options={"HIDDEN"}
    )
    revision: bpy.props.IntProperty(
        name="Revision",
        description="Which state of the world's history is in effect; Blender's undo sets it back",
        options={"HIDDEN"},
    )
    selection: bpy.props.IntProperty(
        name="Selection",
        description="Which of the session's selections of voxels this object has; Blender's undo sets it back",
        options={"HIDDEN"},
    )
    phase: bpy.props.FloatProperty(
        name="Phase",
        description="Moves the terrain that the world was generated from, one turn a unit. Keyframe it to animate; "
        "the voxels come back, with what was edited, where it is as it was",
        step=1,
        update=_phase_was_set,
    )
    symmetry: bpy.props.PointerProperty(
        type=VOXELWRIGHT_PG_symmetry, name="Symmetry", description="Where tools do the same again in this world"
    )
    decal: bpy.props.PointerProperty(
        type=VOXELWRIGHT_PG_decal, name="Decal", description="What the empty projects onto worlds, if anything"
    )
    show_preview: bpy.props.BoolProperty(
        name="Preview", description="Show the world's voxels in 3D viewports", default=True
    )
    material: bpy.props.IntProperty(
        name="Material",
        description="The material that tools place, by its index in the world's palette",
        default=1,
        min=1,
        max=255,
        options={"HIDDEN"},
    )
    topings: bpy.props.CollectionProperty(
        type=VOXELWRIGHT_PG_toping, name="Topings", description="The objects that grow on materials"
    )
    storage: bpy.props.PointerProperty(
        type=bpy.types.Text,
        name="Storage",
        description="The data-block that holds the world's voxels in the saved file",
    )


class VOXELWRIGHT_PG_parameter(bpy.types.PropertyGroup):
    """A number of the chosen preset; its name is its path in the preset."""

    label: bpy.props.StringProperty(name="Label", description="What the number is of")
    value: bpy.props.FloatProperty(name="Value", description="A number of the preset", precision=2)
    default: bpy.props.FloatProperty(name="Default", description="What the preset itself gives")


def _forget_parameters(self: Any, _context: bpy.types.Context) -> None:
    self.parameters.clear()


def _active_index(self: Any) -> int:
    active = bpy.context.view_layer.objects.active
    return self.id_data.objects.find(active.name) if active is not None else -1


def _set_active_index(self: Any, index: int) -> None:
    """Select the object that was clicked in a list, alone."""
    chosen = self.id_data.objects[index]
    try:
        chosen.select_set(True)
    except RuntimeError:  # it is in a collection that is left out
        return
    for other in list(bpy.context.view_layer.objects.selected):
        other.select_set(other == chosen)
    bpy.context.view_layer.objects.active = chosen


class VOXELWRIGHT_PG_scene(bpy.types.PropertyGroup):
    """The panel's settings."""

    preset: bpy.props.EnumProperty(
        name="Preset",
        description="The kind of terrain that New World makes",
        items=preset_items,
        update=_forget_parameters,
    )
    parameters: bpy.props.CollectionProperty(
        type=VOXELWRIGHT_PG_parameter, name="Parameters", description="The preset's numbers, to be turned"
    )
    size: bpy.props.IntVectorProperty(
        name="Size",
        description="The new world's size in voxels; large worlds take longer and more memory",
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
    mesh_kind: bpy.props.EnumProperty(
        name="Mesh", description="How the world is turned into meshes", items=MESH_KIND_ITEMS, default="greedy"
    )
    toping_mode: bpy.props.EnumProperty(
        name="Topings", description="How topings are baked", items=TOPING_MODE_ITEMS, default="points"
    )
    decal_index: bpy.props.IntProperty(
        name="Decal",
        description="The active object, by its place among the scene's",
        get=_active_index,
        set=_set_active_index,
        options={"SKIP_SAVE", "HIDDEN"},
    )
    view: bpy.props.EnumProperty(
        name="View", description="What 3D viewports show of worlds", items=VIEW_ITEMS, default=View.LIT.name
    )
    light: bpy.props.PointerProperty(
        type=VOXELWRIGHT_PG_light, name="Light", description="The light in which 3D viewports show worlds"
    )
    show_stats: bpy.props.BoolProperty(
        name="Statistics",
        description="Show in 3D viewports how much is drawn, and how long that takes",
        default=False,
    )


class VOXELWRIGHT_PG_screen(bpy.types.PropertyGroup):
    """On a screen: what its 3D viewports show, by their place among its areas. Areas cannot have properties."""

    shown: bpy.props.BoolVectorProperty(
        name="In This Viewport",
        description="Show worlds in this viewport",
        default=[True] * MAX_AREAS,
        size=MAX_AREAS,
    )


def adjusted(settings: VOXELWRIGHT_PG_scene) -> str:
    """The parameters that differ from the preset's, as the operators take them: JSON, a list of [path, value]."""
    return json.dumps([[p.name, p.value] for p in settings.parameters if p.value != p.default])


def of_object(owner: bpy.types.Object) -> VOXELWRIGHT_PG_object:
    """Our properties of an object."""
    return getattr(owner, idnames.PROPERTIES)


def of_scene(scene: bpy.types.Scene) -> VOXELWRIGHT_PG_scene:
    """Our properties of a scene."""
    return getattr(scene, idnames.PROPERTIES)


def of_screen(screen: bpy.types.Screen) -> VOXELWRIGHT_PG_screen:
    """Our properties of a screen."""
    return getattr(screen, idnames.PROPERTIES)


def area_number(screen: bpy.types.Screen, area: bpy.types.Area) -> int | None:
    """The area's place in of_screen().shown; None where it has none."""
    number = list(screen.areas).index(area)
    return number if number < MAX_AREAS else None


def shown_in(screen: bpy.types.Screen, area: bpy.types.Area) -> bool:
    """Whether the 3D viewport in this area shows worlds."""
    number = area_number(screen, area)
    return number is None or bool(of_screen(screen).shown[number])


CLASSES = (
    VOXELWRIGHT_PG_toping,
    VOXELWRIGHT_PG_object,
    VOXELWRIGHT_PG_parameter,
    VOXELWRIGHT_PG_scene,
    VOXELWRIGHT_PG_screen,
)
