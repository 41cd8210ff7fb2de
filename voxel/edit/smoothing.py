# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocky voxels to smooth ones."""

import numpy as np

from ..layout import FLAG_SMOOTH, MATERIAL_SHIFT
from ..world import Chunk, Edit, World, as_chunk, edit_of_chunks


def smooth_all(world: World) -> Edit:
    """The edit that makes every voxel smooth; materials and palette stay."""
    return edit_of_chunks(world, {coord: _smooth(world.chunk(coord)) for coord in world.coords()})


def _smooth(chunk: Chunk) -> Chunk:
    if isinstance(chunk, int):
        return chunk | FLAG_SMOOTH if chunk >> MATERIAL_SHIFT else chunk
    return as_chunk(np.where(chunk >> MATERIAL_SHIFT != 0, chunk | np.uint16(FLAG_SMOOTH), chunk))
