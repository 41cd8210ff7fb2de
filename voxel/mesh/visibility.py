# SPDX-License-Identifier: GPL-3.0-or-later
"""Which voxels are blocks, and which of their faces show: rules that the blocky and the smooth mesher share.

transparent is always (256,) bool by material, from the palette.
"""

from ..kernels import kernel
from ..layout import FLAG_SMOOTH, MATERIAL_SHIFT


@kernel
def is_blocky(voxel):
    """Whether a uint16 voxel is meshed as a block."""
    return voxel >> MATERIAL_SHIFT != 0 and voxel & FLAG_SMOOTH == 0


@kernel
def shows_face(voxel, neighbour, transparent):
    """Whether a blocky voxel shows its face towards a neighbour: towards air, and towards a transparent neighbour
    of another material. Towards opaque smooth voxels no face is shown: the smooth mesh covers that boundary."""
    material = neighbour >> MATERIAL_SHIFT
    if not is_blocky(voxel):
        return False
    return material == 0 or (transparent[material] and material != voxel >> MATERIAL_SHIFT)
