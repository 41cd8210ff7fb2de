# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips scattered over the ground."""

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..generate.stamps import Stamp
from ..kernels import kernel
from ..layout import AIR, CHUNK_SHAPE, CHUNK_SIZE, MATERIAL_SHIFT, VOXEL_DTYPE
from ..limits import MAX_SCATTERED
from ..palette import Palette
from ..world import Edit, World, as_chunk, new_world
from .clipboard import Clip
from .draft import Draft, window
from .paste import pasted_chunks
from .selection import Selection
from .symmetry import chance_at

_N = CHUNK_SIZE


def scatter(
    world: World, clips: list[Clip], selection: Selection, spacing: int, chance: float = 1.0, seed: int = 0
) -> Edit:
    """The edit that stands clips, at random and turned about z at random, on selected voxels with air above: of each
    cube of the world of edge spacing on one at most, with that chance.

    Raises VoxelwrightError where there is nothing to scatter, or more than MAX_SCATTERED places.
    """
    if not clips:
        raise VoxelwrightError("There is nothing to scatter; copy something first.")
    if spacing < 1 or not 0 <= chance <= 1:
        raise VoxelwrightError("Scattering needs a spacing of 1 voxel or more, and a chance from 0 to 1.")
    places = _places(world, selection, spacing, chance, seed)
    if len(places) > MAX_SCATTERED:
        raise VoxelwrightError(f"There are {len(places)} places; at most {MAX_SCATTERED} things are scattered at once.")
    turned = [[clip.turned(2, quarters) for quarters in range(4)] for clip in clips]
    draft = Draft(world)
    for x, y, z in places.tolist():
        clip = turned[int(chance_at(x, y, z, seed + 2) * len(clips))][int(chance_at(x, y, z, seed + 3) * 4)]
        corner = (x - clip.size[0] // 2, y - clip.size[1] // 2, z + 1)
        ox, oy, oz = (a - b for a, b in zip(corner, clip.low, strict=True))
        draft.palette, chunks = pasted_chunks(draft, draft.palette, clip.voxels, (ox, oy, oz))
        draft.put(chunks)
    return draft.edit()


def clip_of(stamp: Stamp, palette: Palette) -> Clip:
    """A stamp as a clip, of materials of a palette. Raises VoxelwrightError where it lacks one."""
    voxels = stamp.voxels(palette)
    chunk = np.zeros(CHUNK_SHAPE, VOXEL_DTYPE)
    chunk[tuple(slice(n) for n in voxels.shape)] = voxels
    x, y, z = voxels.shape
    return Clip(new_world({(0, 0, 0): as_chunk(chunk)}, palette), (0, 0, 0), (x - 1, y - 1, z - 1))


def _places(world: World, selection: Selection, spacing: int, chance: float, seed: int) -> NDArray[np.int64]:
    """(n, 3) int64: the selected voxels with air above that are taken, sorted."""
    found = [np.empty((0, 3), np.int64)]
    for coord in selection.coords():
        x, y, z = (c * _N for c in coord)
        voxels = window(world, (x, y, z), (x + _N, y + _N, z + _N + 1))
        if not isinstance(voxels, int):
            solid = voxels >> MATERIAL_SHIFT != AIR
            found.append(np.add(np.argwhere(solid[..., :-1] & ~solid[..., 1:] & selection.mask(coord)), (x, y, z)))
    ground = np.concatenate(found)
    cubes, lots = ground // spacing, np.empty((2, len(ground)))
    _draw(ground, cubes, seed, lots)
    order = np.lexsort((lots[0], cubes[:, 2], cubes[:, 1], cubes[:, 0]))
    _, first = np.unique(cubes[order], axis=0, return_index=True)
    taken = order[first]
    return ground[taken[lots[1, taken] < chance]]


@kernel
def _draw(ground, cubes, seed, lots):
    """Fill lots (2, n) float64: a random number for each voxel of ground (n, 3) int64, and for each of cubes (n, 3)."""
    for n in range(len(ground)):
        lots[0, n] = chance_at(ground[n, 0], ground[n, 1], ground[n, 2], seed)
        lots[1, n] = chance_at(cubes[n, 0], cubes[n, 1], cubes[n, 2], seed + 1)
