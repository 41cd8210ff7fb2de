# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's choices about this machine: how worlds come into viewports, how well, and with how much memory."""

from dataclasses import astuple, dataclass, field
from typing import Any

import bpy

from .quality import LEAST_RESOLUTION, QUALITIES, Quality
from .redrawing import redraw_on_change

WAY_ITEMS = (
    ("AUTO", "Automatic", "Direct where Blender draws with OpenGL, carried elsewhere and where direct fails"),
    ("DIRECT", "Direct", "Draw in Blender's own OpenGL context: the fastest"),
    ("CARRIED", "Carried", "Draw in an OpenGL context of our own, and carry the picture into the viewport"),
)


_CUSTOM = len(QUALITIES)
_QUALITY_ITEMS = [
    *((key, label, text, number) for number, (key, (label, text, _)) in enumerate(QUALITIES.items())),
    ("CUSTOM", "Custom", "Settings of your own", _CUSTOM),
]


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
        self.resolution, self.blending, self.light, self.samples = astuple(quality)


def _quality(self: Any) -> Quality:
    # A float of Blender's has 32 bits.
    return Quality(round(self.resolution, 3), self.blending, self.light, self.samples)


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
    light: bpy.props.BoolProperty(
        name="Shadows",
        description="Show shadows of the sun, and darken corners that little of the sky's light reaches",
        default=_DEFAULTS.quality.light,
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
    for name in ("preset", "resolution", "blending", "light", "samples", "automatic", "budget_mib", "way"):
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
