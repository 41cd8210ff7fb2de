# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground from a field of heights: materials by altitude and slope, caves, chunk after chunk.

A chunk is a function of its coordinates, the heights and the recipe alone, so chunks can be made in any order.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress, stage
from ..kernels import parallel_kernel, prange
from ..layout import CHUNK_SHAPE, CHUNK_SIZE, VOXEL_DTYPE
from ..limits import MAX_WORLD_CHUNKS, MAX_WORLD_EDGE
from ..palette import Palette
from ..world import Chunk, Coord, World, as_chunk, new_world
from .noise import fbm2, fbm3, permutation
from .preset import Caves, Fractal, Heightmap, Preset, Stratum

BATCH_CHUNKS = 32

Size = tuple[int, int, int]


def generate(preset: Preset, palette: Palette, size: Size, seed: int) -> Job[World]:
    """The preset's world, voxels 0 … size − 1 on each axis (cropped, not rounded to chunks).

    The same preset, size and seed give the same voxels on every machine and with any number of threads.
    """
    check_size(size)
    table = permutation(seed)
    yield Progress(0.0, "Shaping the ground")
    field = _heights(preset.heightmap, size[0] + 2, size[1] + 2, table)
    job = fill(field, size, preset.strata, preset.rock, palette, preset.caves, permutation(seed + 1))
    return (yield from stage(job, 0.05, 1.0))


def ground(
    heights: NDArray[np.float64], strata: Sequence[Stratum], rock: str, palette: Palette, low: float, high: float
) -> Job[World]:
    """A world below a heightmap's heights (nx, ny) float64 in voxels, one column a height.

    The strata's altitudes are fractions of the range from low to high.
    """
    size = (*heights.shape, max(int(heights.max()), 1))
    check_size(size)
    scaled = [replace(s, below=low + s.below * (high - low)) for s in strata]
    return fill(np.pad(heights, 1, mode="edge"), size, scaled, rock, palette)


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


def fill(
    field: NDArray[np.float64],
    size: Size,
    strata: Sequence[Stratum],
    rock: str,
    palette: Palette,
    caves: Caves | None = None,
    cave_permutation: NDArray[np.int64] | None = None,
) -> Job[World]:
    """The world below a field of heights in voxels.

    field is (size x + 2, size y + 2) float64, with a border of one column on each side for the slopes. Column
    (x, y) is solid from 0 up to, not including, its height rounded down, at least one voxel. caves needs
    cave_permutation, from noise.permutation().
    """
    columns = _columns(field, strata, palette)
    rock_voxel = palette.voxel(palette.index_of(rock))
    fractal = caves.fractal if caves is not None else Fractal(1.0)
    cave_numbers = (
        caves.threshold if caves is not None else -1.0,
        caves.floor if caves is not None else 0,
        1.0 / fractal.wavelength,
        fractal.octaves,
        fractal.lacunarity,
        fractal.gain,
    )
    table = cave_permutation if cave_permutation is not None else np.zeros(512, np.int64)
    coords = _coords(size)
    yield Progress(0.0, "Filling chunks")
    chunks: dict[Coord, Chunk] = {}
    for start in range(0, len(coords), BATCH_CHUNKS):
        batch = coords[start : start + BATCH_CHUNKS]
        voxels = np.empty((len(batch), *CHUNK_SHAPE), VOXEL_DTYPE)
        _fill_chunks(
            np.array(batch, np.int64), np.array(size, np.int64), *columns, rock_voxel, cave_numbers, table, voxels
        )
        chunks.update((coord, as_chunk(voxels[i])) for i, coord in enumerate(batch))
        yield Progress((start + len(batch)) / len(coords), "Filling chunks")
    return new_world(chunks, palette)


def _coords(size: Size) -> list[Coord]:
    """Every chunk of a box of voxels from the origin."""
    nx, ny, nz = (-(-n // CHUNK_SIZE) for n in size)
    return [(x, y, z) for x in range(nx) for y in range(ny) for z in range(nz)]


def _heights(heightmap: Heightmap, nx: int, ny: int, table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Heights (nx, ny) float64 of the columns from (−1, −1) on."""
    heights = np.empty((nx, ny))
    fractal = heightmap.fractal
    _fractal_field(1.0 / fractal.wavelength, fractal.octaves, fractal.lacunarity, fractal.gain, table, heights)
    shaped = heights if heightmap.sharpness == 1.0 else _sharpened(heights, heightmap.sharpness)
    return heightmap.base + heightmap.amplitude * shaped


def _sharpened(noise: NDArray[np.float64], sharpness: float) -> NDArray[np.float64]:
    """−1 … 1 to −1 … 1: t ↦ t / (t + sharpness·(1 − t)) on 0 … 1. A rational curve, because powers differ between
    machines."""
    t = np.clip(noise * 0.5 + 0.5, 0.0, 1.0)
    return t / (t + sharpness * (1.0 - t)) * 2.0 - 1.0


@parallel_kernel
def _fractal_field(frequency, octaves, lacunarity, gain, table, out):
    """Write fbm2 at the columns (x − 1, y − 1) to out (nx, ny) float64."""
    for x in prange(out.shape[0]):
        for y in range(out.shape[1]):
            out[x, y] = fbm2((x - 1) * frequency, (y - 1) * frequency, octaves, lacunarity, gain, table)


def _columns(
    field: NDArray[np.float64], strata: Sequence[Stratum], palette: Palette
) -> tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.uint16], NDArray[np.int64]]:
    """(top int64, surface uint16, soil uint16, depth int64), each (size x, size y): the first air voxel above each
    column's ground, and what it is made of."""
    inner = field[1:-1, 1:-1]
    rise_x = np.abs(field[2:, 1:-1] - field[:-2, 1:-1]) * 0.5
    rise_y = np.abs(field[1:-1, 2:] - field[1:-1, :-2]) * 0.5
    slope = np.maximum(rise_x, rise_y)
    which = np.searchsorted(np.array([s.below for s in strata[:-1]]), inner, side="right")
    top = np.maximum(np.floor(inner).astype(np.int64), 1)
    steep = slope > np.array([s.steep for s in strata])[which]

    def voxels(names: list[str]) -> NDArray[np.uint16]:
        return np.array([palette.voxel(palette.index_of(n)) for n in names], VOXEL_DTYPE)[which]

    cliff = voxels([s.cliff or s.surface for s in strata])
    surface = np.where(steep, cliff, voxels([s.surface for s in strata]))
    soil = np.where(steep, cliff, voxels([s.soil for s in strata]))
    depth = np.array([s.depth for s in strata], np.int64)[which]
    return top, surface, soil, depth


@parallel_kernel
def _fill_chunks(coords, size, top, surface, soil, depth, rock, cave_numbers, table, out):
    """Write the voxels (n, 32, 32, 32) uint16 of the chunks coords (n, 3) int64 of a world of size (3,) int64.

    top, surface, soil and depth are those of _columns(); cave_numbers is (threshold, floor, frequency, octaves,
    lacunarity, gain), with a negative threshold for no caves.
    """
    threshold, floor, frequency, octaves, lacunarity, gain = cave_numbers
    for i in prange(len(coords)):
        x0, y0, z0 = coords[i, 0] * CHUNK_SIZE, coords[i, 1] * CHUNK_SIZE, coords[i, 2] * CHUNK_SIZE
        for dx in range(CHUNK_SIZE):
            for dy in range(CHUNK_SIZE):
                x, y = x0 + dx, y0 + dy
                out[i, dx, dy, :] = 0
                if x >= size[0] or y >= size[1]:
                    continue
                ground = top[x, y]
                for z in range(z0, min(z0 + CHUNK_SIZE, ground, size[2])):
                    if threshold > 0.0 and z >= floor:
                        noise = fbm3(x * frequency, y * frequency, z * frequency, octaves, lacunarity, gain, table)
                        if abs(noise) < threshold:
                            continue
                    if z == ground - 1:
                        out[i, dx, dy, z - z0] = surface[x, y]
                    elif z >= ground - 1 - depth[x, y]:
                        out[i, dx, dy, z - z0] = soil[x, y]
                    else:
                        out[i, dx, dy, z - z0] = rock
