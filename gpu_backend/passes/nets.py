# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth voxels to a surface, by compute: the same vertices and quads as voxel/mesh/smooth.py makes."""

from collections.abc import Mapping

import moderngl
import numpy as np
from numpy.typing import NDArray

from ..shader import load_program
from ..work_list import dispatch
from .occupancy import transparent_words


class NetsPass:
    """Meshes the smooth surfaces of chunks. defines are those of the voxels' buffers.

    Seven storage blocks and the pages of voxels are read and written. Programs are made when they are first needed:
    worlds of blocks need none.
    """

    def __init__(self, ctx: moderngl.Context, defines: Mapping[str, object]) -> None:
        self._ctx, self._defines = ctx, defines
        self._binary: moderngl.ComputeShader | None = None
        self._smoothed: moderngl.ComputeShader | None = None

    def run(self, n_jobs: int, transparent: NDArray[np.bool_], smoothing: float) -> None:
        """Mesh the first n_jobs of the MESH_JOBs bound. Bound are also the voxels, OCCUPANCY, the grid, and the buffers
        of a SmoothPool, which calls this; transparent (256,) is what occupancy was computed with, and smoothing the
        world's setting."""
        program = self._program(smoothing)
        program["transparent_materials"] = transparent_words(transparent)
        dispatch(program, n_jobs, "first_job")
        self._ctx.memory_barrier(moderngl.SHADER_STORAGE_BARRIER_BIT | moderngl.BUFFER_UPDATE_BARRIER_BIT)

    def release(self) -> None:
        """Free the programs."""
        for program in (self._binary, self._smoothed):
            if program is not None:
                program.release()

    def _program(self, smoothing: float) -> moderngl.ComputeShader:
        """The program for the binary field, or for one smoothed so much."""
        if smoothing == 0:
            if self._binary is None:
                self._binary = load_program(self._ctx, self._defines, compute_shader="mesh/nets.comp")
            return self._binary
        if self._smoothed is None:
            defines = {**self._defines, "SMOOTHED": 1}
            self._smoothed = load_program(self._ctx, defines, compute_shader="mesh/nets.comp")
        self._smoothed["smoothing"] = smoothing
        return self._smoothed
