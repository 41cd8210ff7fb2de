# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels of chunks. A chunk is a function of its coordinates and of what recipe.make() made alone, so chunks come in
any order.

Kernels take several tuples of arrays: numba hands its threads no tuples within tuples.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import get_num_threads, kernel, parallel_kernel, prange
from ..layout import AIR, CHUNK_SIZE
from ..queue import take
from .columns import Columns, bounded
from .features import Stamps
from .program import Boxes

CAVE = np.dtype([("cavern", "i8"), ("threshold", "f4"), ("floor", "i8"), ("cover", "f4"), ("mouths", "f4")], align=True)
"""A cave for the kernels; preset.Cave says what the fields mean."""

_LAKE_COVER = np.float32(5.0)
"""At least this much ground remains between a lake and a cave."""

INSIDE = 8
"""Ground this far below the ground's height is inside it."""

_ONE = np.float32(1.0)


class Ground(NamedTuple):
    """What chunks are made from, besides columns and noise.

    size (3,) int64, in voxels. heights and tilt are (nx, ny) float32.
    layers (p,) uint16 are the rock's voxels by altitude, over and over. Water of the voxel water fills what is open
    below water_level, 0 for none. caves are (n,) of CAVE. Where dense, a density says what is ground, else all below
    the height is; margin voxels above a chunk tell how deep its topmost lie, and cave_floor (0 for none) takes the
    place of surface and soil INSIDE voxels or more below the height.
    """

    size: NDArray[np.int64]
    heights: NDArray[np.float32]
    tilt: NDArray[np.float32]
    layers: NDArray[np.uint16]
    water_level: int
    water: int
    caves: NDArray[np.void]
    dense: bool
    margin: int
    cave_floor: int


class Placements(NamedTuple):
    """What stands on the ground: corners (n, 3) and stamps (n,) int64; and which of them meet chunk i of a list:
    numbers[starts[i] : starts[i + 1]]."""

    corners: NDArray[np.int64]
    stamps: NDArray[np.int64]
    starts: NDArray[np.int64]
    numbers: NDArray[np.int64]


def fill(
    ground: Ground,
    columns: Columns,
    density: Boxes,
    caves: Boxes,
    placements: Placements,
    stamps: Stamps,
    coords: NDArray[np.int64],
    out: NDArray[np.uint16],
    uniform: NDArray[np.int64],
) -> None:
    """Write the voxels (n, 32, 32, 32) uint16 of the chunks coords (n, 3) int64; and to uniform (n,) int64 the voxel
    of which a chunk is made throughout, −1 for none. Where it is not −1, out may be left as it was.

    density and caves hold a box for each chunk, placements a list.
    """
    _fill_chunks(get_num_threads(), ground, columns, density, caves, placements, stamps, coords, out, uniform)


@parallel_kernel
def _fill_chunks(n_threads, ground, columns, density, caves, placements, stamps, coords, out, uniform):
    queue = np.zeros(1, np.int64)
    for _ in prange(n_threads):
        following = take(queue)
        while following < len(coords):
            i, following = following, take(queue)
            begin, end = placements.starts[i], placements.starts[i + 1]
            uniform[i] = _fill_chunk(ground, columns, density, caves, i, coords[i], begin == end, out[i])
            if begin < end:
                for n in range(begin, end):
                    number = placements.numbers[n]
                    _stamp(ground, placements.corners[number], stamps, placements.stamps[number], coords[i], out[i])
                uniform[i] = _uniform_voxel(out[i])


@kernel
def _fill_chunk(ground, columns, density, caves, i, coord, may_skip, out):
    x0, y0, z0 = coord[0] * CHUNK_SIZE, coord[1] * CHUNK_SIZE, coord[2] * CHUNK_SIZE
    nx, ny = min(CHUNK_SIZE, ground.size[0] - x0), min(CHUNK_SIZE, ground.size[1] - y0)
    if ground.dense:
        out[:] = AIR
        _fill_dense(ground, columns, density, i, x0, y0, z0, nx, ny, out)
    else:
        highest, shallowest = _extent(ground, columns, x0, y0, nx, ny)
        whole = nx == CHUNK_SIZE and ny == CHUNK_SIZE and z0 + CHUNK_SIZE <= ground.size[2]
        if may_skip and z0 >= max(highest, ground.water_level):
            return np.int64(AIR)
        if may_skip and whole and caves.starts[i] < 0 and z0 + CHUNK_SIZE <= shallowest and len(ground.layers) == 1:
            return np.int64(ground.layers[0])
        _fill_columns(ground, columns, x0, y0, z0, nx, ny, out)
    if caves.starts[i] >= 0:
        _carve(ground, columns, caves, i, x0, y0, z0, out)
    return _uniform_voxel(out)


@kernel
def _extent(ground, columns, x0, y0, nx, ny):
    """The highest top of a chunk's columns, and the lowest altitude at which any has soil or surface."""
    highest, shallowest = np.int32(0), np.int32(1 << 30)
    for x in range(x0, x0 + nx):
        for y in range(y0, y0 + ny):
            highest = max(highest, columns.top[x, y])
            shallowest = min(shallowest, columns.top[x, y] - columns.depth[x, y] - np.int32(1))
    return np.int64(highest), np.int64(shallowest)


@kernel
def _fill_columns(ground, columns, x0, y0, z0, nx, ny, out):
    """Write all of a chunk whose ground is what lies below the height: rock, soil, surface, water."""
    if nx < CHUNK_SIZE or ny < CHUNK_SIZE:
        out[:] = AIR
    ceiling = min(ground.size[2] - z0, CHUNK_SIZE)
    water = np.uint16(ground.water)
    for x in range(nx):
        for y in range(ny):
            i, j = x0 + x, y0 + y
            top = np.int64(columns.top[i, j]) - z0
            end = min(max(top, 0), ceiling)
            soil_from = min(max(top - 1 - columns.depth[i, j], 0), end)
            line = out[x, y]
            line[:soil_from] = AIR
            line[soil_from:end] = columns.soil[i, j]
            if top >= 1 and top <= ceiling:
                line[top - 1] = columns.surface[i, j]
            wet = min(max(ground.water_level - z0, end), ceiling)
            line[end:wet] = water
            line[wet:] = AIR
            _lay_rock(ground, i, j, z0, line[:end])


@kernel
def _lay_rock(ground, i, j, z0, line):
    """Put rock where a column's ground, (n,) uint16 from altitude z0 up, holds neither soil nor surface."""
    n_layers = len(ground.layers)
    if n_layers == 1:
        rock = ground.layers[0]
        for z in range(len(line)):
            line[z] = rock if line[z] == AIR else line[z]
    else:
        shift = z0 - np.int64(np.floor(bounded(ground.tilt[i, j])))
        for z in range(len(line)):
            if line[z] == AIR:
                line[z] = ground.layers[(z + shift) % n_layers]


@kernel
def _fill_dense(ground, columns, density, i, x0, y0, z0, nx, ny, out):
    """Write to a chunk of air what the density makes of it: its box reaches margin voxels above the chunk."""
    ceiling = min(ground.size[2] - z0, CHUNK_SIZE)
    nz = CHUNK_SIZE + ground.margin
    first = density.starts[i]
    line = np.empty(CHUNK_SIZE, np.uint16)
    for x in range(nx):
        for y in range(ny):
            values = density.values[first + (x * ny + y) * nz : first + (x * ny + y + 1) * nz]
            column_x, column_y = x0 + x, y0 + y
            inside_below = np.int64(columns.top[column_x, column_y]) - INSIDE
            deep = 0
            for z in range(nz - 1, -1, -1):
                deep = deep + 1 if values[z] > 0.0 else 0
                if z < CHUNK_SIZE:
                    voxel = np.uint16(AIR)
                    if deep == 1:
                        voxel = columns.surface[column_x, column_y]
                    elif deep <= columns.depth[column_x, column_y] + 1:
                        voxel = columns.soil[column_x, column_y]
                    if voxel != AIR and ground.cave_floor > 0 and z0 + z < inside_below:
                        voxel = np.uint16(ground.cave_floor)
                    line[z] = voxel
            _lay_rock(ground, column_x, column_y, z0, line)
            for z in range(ceiling):
                if values[z] > 0.0:
                    out[x, y, z] = line[z]
                elif z0 + z < ground.water_level:
                    out[x, y, z] = ground.water


@kernel
def _carve(ground, columns, caves, i, x0, y0, z0, out):
    """Take the caves out of a chunk: where their noise, in the chunk's box, says so, and there is no water."""
    low, nx, ny, nz = caves.boxes[i, 2], caves.boxes[i, 3], caves.boxes[i, 4], caves.boxes[i, 5]
    for c in range(len(ground.caves)):
        cave = ground.caves[c]
        first = caves.starts[i] + c * nx * ny * nz
        for x in range(nx):
            for y in range(ny):
                noise = caves.values[first + (x * ny + y) * nz : first + (x * ny + y + 1) * nz]
                top = np.int64(columns.top[x0 + x, y0 + y])
                for z in range(nz):
                    if is_carved(ground, cave, noise[z], top, low + z) and out[x, y, low + z - z0] != ground.water:
                        out[x, y, low + z - z0] = AIR


@kernel
def is_carved(ground, cave, noise, top, z):
    """Whether a voxel of that noise, at altitude z in a column whose ground ends below top, is in a cave."""
    if z < cave.floor:
        return False
    depth = np.float32(max(top - z, 0))
    mouths, cover = cave.mouths, cave.cover
    if top <= ground.water_level:
        if depth <= _LAKE_COVER:
            return False
        mouths, cover = np.float32(0.0), max(cover, _LAKE_COVER)
    width = mouths + (_ONE - mouths) * (depth / cover) if depth < cover else _ONE
    if cave.cavern:
        return noise > _ONE - (_ONE - cave.threshold) * width
    return abs(noise) < cave.threshold * width


@kernel
def _stamp(ground, corner, stamps, number, coord, out):
    """Write a stamp's voxels to the chunk where it is air."""
    shape = stamps.shapes[number]
    low, high = np.empty(3, np.int64), np.empty(3, np.int64)
    for axis in range(3):
        edge = coord[axis] * CHUNK_SIZE
        low[axis] = max(corner[axis], edge)
        high[axis] = min(corner[axis] + shape[axis], edge + CHUNK_SIZE, ground.size[axis])
    mask = CHUNK_SIZE - 1
    for x in range(low[0], high[0]):
        for y in range(low[1], high[1]):
            row = stamps.starts[number] + ((x - corner[0]) * shape[1] + y - corner[1]) * shape[2] - corner[2]
            for z in range(low[2], high[2]):
                voxel = stamps.voxels[row + z]
                if voxel != AIR and out[x & mask, y & mask, z & mask] == AIR:
                    out[x & mask, y & mask, z & mask] = voxel


@kernel
def _uniform_voxel(voxels):
    """The voxel of which a chunk is made throughout, −1 for none."""
    flat = voxels.reshape(-1)
    differing = np.uint16(0)
    for i in range(len(flat)):
        differing |= flat[i] ^ flat[0]
    return np.int64(flat[0]) if differing == 0 else np.int64(-1)


@kernel
def opens(ground, top, caves, low, altitudes):
    """Set to −1 the altitudes (n,) int64 of the ground's ends where a cave takes the ground below.

    caves holds a box of one column for each, from low (n,) up to the altitude; top (n,) int32 are the columns'.
    """
    for n in range(len(altitudes)):
        nz = caves.boxes[n, 5]
        for c in range(len(ground.caves)):
            for z in range(nz):
                noise = caves.values[caves.starts[n] + c * nz + z]
                if is_carved(ground, ground.caves[c], noise, np.int64(top[n]), low[n] + z):
                    altitudes[n] = -1
