# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels to quads, by compute: the same set of quads as voxel/mesh/blocky.py makes."""

from collections.abc import Mapping

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..shader import load_program
from ..work_list import dispatch
from .occupancy import transparent_words


class MeshPass:
    """Meshes chunks, a quad a visible face, or merged in the canonical order. defines are those of the voxels' buffers.

    Seven storage blocks and the pages of voxels are read and written.
    """

    def __init__(self, ctx: moderngl.Context, defines: Mapping[str, object], *, merge: bool) -> None:
        self._ctx = ctx
        self._program = load_program(ctx, defines, compute_shader=f"mesh/{'greedy' if merge else 'single'}.comp")

    def run(self, n_jobs: int, transparent: NDArray[np.bool_]) -> None:
        """Mesh the first n_jobs of the MESH_JOBs bound. Bound are also the voxels, OCCUPANCY, the grid, and the buffers
        of a QuadPool, which calls this; transparent (256,) is what occupancy was computed with."""
        self._program["transparent_materials"] = transparent_words(transparent)
        dispatch(self._program, n_jobs, "first_job")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT | moderngl.BUFFER_UPDATE_BARRIER_BIT)

    def release(self) -> None:
        """Free the program."""
        self._program.release()
