# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that smooth surfaces are drawn from, for rays of light."""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..owned import Owned
from ..records import FIELD_SAMPLES
from ..shader import load_program
from ..work_list import WorkList, dispatch
from .occupancy import transparent_words

_CELLS_8 = 64


class FieldPass:
    """Computes fields (records.FIELD_WORDS), and from them what rays look at (records.OCCUPANCY_BRICKS)."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        with Owned() as owned:
            self._fields = owned.add(load_program(ctx, compute_shader="light/field.comp"))
            self._bricks = owned.add(load_program(ctx, compute_shader="light/field_bricks.comp"))
            self._jobs = owned.add(WorkList(ctx))
            self._owned = owned.pop_all()

    def run(self, jobs: NDArray[Any], strength: int, transparent: NDArray[np.bool_]) -> None:
        """Compute those of jobs (n,) FIELD_JOB, n > 0. OCCUPANCY, FIELD and the grid are bound; strength is 0 … 256;
        transparent (256,) says which materials one sees through."""
        self._jobs.upload(jobs)
        self._fields["strength"] = strength
        self._fields["transparent_materials"] = transparent_words(transparent)
        dispatch(self._fields, FIELD_SAMPLES * len(jobs), "first_group")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT)
        dispatch(self._bricks, _CELLS_8 * len(jobs), "first_group")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT)

    def release(self) -> None:
        """Free the programs and the list."""
        self._owned.close()
