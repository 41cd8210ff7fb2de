# SPDX-License-Identifier: GPL-3.0-or-later
"""The light in which a scene's worlds are seen, as Blender's properties, and the sun that they say."""

import math
from typing import Any, NamedTuple

import bpy
from mathutils import Vector

from ..gpu_backend.frame import MAX_SUN_SIZE, SUN_DIRECTION
from .redrawing import redraw_on_change

_DEFAULT = Vector(SUN_DIRECTION).normalized()


def _is_sun_of(settings: Any, owner: bpy.types.Object) -> bool:
    """Whether an object is a sun of the settings' own scene. One that was deleted is not, though the settings still
    hold it."""
    return isinstance(owner.data, bpy.types.SunLight) and settings.id_data.objects.get(owner.name) == owner


class VOXELWRIGHT_PG_light(bpy.types.PropertyGroup):
    """On a scene."""

    sun: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Sun",
        description="The sun light whose direction and angle worlds are lit from. Its strength and color count in "
        "renders only. Without one, the settings below are the sun",
        poll=_is_sun_of,
        update=redraw_on_change,
    )
    sun_elevation: bpy.props.FloatProperty(
        name="Sun Elevation",
        description="The sun's angle from the horizon",
        subtype="ANGLE",
        default=math.asin(_DEFAULT.z),
        min=-math.pi / 2,
        max=math.pi / 2,
        update=redraw_on_change,
    )
    sun_rotation: bpy.props.FloatProperty(
        name="Sun Rotation",
        description="The sun's rotation around the zenith, from +Y towards +X, as in Blender's sky texture",
        subtype="ANGLE",
        default=math.atan2(_DEFAULT.x, _DEFAULT.y) % math.tau,
        update=redraw_on_change,
    )
    sun_size: bpy.props.FloatProperty(
        name="Sun Size",
        description="The sun's diameter as one sees it: the larger, the softer are the edges of shadows",
        subtype="ANGLE",
        default=0.0,
        min=0.0,
        max=math.radians(MAX_SUN_SIZE),
        update=redraw_on_change,
    )
    use_shadows: bpy.props.BoolProperty(
        name="Shadows",
        description="Show the shadows of the sun that worlds cast on themselves, where the quality has them. Blender's "
        "objects neither cast nor receive any",
        default=True,
        update=redraw_on_change,
    )
    shadow_strength: bpy.props.FloatProperty(
        name="Shadow Strength",
        description="The share of the sun's light that shadows take away",
        subtype="FACTOR",
        default=1.0,
        min=0.0,
        max=1.0,
        update=redraw_on_change,
    )
    shadow_distance: bpy.props.FloatProperty(
        name="Shadow Distance",
        description="Nothing that is farther away than this throws a shadow, in voxels",
        default=1000.0,
        min=1.0,
        soft_max=1000.0,
        max=1e5,
        precision=0,
        step=1000,
        update=redraw_on_change,
    )
    use_occlusion: bpy.props.BoolProperty(
        name="Ambient Occlusion",
        description="Darken corners that little of the sky's light reaches, where the quality has shadows",
        default=True,
        update=redraw_on_change,
    )
    occlusion_strength: bpy.props.FloatProperty(
        name="Ambient Occlusion Strength",
        description="The share of the sky's light that is taken away from what is shut in",
        subtype="FACTOR",
        default=1.0,
        min=0.0,
        max=1.0,
        update=redraw_on_change,
    )
    occlusion_radius: bpy.props.FloatProperty(
        name="Ambient Occlusion Radius",
        description="How near something must be to keep the sky's light away, in voxels; a large one takes longer",
        default=6.0,
        min=1.0,
        soft_max=16.0,
        max=64.0,
        precision=1,
        update=redraw_on_change,
    )


class Sun(NamedTuple):
    """direction, a unit vector, points to it in Blender's world space; size is its diameter, in degrees."""

    direction: Vector
    size: float


def sun_object(settings: VOXELWRIGHT_PG_light) -> bpy.types.Object | None:
    """The sun light that the settings follow; None where none is chosen, or where it is none any more."""
    chosen = settings.sun
    return chosen if chosen is not None and _is_sun_of(settings, chosen) else None


def sun_of(settings: VOXELWRIGHT_PG_light, depsgraph: bpy.types.Depsgraph) -> Sun:
    """The sun of a scene, as its lights are in a depsgraph of it."""
    owner = sun_object(settings)
    if owner is not None:
        evaluated: Any = owner.evaluated_get(depsgraph)
        # A sun shines along its own -Z.
        direction = evaluated.matrix_world.to_3x3() @ Vector((0, 0, 1))
        if direction.length > 0:
            return Sun(direction.normalized(), min(math.degrees(evaluated.data.angle), MAX_SUN_SIZE))
    elevation, rotation = settings.sun_elevation, settings.sun_rotation
    level = math.cos(elevation)
    direction = Vector((level * math.sin(rotation), level * math.cos(rotation), math.sin(elevation)))
    return Sun(direction, min(math.degrees(settings.sun_size), MAX_SUN_SIZE))


CLASSES = (VOXELWRIGHT_PG_light,)
