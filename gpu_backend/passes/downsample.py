# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse chunks from finer ones, in the slots of the voxels' buffers."""

from collections.abc import Mapping, Sequence
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..owned import Owned
from ..shader import load_program
from ..work_list import WorkList, dispatch
from .occupancy import transparent_words

_CHILDREN = 8


class DownsamplePass:
    """Writes the voxels of coarse chunks. defines are those of the voxels' buffers."""

    def __init__(self, ctx: moderngl.Context, defines: Mapping[str, object]) -> None:
        self._ctx = ctx
        with Owned() as owned:
            self._program = owned.add(load_program(ctx, defines, compute_shader="mesh/downsample.comp"))
            self._jobs = WorkList(ctx)
            owned.pop_all()

    def run(self, jobs: NDArray[Any], counts: Sequence[int], transparent: NDArray[np.bool_]) -> None:
        """Make the slots of jobs (n > 0,) LEVEL_JOB from those of their children: so many of level 1, whose children
        are chunks of the world itself, so many of level 2, and so on. The voxels are bound; transparent (256,) says
        which materials one sees through."""
        self._jobs.upload(jobs)
        self._program["transparent_materials"] = transparent_words(transparent)
        first = 0
        for finer, n in enumerate(counts):
            self._program["from_world"] = finer == 0
            self._program["first_job"] = first
            dispatch(self._program, _CHILDREN * n, "first_group")
            self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT)
            first += n

    def release(self) -> None:
        """Free the program and its list."""
        self._program.release()
        self._jobs.release()
