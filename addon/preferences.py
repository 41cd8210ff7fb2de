# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's choices about this machine: how worlds come into viewports, how well, and with how much memory."""

from dataclasses import asdict, dataclass, field, fields
from typing import Any

import bpy

from ..gpu_backend.light import DESCRIPTIONS as LIGHTS
from ..gpu_backend.light import Light
from .quality import LEAST_RESOLUTION, NO_LIGHT, QUALITIES, Quality
from .redrawing import redraw_on_change

WAY_ITEMS = (
    ("AUTO", "Automatic", "Direct where Blender draws with OpenGL, carried elsewhere and where direct fails"),
    ("DIRECT", "Direct", "Draw in Blender's own OpenGL context: the fastest"),
    ("CARRIED", "Carried", "Draw in an OpenGL context of our own, and carry the picture into the viewport"),
)


_LIGHT_TEXTS = {
    Light.RAYS: "Rays that march through the voxels: exact. Where there are no compute shaders it is shadow maps",
    Light.MAPS: "Pictures that the sun sees, and what the viewport itself shows: for graphics cards with slow rays",
}

_CUSTOM = len(QUALITIES)
_QUALITY_ITEMS = [
    *((key, label, text, number) for number, (key, (label, text, _)) in enumerate(QUALITIES.items())),
    ("CUSTOM", "Custom", "Settings of your own", _CUSTOM),
]

LIGHT_ITEMS = (
    (NO_LIGHT, "None", "Without shadows and ambient occlusion, which is the fastest"),
    *((light.name, LIGHTS[light].title(), _LIGHT_TEXTS[light]) for light in Light),
)


@dataclass(frozen=True)
class Choices:
    """The preferences as plain values."""

    way: str = "AUTO"
    budget_mib: int = 1024
    quality: Quality = field(default_factory=Quality)
    automatic: bool = True
    undo_mib: int = 512


_DEFAULTS = Choices()


def _quality_number(self: Any) -> int:
    """The preset that the settings are."""
    settings = _quality(self)
    qualities = [quality for _, _, quality in QUALITIES.values()]
    return qualities.index(settings) if settings in qualities else _CUSTOM


def _choose_quality(self: Any, number: int) -> None:
    if number != _CUSTOM:
        _, _, quality = list(QUALITIES.values())[number]
        for name, value in asdict(quality).items():
            setattr(self, name, value)


def _quality(self: Any) -> Quality:
    values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(Quality)}
    for name in ("resolution", "detail"):  # floats of Blender's have 32 bits
        values[name] = round(values[name], 3)
    return Quality(**values)


class VOXELWRIGHT_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = __package__.rpartition(".")[0]

    way: bpy.props.EnumProperty(
        name="Drawing", description="How worlds come into 3D viewports", items=WAY_ITEMS, update=redraw_on_change
    )
    budget_mib: bpy.props.IntProperty(
        name="Graphics Memory",
        description="The most graphics memory that one world may take, in MiB; of a larger one the nearest part shows",
        default=_DEFAULTS.budget_mib,
        min=64,
        max=1 << 16,
        update=redraw_on_change,
    )
    undo_mib: bpy.props.IntProperty(
        name="Undo Memory",
        description="The most memory that the undo steps of one world may take, in MiB; the oldest are forgotten then",
        default=_DEFAULTS.undo_mib,
        min=16,
        max=1 << 16,
    )
    preset: bpy.props.EnumProperty(
        name="Quality",
        description="How well 3D viewports show worlds, and how fast",
        items=_QUALITY_ITEMS,
        get=_quality_number,
        set=_choose_quality,
    )
    automatic: bpy.props.BoolProperty(
        name="Lower the Quality While Navigating",
        description="While something moves in a viewport, take as much of its quality as 30 frames a second need; a "
        "moment later it comes back",
        default=_DEFAULTS.automatic,
        update=redraw_on_change,
    )
    resolution: bpy.props.FloatProperty(
        name="Resolution",
        description="The share of the viewport's pixels that is drawn, along each edge",
        default=_DEFAULTS.quality.resolution,
        min=LEAST_RESOLUTION,
        max=1.0,
        subtype="FACTOR",
        update=redraw_on_change,
    )
    blending: bpy.props.BoolProperty(
        name="Blend Materials",
        description="Let materials run into each other where they meet",
        default=_DEFAULTS.quality.blending,
        update=redraw_on_change,
    )
    light: bpy.props.EnumProperty(
        name="Shadows",
        description="How shadows of the sun are found, and the corners that little of the sky's light reaches",
        items=LIGHT_ITEMS,
        default=_DEFAULTS.quality.light,
        update=redraw_on_change,
    )
    half_occlusion: bpy.props.BoolProperty(
        name="Coarser Occlusion",
        description="Send rays of ambient occlusion from one of four pixels only, which takes less time",
        default=_DEFAULTS.quality.half_occlusion,
        update=redraw_on_change,
    )
    detail: bpy.props.FloatProperty(
        name="Detail",
        description="Put far voxels together to larger ones, as long as these cover no more than so many pixels; at 0 "
        "all are drawn as they are",
        default=_DEFAULTS.quality.detail,
        min=0.0,
        soft_max=8.0,
        max=64.0,
        precision=1,
        step=50,
        subtype="PIXEL",
        update=redraw_on_change,
    )
    samples: bpy.props.IntProperty(
        name="Samples",
        description="While nothing moves the picture becomes the average of so many, with smooth edges",
        default=_DEFAULTS.quality.samples,
        min=1,
        max=32,
        update=redraw_on_change,
    )

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        draw_settings(self.layout, self)
        self.layout.prop(self, "undo_mib")


def draw_settings(layout: bpy.types.UILayout, preferences: Any) -> None:
    """All settings of viewports, for the preferences and the sidebar alike."""
    for name in ("preset", "resolution", "blending", "light"):
        layout.prop(preferences, name)
    column = layout.column()
    column.active = preferences.light == Light.RAYS.name
    column.prop(preferences, "half_occlusion")
    for name in ("detail", "samples", "automatic", "budget_mib", "way"):
        layout.prop(preferences, name)


def stored() -> VOXELWRIGHT_AP_preferences | None:
    """The preferences themselves, for panels; None where Blender did not enable us as an extension."""
    addon: Any = bpy.context.preferences.addons.get(VOXELWRIGHT_AP_preferences.bl_idname)
    return addon.preferences if addon is not None else None


def choices() -> Choices:
    """What the user has chosen."""
    found = stored()
    if found is None:
        return _DEFAULTS
    return Choices(found.way, found.budget_mib, _quality(found), found.automatic, found.undo_mib)


CLASSES = (VOXELWRIGHT_AP_preferences,)
