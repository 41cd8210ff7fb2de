# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that smooth surfaces are drawn from, for rays of light."""

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..owned import Owned
from ..records import FIELD_SAMPLES
from ..shader import load_program
from ..work_list import dispatch
from .occupancy import transparent_words

_CELLS_8 = 64


class FieldPass:
    """Computes fields (records.FIELD_WORDS), and from them what rays look at (records.OCCUPANCY_BRICKS)."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        with Owned() as owned:
            self._fields = owned.add(load_program(ctx, compute_shader="light/field.comp"))
            self._bricks = owned.add(load_program(ctx, compute_shader="light/field_bricks.comp"))
            self._owned = owned.pop_all()

    def run(self, n_jobs: int, smoothing: float, transparent: NDArray[np.bool_]) -> None:
        """Compute those of the first n_jobs of the FIELD_JOBs bound. OCCUPANCY, FIELD and the grid are bound too;
        smoothing is the world's setting; transparent (256,) says which materials one sees through."""
        self._fields["smoothing"] = smoothing
        self._fields["transparent_materials"] = transparent_words(transparent)
        dispatch(self._fields, FIELD_SAMPLES * n_jobs, "first_group")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT)
        dispatch(self._bricks, _CELLS_8 * n_jobs, "first_group")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT)

    def release(self) -> None:
        """Free the programs."""
        self._owned.close()
