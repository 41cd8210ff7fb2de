# SPDX-License-Identifier: GPL-3.0-or-later
"""Bits of what is solid, from the voxels of slots: what meshing, culling and light read before voxels."""

from collections.abc import Mapping

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..owned import Owned
from ..shader import load_program
from ..work_list import WorkList, dispatch

_GROUPS_A_SLOT = 2


class OccupancyPass:
    """Computes the occupancy records (records.OCCUPANCY_…) of slots. defines are those of the voxels' buffers."""

    def __init__(self, ctx: moderngl.Context, defines: Mapping[str, object]) -> None:
        self._ctx = ctx
        with Owned() as owned:
            self._program = owned.add(load_program(ctx, defines, compute_shader="mesh/occupancy.comp"))
            self._slots = WorkList(ctx)
            owned.pop_all()

    def run(self, slots: NDArray[np.uint32], transparent: NDArray[np.bool_]) -> None:
        """Compute the records of slots (n,) from their voxels. The voxels and OCCUPANCY are bound; transparent (256,)
        says which materials one sees through."""
        if len(slots) == 0:
            return
        self._slots.upload(slots)
        self._program["transparent_materials"] = transparent_words(transparent)
        dispatch(self._program, _GROUPS_A_SLOT * len(slots), "first_group")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT)

    def release(self) -> None:
        """Free the program and its list."""
        self._program.release()
        self._slots.release()


def transparent_words(transparent: NDArray[np.bool_]) -> tuple[int, ...]:
    """The uniform transparent_materials of shaders/mesh/transparency.glsl: a bit a material."""
    return tuple(np.packbits(transparent, bitorder="little").view("<u4").tolist())
