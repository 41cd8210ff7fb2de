# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds from presets and heightmaps: the jobs that make chunks, and what changes from one phase to the next."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress, stage
from ..layout import CHUNK_SHAPE, CHUNK_SIZE, VOXEL_DTYPE
from ..limits import MAX_WORLD_CHUNKS, MAX_WORLD_EDGE
from ..palette import Palette
from ..world import Chunk, ChunkDelta, Coord, Edit, World, new_world
from .changes import changed_chunks
from .columns import Fields
from .preset import Layer, Preset, Stratum
from .recipe import Made, Size, check_materials, make, on_fields

BATCH_CHUNKS = 128
"""Chunks that are filled at once, and in one slice; where there is a density, which takes longer, a quarter of it."""


def generate(
    preset: Preset, palette: Palette, size: Size, seed: int, phase: float = 0.0, reduced: bool = False
) -> Job[World]:
    """The preset's world, voxels 0 … size − 1 on each axis (cropped, not rounded to chunks).

    The same preset, size, seed and phase give the same voxels on every machine and with any number of threads. A
    smaller world is a crop of a larger one, unless the preset has erosion; but features that would stand out at its
    sides are left out. phase moves the noise of nodes, one turn a
    unit; reduced leaves out what takes long: fine octaves, caves, erosion and features.
    """
    check_size(size)
    check_materials(preset, palette)
    made = yield from stage(make(preset, palette, size, seed, phase, reduced), 0.0, 0.4)
    chunks = yield from stage(_chunks(made, size), 0.4, 1.0)
    return new_world(chunks, palette)


def regenerate(
    world: World, preset: Preset, size: Size, seed: int, phase: float = 0.0, reduced: bool = False
) -> Job[Edit]:
    """The edit that makes the chunks of world within size what generate() makes of the same; chunks that stay as they
    are, are not in it. The world's own palette serves, and its settings stay."""
    check_size(size)
    check_materials(preset, world.palette)
    made = yield from stage(make(preset, world.palette, size, seed, phase, reduced), 0.0, 0.4)
    chunks = yield from stage(_chunks(made, size, world), 0.4, 1.0)
    deltas = tuple(ChunkDelta(coord, world.chunk(coord), chunks[coord]) for coord in sorted(chunks))
    return Edit(deltas, world.palette, world.palette, world.settings, world.settings)


def ground(
    heights: NDArray[np.float64], strata: Sequence[Stratum], rock: str, palette: Palette, low: float, high: float
) -> Job[World]:
    """A world below a heightmap's heights (nx, ny) float64 in voxels, one column a height.

    The strata's altitudes are fractions of the range from low to high.
    """
    size = (*heights.shape, max(int(heights.max()), 1))
    check_size(size)
    scaled = tuple(replace(s, below=low + s.below * (high - low)) for s in strata)
    preset = Preset("", "", "", "", {}, (Layer(rock, 1),), scaled)
    check_materials(preset, palette)
    return _below(np.pad(heights, 1, mode="edge").astype(np.float32), preset, palette, size)


def _below(field: NDArray[np.float32], preset: Preset, palette: Palette, size: Size) -> Job[World]:
    made = yield from stage(on_fields(preset, palette, size, Fields(field[None], {}), 0, 0.0, False), 0.0, 0.1)
    chunks = yield from stage(_chunks(made, size), 0.1, 1.0)
    return new_world(chunks, palette)


def check_size(size: Size) -> None:
    """Raise VoxelwrightError where a world of this size cannot be made."""
    if min(size) < 1 or max(size) > MAX_WORLD_EDGE:
        raise VoxelwrightError(f"A world's size must be 1 to {MAX_WORLD_EDGE} voxels on each axis, not {size}.")
    n_chunks = int(np.prod([-(-n // CHUNK_SIZE) for n in size]))
    if n_chunks > MAX_WORLD_CHUNKS:
        raise VoxelwrightError(
            f"{size[0]}×{size[1]}×{size[2]} voxels are {n_chunks} chunks; the limit is {MAX_WORLD_CHUNKS}. "
            "Make it smaller."
        )


def _coords(size: Size) -> list[Coord]:
    """Every chunk of a box of voxels from the origin."""
    nx, ny, nz = (-(-n // CHUNK_SIZE) for n in size)
    return [(x, y, z) for x in range(nx) for y in range(ny) for z in range(nz)]


def _chunks(made: Made, size: Size, world: World | None = None) -> Job[dict[Coord, Chunk]]:
    """All chunks, or those that differ from world's."""
    coords = _coords(size)
    table = np.array(coords, np.int64)
    placements = made.placements(table)
    n_batch = max(BATCH_CHUNKS // 4, 1) if made.ground.dense else BATCH_CHUNKS
    voxels = np.empty((n_batch, *CHUNK_SHAPE), VOXEL_DTYPE)
    uniform = np.empty(n_batch, np.int64)
    rooms = made.rooms(n_batch)
    chunks: dict[Coord, Chunk] = {}
    for start in range(0, len(coords), n_batch):
        batch = table[start : start + n_batch]
        starts = placements.starts[start : start + len(batch) + 1]
        made.fill(placements._replace(starts=starts), batch, voxels, uniform, rooms)
        for coord, chunk in changed_chunks(coords[start : start + n_batch], voxels, uniform, world):
            chunks[coord] = chunk
        yield Progress((start + len(batch)) / len(coords), "Filling chunks")
    return chunks
