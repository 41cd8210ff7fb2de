# SPDX-License-Identifier: GPL-3.0-or-later
"""A decal's settings, on its empty."""

import math
from collections.abc import Callable
from typing import Any

import bpy

from ..gpu_backend.records import DecalLayer
from .redrawing import redraw

_LAYERS = {
    DecalLayer.BLOCKY: ("Blocks", "Surfaces of blocks"),
    DecalLayer.SMOOTH: ("Smooth", "Smooth surfaces"),
    DecalLayer.TOPINGS: ("Topings", "Topings, as grass and stones"),
    DecalLayer.FAR: ("Far Terrain", "The terrain beyond the world"),
}

change_listeners: list[Callable[[bpy.types.ID], None]] = []
"""Called after a setting has changed of the object that they are given."""


def _was_set(self: Any, _context: bpy.types.Context) -> None:
    for listener in change_listeners:
        listener(self.id_data)
    redraw()


class VOXELWRIGHT_PG_decal(bpy.types.PropertyGroup):
    """On an empty whose box projects an image along its local −Z onto worlds."""

    is_decal: bpy.props.BoolProperty(
        name="Decal", description="Project an image onto the worlds in this empty's box", update=_was_set
    )
    image: bpy.props.PointerProperty(
        type=bpy.types.Image, name="Image", description="The image, with its alpha", update=_was_set
    )
    normal_map: bpy.props.PointerProperty(
        type=bpy.types.Image,
        name="Normal Map",
        description="Bumps, as a normal map of OpenGL's kind; its numbers are taken as they are",
        update=_was_set,
    )
    tint: bpy.props.FloatVectorProperty(
        name="Tint",
        description="Multiplied into the image's colors",
        default=(1.0, 1.0, 1.0),
        min=0,
        soft_max=1,
        subtype="COLOR",
        update=_was_set,
    )
    color_mix: bpy.props.FloatProperty(
        name="Mix",
        description="How much of the decal is seen",
        default=1,
        min=0,
        max=1,
        subtype="FACTOR",
        update=_was_set,
    )
    normal_mix: bpy.props.FloatProperty(
        name="Bumps",
        description="How much of the normal map is seen, where the image is",
        default=1,
        min=0,
        max=1,
        subtype="FACTOR",
        update=_was_set,
    )
    upper_fade: bpy.props.FloatProperty(
        name="Fade Upper",
        description="The share of the upper half of the box in which it fades towards the top",
        min=0,
        max=1,
        subtype="FACTOR",
        update=_was_set,
    )
    lower_fade: bpy.props.FloatProperty(
        name="Lower",
        description="The share of the lower half of the box in which it fades towards the bottom",
        min=0,
        max=1,
        subtype="FACTOR",
        update=_was_set,
    )
    distance_begin: bpy.props.FloatProperty(
        name="Distance",
        description="How far from the eye it begins to fade",
        default=50,
        min=0,
        subtype="DISTANCE",
        update=_was_set,
    )
    distance_length: bpy.props.FloatProperty(
        name="Length",
        description="Within which distance from there it is gone; 0 for never",
        min=0,
        subtype="DISTANCE",
        update=_was_set,
    )
    max_angle: bpy.props.FloatProperty(
        name="Angle",
        description="Surfaces that are steeper to the box's Z axis than this show nothing; 180° for all",
        default=math.pi / 2,
        min=math.radians(1),
        max=math.pi,
        subtype="ANGLE",
        update=_was_set,
    )
    order: bpy.props.IntProperty(
        name="Order", description="Decals of a higher order lie on those of a lower one", update=_was_set
    )
    layers: bpy.props.EnumProperty(
        name="On",
        description="Which surfaces it is laid on",
        items=[(layer.name or "", label, text, "NONE", int(layer)) for layer, (label, text) in _LAYERS.items()],
        options={"ENUM_FLAG"},
        default={layer.name or "" for layer in _LAYERS},
        update=_was_set,
    )


CLASSES = (VOXELWRIGHT_PG_decal,)
