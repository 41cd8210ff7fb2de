# SPDX-License-Identifier: GPL-3.0-or-later
"""Which voxels are solid to whom: the rules that the blocky and the smooth mesher share.

transparent is always (256,) bool by material, from the palette.
"""

from ..kernels import kernel
from ..layout import FLAG_SMOOTH, MATERIAL_SHIFT


@kernel
def is_blocky(voxel):
    """Whether a uint16 voxel is meshed as a block."""
    return voxel >> MATERIAL_SHIFT != 0 and voxel & FLAG_SMOOTH == 0


@kernel
def is_smooth(voxel):
    """Whether a uint16 voxel is meshed by Surface Nets."""
    return voxel >> MATERIAL_SHIFT != 0 and voxel & FLAG_SMOOTH != 0


@kernel
def is_ground(voxel, transparent):
    """Whether smooth surfaces take a voxel as inside: smooth ones and opaque blocks. Treating opaque blocks as air
    would grow a skin between the two; a transparent block must have that skin, since one sees through it."""
    material = voxel >> MATERIAL_SHIFT
    return material != 0 and (voxel & FLAG_SMOOTH != 0 or not transparent[material])


@kernel
def shows_face(voxel, neighbour, transparent):
    """Whether a blocky voxel shows its face towards a neighbour: towards air, and towards a transparent neighbour
    of another material. Towards opaque smooth voxels no face is shown: the smooth mesh covers that boundary."""
    material = neighbour >> MATERIAL_SHIFT
    if not is_blocky(voxel):
        return False
    return material == 0 or (transparent[material] and material != voxel >> MATERIAL_SHIFT)
