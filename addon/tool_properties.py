# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of tools as Blender's properties: what panels show, and what operators are given."""

from typing import Any

import bpy

from ..voxel.edit.brushes import ACTIONS, FALLOFFS, LOCKS, PATTERNS, RANGES, SHAPES, Brush
from ..voxel.limits import MAX_CONNECTED_VOXELS
from . import idnames, palettes
from .redrawing import redraw_on_change
from .symmetry_properties import SYMMETRY_KEYS

Items = list[tuple[str, str, str]]

_DESCRIPTIONS = {
    "raise": "Raise the surface",
    "lower": "Lower the surface",
    "smooth": "Even out the surface: what sticks out goes, what is hollow is filled",
    "flatten": "Move the surface to the plane of the place where the stroke begins",
    "grow": "Let the surface grow outwards, with what is most frequent there",
    "erode": "Wear the surface off",
    "noise": "Raise and lower the surface at random",
    "add": "Fill air with voxels",
    "remove": "Take voxels away",
    "replace": "Put other voxels in the place of those that are there",
    "paint": "Give voxels another material",
    "sphere": "A ball",
    "cube": "A cube",
    "cylinder": "A cylinder that stands on the face under the mouse",
    "cone": "A cone that points away from the face under the mouse",
    "disc": "One layer of voxels along the face under the mouse",
    "stamp": "The form of what was copied last",
    "constant": "The same everywhere",
    "linear": "Falls evenly from the middle to the border",
    "sharp": "Falls fast around the middle",
    "round": "Falls fast at the border",
    "none": "Follow the surface under the mouse",
    "plane": "Stay in the plane of the face where the stroke begins",
    "height": "Stay at the height where the stroke begins",
}


def _items(names: tuple[str, ...], descriptions: dict[str, str]) -> Items:
    return [(name.upper(), name.capitalize(), descriptions[name]) for name in names]


SHAPE_ITEMS = _items(SHAPES, _DESCRIPTIONS)
FALLOFF_ITEMS = _items(FALLOFFS, {**_DESCRIPTIONS, "smooth": "Falls gently around the middle and at the border"})
LOCK_ITEMS = _items(LOCKS, _DESCRIPTIONS)
PATTERN_ITEMS = _items(
    PATTERNS,
    {
        "only": "The active material",
        "mix": "The active material and a second one at random",
        "height": "The active material below, the second one above",
        "noise": "The active material and the second one in patches",
    },
)
DIRECTION_ITEMS: Items = [
    ("UP", "Up", "Move surfaces up and down"),
    ("FACE", "Face", "Move surfaces along the direction of the face where the stroke begins"),
]
ACTION_ITEMS = {tool: _items(actions, _DESCRIPTIONS) for tool, actions in ACTIONS.items()}


def _range(name: str) -> dict[str, Any]:
    low, high = RANGES[name]
    return {"min": low, "max": high}


_DEFAULTS = Brush("sculpt", "raise")


def _falloff(default: str) -> Any:
    return bpy.props.EnumProperty(
        name="Falloff",
        description="How the strength falls from the brush's middle to its border",
        items=FALLOFF_ITEMS,
        default=default,
        update=redraw_on_change,
    )


class BrushSettings:
    """A mixin of property groups and operators: a brush's settings, by the names that voxel/edit/brushes.py gives them,
    and the materials that its pattern needs."""

    shape: bpy.props.EnumProperty(
        name="Shape", description="The brush's form", items=SHAPE_ITEMS, update=redraw_on_change
    )
    radius: bpy.props.FloatProperty(
        name="Radius",
        description="From the middle of the brush to its border, in voxels; 0.5 is a single voxel",
        default=4.0,
        precision=1,
        step=50,
        update=redraw_on_change,
        **_range("radius"),
    )
    strength: bpy.props.FloatProperty(
        name="Strength",
        description="How much one dab does. Of Build and Paint it is the share of the voxels that change",
        default=_DEFAULTS.strength,
        subtype="FACTOR",
        **_range("strength"),
    )
    falloff: _falloff("CONSTANT")
    spacing: bpy.props.FloatProperty(
        name="Spacing",
        description="The distance of the dabs of a stroke, in radii",
        default=_DEFAULTS.spacing,
        **_range("spacing"),
    )
    accumulate: bpy.props.BoolProperty(
        name="Accumulate",
        description="Going over a place again in one stroke changes it again",
        default=_DEFAULTS.accumulate,
    )
    pressure_radius: bpy.props.BoolProperty(
        name="Radius Pressure", description="A pen's pressure changes the radius", default=False
    )
    pressure_strength: bpy.props.BoolProperty(
        name="Strength Pressure", description="A pen's pressure changes the strength", default=False
    )
    snap: bpy.props.IntProperty(
        name="Snap",
        description="The brush jumps from cell to cell of a grid that is so many voxels wide; 1 is every voxel",
        default=_DEFAULTS.snap,
        update=redraw_on_change,
        **_range("snap"),
    )
    lock: bpy.props.EnumProperty(name="Lock", description="What a stroke keeps to", items=LOCK_ITEMS)
    direction: bpy.props.EnumProperty(
        name="Direction", description="Where surfaces are moved to", items=DIRECTION_ITEMS
    )
    pattern: bpy.props.EnumProperty(name="Pattern", description="Which materials are placed", items=PATTERN_ITEMS)
    second: bpy.props.EnumProperty(
        name="Second", description="The second material", items=palettes.material_items, update=redraw_on_change
    )
    share: bpy.props.FloatProperty(
        name="Share",
        description="How much of the mix is the second material",
        default=0.5,
        min=0,
        max=1,
        subtype="FACTOR",
    )
    low: bpy.props.FloatProperty(name="From", description="The height where the gradient begins, in voxels", default=0)
    high: bpy.props.FloatProperty(name="To", description="The height where it ends, in voxels", default=64)
    wavelength: bpy.props.FloatProperty(
        name="Size",
        description="The size of the noise's features, in voxels",
        default=_DEFAULTS.wavelength,
        soft_max=128,
        **_range("wavelength"),
    )


BRUSH_KEYS = tuple(BrushSettings.__annotations__)
"""The names of all settings of a brush but its action."""


class VOXELWRIGHT_PG_sculpt(BrushSettings, bpy.types.PropertyGroup):
    """The Sculpt tool's brush."""

    action: bpy.props.EnumProperty(
        name="Action", description="What the brush does", items=ACTION_ITEMS["sculpt"], update=redraw_on_change
    )
    falloff: _falloff("SMOOTH")


class VOXELWRIGHT_PG_build(BrushSettings, bpy.types.PropertyGroup):
    """The Build tool's brush."""

    action: bpy.props.EnumProperty(
        name="Action", description="What the brush does", items=ACTION_ITEMS["build"], update=redraw_on_change
    )


class VOXELWRIGHT_PG_paint(BrushSettings, bpy.types.PropertyGroup):
    """The Paint tool's brush."""

    action: bpy.props.EnumProperty(
        name="Action", description="What the brush does", items=ACTION_ITEMS["paint"], update=redraw_on_change
    )


CONNECTION_ITEMS: Items = [
    ("FACE", "Face", "Voxels of one material that are connected in the plane of the face under the mouse"),
    ("MATERIAL", "Material", "Voxels of one material that are connected in any way"),
    ("SURFACE", "Surface", "Voxels of one material that are connected along the surface"),
]


class FillSettings:
    """A mixin of property groups and operators: which voxels are connected."""

    by: bpy.props.EnumProperty(
        name="Connected by",
        description="Which voxels are connected with the one under the mouse",
        items=CONNECTION_ITEMS,
    )
    limit: bpy.props.IntProperty(
        name="Limit",
        description="Refuse to take more voxels than this",
        default=1_000_000,
        min=1,
        max=MAX_CONNECTED_VOXELS,
    )


FILL_KEYS = tuple(FillSettings.__annotations__)


class VOXELWRIGHT_PG_fill(FillSettings, bpy.types.PropertyGroup):
    """Fill's and Extrude's settings."""


class StampSettings:
    """A mixin of property groups and operators: how a stamp is put."""

    source: bpy.props.EnumProperty(
        name="Stamp",
        description="What is put",
        items=[
            ("CLIPBOARD", "Clipboard", "What was copied last"),
            ("FILE", "File", "The voxels of a file"),
        ],
        update=redraw_on_change,
    )
    filepath: bpy.props.StringProperty(
        name="File",
        description="The file whose voxels are put, .vox or .vxw",
        subtype="FILE_PATH",
        update=redraw_on_change,
    )
    quarters: bpy.props.IntProperty(
        name="Turn",
        description="How many quarter turns about the upright axis",
        default=0,
        min=0,
        max=3,
        update=redraw_on_change,
    )
    mirrored: bpy.props.BoolProperty(
        name="Mirror", description="Put the mirror image", default=False, update=redraw_on_change
    )
    is_random: bpy.props.BoolProperty(
        name="Random Turns", description="Turn and mirror each stamp at random", default=False
    )
    jitter: bpy.props.FloatProperty(
        name="Jitter", description="How far stamps are moved at random, in voxels", default=0.0, min=0.0, max=128.0
    )
    distance: bpy.props.FloatProperty(
        name="Distance",
        description="How far from each other stamps of one stroke are, in voxels; 0 is the stamp's own size",
        default=0.0,
        min=0.0,
        max=1024.0,
    )


STAMP_KEYS = tuple(StampSettings.__annotations__)


class VOXELWRIGHT_PG_stamp(StampSettings, bpy.types.PropertyGroup):
    """The Stamp tool's settings."""


class VOXELWRIGHT_PG_select(bpy.types.PropertyGroup):
    """The Select tool's settings."""

    by: bpy.props.EnumProperty(
        name="Select",
        description="What a click or a drag selects",
        items=[("BOX", "Box", "A box from one voxel to another"), *CONNECTION_ITEMS,
               ("EVERYWHERE", "All of a Material", "Every voxel of the material under the mouse")],
    )  # fmt: skip


def copy_settings(source: Any, target: Any, keys: tuple[str, ...]) -> None:
    """Give target, a property group or an operator, the same settings."""
    for key in keys:
        value = getattr(source, key)
        # The second material is one that this world's palette does not have.
        setattr(target, key, palettes.ACTIVE if key == "second" and not value else value)


PATTERN_SETTINGS = {
    "ONLY": (),
    "MIX": ("second", "share"),
    "HEIGHT": ("second", "low", "high"),
    "NOISE": ("second", "wavelength"),
}
"""What each pattern needs besides the material."""

PLACING = frozenset({"ADD", "REPLACE", "PAINT"})
"""The actions that place a material."""


def draw_placed(layout: bpy.types.UILayout, operator: Any) -> None:
    """What an operator with a brush places, and its symmetry, in the redo panel."""
    if operator.action in PLACING:
        for name in ("material", "pattern", *PATTERN_SETTINGS[operator.pattern]):
            layout.prop(operator, name)
    if operator.strength < 1.0 or operator.pattern != "ONLY":
        layout.prop(operator, "seed")
    for name in SYMMETRY_KEYS:
        layout.prop(operator, name)


def apply_brush(brush: Brush, target: Any) -> None:
    """Set a tool's brush as a preset has it."""
    for key in ("action", *BRUSH_KEYS):
        if hasattr(brush, key):
            value = getattr(brush, key)
            setattr(target, key, value.upper() if isinstance(value, str) else value)


class VOXELWRIGHT_PG_tools(bpy.types.PropertyGroup):
    """The tools' settings, on a scene."""

    sculpt: bpy.props.PointerProperty(
        type=VOXELWRIGHT_PG_sculpt, name="Sculpt", description="The brush of the Sculpt tool"
    )
    build: bpy.props.PointerProperty(type=VOXELWRIGHT_PG_build, name="Build", description="The brush of the Build tool")
    paint: bpy.props.PointerProperty(type=VOXELWRIGHT_PG_paint, name="Paint", description="The brush of the Paint tool")
    fill: bpy.props.PointerProperty(type=VOXELWRIGHT_PG_fill, name="Fill", description="What Fill and Extrude take")
    stamp: bpy.props.PointerProperty(type=VOXELWRIGHT_PG_stamp, name="Stamp", description="What Stamp puts")
    select: bpy.props.PointerProperty(type=VOXELWRIGHT_PG_select, name="Select", description="What Select takes")


CLASSES = (
    VOXELWRIGHT_PG_sculpt,
    VOXELWRIGHT_PG_build,
    VOXELWRIGHT_PG_paint,
    VOXELWRIGHT_PG_fill,
    VOXELWRIGHT_PG_stamp,
    VOXELWRIGHT_PG_select,
    VOXELWRIGHT_PG_tools,
)


def of_tools(scene: bpy.types.Scene) -> VOXELWRIGHT_PG_tools:
    """The tools' settings of a scene."""
    return getattr(scene, idnames.TOOL_PROPERTIES)


def of_tool(scene: bpy.types.Scene, tool: str) -> Any:
    """The brush of sculpt, build or paint."""
    return getattr(of_tools(scene), tool)
