# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's symmetry as Blender's properties."""

import bpy

from ..voxel.limits import MAX_RADIAL_IMAGES
from .redrawing import redraw_on_change


class SymmetrySettings:
    """A mixin of property groups and operators: where the images of what tools do lie."""

    mirrors: bpy.props.BoolVectorProperty(
        name="Mirror",
        description="Do the same on the other side, along each axis",
        subtype="XYZ",
        update=redraw_on_change,
    )
    radial: bpy.props.IntProperty(
        name="Radial",
        description="Do the same so many times in a circle about the centre; 1 is none",
        default=1,
        min=1,
        max=MAX_RADIAL_IMAGES,
        update=redraw_on_change,
    )
    center: bpy.props.FloatVectorProperty(
        name="Centre",
        description="Where the planes of symmetry meet, in voxels: whole numbers lie between voxels, halves on voxels",
        precision=1,
        step=50,
        subtype="XYZ",
        update=redraw_on_change,
    )


SYMMETRY_KEYS = tuple(SymmetrySettings.__annotations__)


class VOXELWRIGHT_PG_symmetry(SymmetrySettings, bpy.types.PropertyGroup):
    """A world's symmetry."""


CLASSES = (VOXELWRIGHT_PG_symmetry,)
