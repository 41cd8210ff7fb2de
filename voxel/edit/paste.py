# SPDX-License-Identifier: GPL-3.0-or-later
"""One world written over another."""

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..jobs import Job, Progress, finish
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SIZE, KEPT_BITS, MATERIAL_SHIFT, N_MATERIALS, VOXEL_DTYPE
from ..palette import Palette
from ..world import Chunk, Coord, Edit, World, as_chunk, chunk_overlaps, edit_of_chunks
from .draft import CHUNKS_PER_SLICE, Voxels

# Björn Ottosson's OKLab: linear sRGB to the cones' responses, their cube roots to lightness and two colour axes.
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def paste(world: World, other: World, offset: tuple[int, int, int]) -> Edit:
    """The edit that writes other's solid voxels over world, other's origin at offset (in voxels, any integers).

    Other's air leaves what is there. The materials that other's voxels use are merged into world's palette: an
    equal one is used again, else it takes the lowest free index, and where none is free it becomes the material
    whose colour is nearest in OKLab. Raises VoxelwrightError where a voxel of other has no material.
    """
    palette, chunks = pasted_chunks(world, world.palette, other, offset)
    return edit_of_chunks(world, chunks, palette)


def pasted_chunks(
    source: Voxels, palette: Palette, other: World, offset: tuple[int, int, int]
) -> tuple[Palette, dict[Coord, Chunk]]:
    """The palette with what other's voxels need, and the chunks of source with them written over, as paste() does."""
    return finish(pasting_chunks(source, palette, other, offset))


def pasting_chunks(
    source: Voxels, palette: Palette, other: World, offset: tuple[int, int, int]
) -> Job[tuple[Palette, dict[Coord, Chunk]]]:
    """The job of pasted_chunks()."""
    palette, index_map = merged_palette(palette, other)
    voxel_of_index = np.zeros(N_MATERIALS, VOXEL_DTYPE)
    for index, target in index_map.items():
        voxel_of_index[index] = palette.voxel(target)
    pieces: dict[Coord, list[tuple[Coord, tuple[slice, ...], tuple[slice, ...]]]] = {}
    for from_coord in other.coords():
        low = [c * CHUNK_SIZE + o for c, o in zip(from_coord, offset, strict=True)]
        for target_coord, inside, outside in chunk_overlaps(low, [c + CHUNK_SIZE for c in low]):
            pieces.setdefault(target_coord, []).append((from_coord, inside, outside))
    chunks: dict[Coord, Chunk] = {}
    for n_done, (coord, parts) in enumerate(pieces.items()):
        if n_done % CHUNKS_PER_SLICE == 0:
            yield Progress(n_done / len(pieces), "Pasting")
        voxels = np.empty(CHUNK_SHAPE, VOXEL_DTYPE)
        voxels[...] = source.chunk(coord)
        for from_coord, inside, outside in parts:
            old = _dense(other.chunk(from_coord))[outside]
            new = voxel_of_index[old >> MATERIAL_SHIFT] | (old & KEPT_BITS)
            np.copyto(voxels[inside], new, where=old >> MATERIAL_SHIFT != AIR)
        chunks[coord] = as_chunk(voxels)
    return palette, chunks


def merged_palette(palette: Palette, other: World) -> tuple[Palette, dict[int, int]]:
    """The palette with the materials that other's voxels use, and the index there of each of their indices."""
    materials = dict(palette.items())
    index_of = {material: index for index, material in reversed(materials.items())}
    free = (index for index in range(1, N_MATERIALS) if palette.materials[index] is None)
    index_map: dict[int, int] = {}
    without_place: list[int] = []
    for index in (np.flatnonzero(other.material_counts()[1:]) + 1).tolist():
        material = other.palette.materials[index]
        if material is None:
            raise VoxelwrightError(f"The world to paste has voxels of material {index}, which its palette lacks.")
        target = index_of.get(material) or next(free, None)
        if target is None:
            without_place.append(index)
        else:
            index_map[index] = index_of[material] = target
            materials[target] = material
    merged = Palette.of(materials)
    if without_place:
        candidates = np.array(sorted(materials))
        distances = _oklab(other.palette)[without_place, None] - _oklab(merged)[None, candidates]
        nearest = candidates[(distances**2).sum(axis=-1).argmin(axis=1)]
        index_map |= dict(zip(without_place, nearest.tolist(), strict=True))
    return merged, index_map


def _oklab(palette: Palette) -> NDArray[np.float64]:
    """(256, 3) float64: the palette's colours in OKLab, where equal distances look about equally different."""
    return np.cbrt(palette.linear_colors.astype(np.float64) @ _CONES.T) @ _OKLAB.T


def _dense(chunk: Chunk) -> NDArray[np.uint16]:
    return np.broadcast_to(np.asarray(chunk, VOXEL_DTYPE), CHUNK_SHAPE)
