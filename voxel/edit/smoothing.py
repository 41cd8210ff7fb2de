# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocky voxels to smooth ones."""

import numpy as np
from numpy.typing import NDArray

from ..layout import FLAG_SMOOTH, MATERIAL_SHIFT
from ..world import Chunk, Edit, World, as_chunk, edit_of_chunks


def smooth_all(world: World) -> Edit:
    """The edit that makes every opaque voxel smooth; materials and palette stay.

    Transparent voxels stay as they are: as blocks they show what is behind them, while one smooth surface encloses
    all that is smooth and would have none between glass and stone.
    """
    becomes_smooth = ~world.palette.transparent
    becomes_smooth[0] = False
    return edit_of_chunks(world, {coord: _smooth(world.chunk(coord), becomes_smooth) for coord in world.coords()})


def _smooth(chunk: Chunk, becomes_smooth: NDArray[np.bool_]) -> Chunk:
    if isinstance(chunk, int):
        return chunk | FLAG_SMOOTH if becomes_smooth[chunk >> MATERIAL_SHIFT] else chunk
    return as_chunk(np.where(becomes_smooth[chunk >> MATERIAL_SHIFT], chunk | np.uint16(FLAG_SMOOTH), chunk))
