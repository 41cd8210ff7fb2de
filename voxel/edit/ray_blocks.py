# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays against the visible faces of blocks."""

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernel
from ..layout import AIR, CHUNK_SHIFT, CHUNK_SIZE, FLAG_SMOOTH, MATERIAL_SHIFT
from ..mesh.rows import load_voxel, row_with_bits
from ..mesh.visibility import is_blocky, shows_face
from ..world import Chunk, Coord
from .ray_steps import INSIDE, enter_box, is_in_box, leave_cell
from .ray_tree import LEVELS, NOTHING, ChunkTree, find_chunk, with_room

_BRICK_SHIFT = 3
_IN_BRICK = CHUNK_SHIFT - _BRICK_SHIFT
_BRICK = (1 << _IN_BRICK) - 1
_INSIDE = CHUNK_SIZE - 1

ADDRESS, VALUE, BRICKS = range(3)
"""Columns of a chunk's row: where its voxels are in memory, 0 where all are VALUE; and a bit for each of its 4³ bricks
of 8³ voxels, whether there is a block in it."""

_ALL_BRICKS = -1


class BlockChunks:
    """The chunks that are not air. table (n, 3) int64, by the tree's rows and the columns above: 24 bytes a chunk. The
    voxels themselves stay the world's; the arrays that it has replaced are kept until put() is told."""

    def __init__(self) -> None:
        self.tree = ChunkTree()
        self.table = np.zeros((1, 3), np.int64)
        self._chunks: dict[Coord, NDArray[np.uint16]] = {}

    def put(self, coord: Coord, chunk: Chunk) -> bool:
        """Take a chunk as it is now. Returns whether any of its voxels is smooth."""
        self._chunks.pop(coord, None)
        if isinstance(chunk, int) and chunk == AIR:
            self.tree.remove(coord)
            return False
        row = self.tree.add(coord)
        self.table = with_room(self.table, row + 1)
        if isinstance(chunk, int):
            smooth = bool(chunk >> MATERIAL_SHIFT) and bool(chunk & FLAG_SMOOTH)
            blocks = bool(chunk >> MATERIAL_SHIFT) and not smooth
            self.table[row] = 0, chunk, _ALL_BRICKS * blocks
            return smooth
        voxels = np.ascontiguousarray(chunk)
        self._chunks[coord] = voxels
        address = voxels.ctypes.data
        bricks, smooth = _classify(address)
        self.table[row] = address, 0, bricks
        return bool(smooth)


@kernel
def _classify(address):
    """(bricks, smooth): the bits of the bricks that have a block in them, and whether any voxel is smooth, of the chunk
    at address (int64)."""
    bricks, any_smooth = np.int64(0), np.int64(0)
    for x in range(CHUNK_SIZE):
        for y in range(CHUNK_SIZE):
            at = address + 2 * CHUNK_SIZE * (x * CHUNK_SIZE + y)
            solid = row_with_bits(at, np.uint16(0xFF << MATERIAL_SHIFT))
            smooth = row_with_bits(at, np.uint16(FLAG_SMOOTH)) & solid
            any_smooth |= smooth
            blocks = solid & ~smooth
            for k in range(1 << _IN_BRICK):
                if blocks >> (k << _BRICK_SHIFT) & ((1 << (1 << _BRICK_SHIFT)) - 1) != 0:
                    bricks |= np.int64(1) << _brick(x, y, k << _BRICK_SHIFT)
    return bricks, any_smooth != 0


@kernel
def _brick(x, y, z):
    """The bit of the brick of voxel (x, y, z), in its chunk or in the world."""
    x, y, z = x >> _BRICK_SHIFT & _BRICK, y >> _BRICK_SHIFT & _BRICK, z >> _BRICK_SHIFT & _BRICK
    return x << 2 * _IN_BRICK | y << _IN_BRICK | z


@kernel
def trace_blocks(ray, furthest, children, place, table, transparent, cell):
    """The distance to the first face that the ray meets from its visible side, infinite where there is none up to the
    distance furthest, and the axis of the face; cell (3,) int64 is moved to the face's voxel.

    ray is ray_steps' in voxels; children, place and table are a BlockChunks'.
    """
    low, size = place[:3] << CHUNK_SHIFT, np.int64(CHUNK_SIZE) << 2 * place[LEVELS]
    distance, axis = enter_box(ray, low, size, cell)
    while distance <= furthest and distance < np.inf:
        voxel, shift = _space(children, place, table, cell)
        if axis != INSIDE and is_blocky(voxel):
            cell[axis] -= np.int64(np.sign(ray[1, axis]))
            before = _voxel(children, place, table, cell)
            cell[axis] += np.int64(np.sign(ray[1, axis]))
            if shows_face(voxel, before, transparent):
                return distance, axis
        distance, axis = leave_cell(ray, low, shift, cell)
        if not is_in_box(low, size, cell):
            break
    return np.inf, axis


@kernel
def _space(children, place, table, cell):
    """(voxel, shift): the voxel at cell (3,), AIR where it is no block and not looked up; and how wide the space about
    it is that has no other blocks, as an exponent of two voxels."""
    x, y, z = cell[0], cell[1], cell[2]
    row, shift = find_chunk(children, place, x >> CHUNK_SHIFT, y >> CHUNK_SHIFT, z >> CHUNK_SHIFT)
    if row == NOTHING:
        return np.int64(AIR), shift + CHUNK_SHIFT
    if table[row, ADDRESS] == 0 or table[row, BRICKS] == 0:
        return table[row, VALUE], np.int64(CHUNK_SHIFT)
    if table[row, BRICKS] >> _brick(x, y, z) & 1 == 0:
        return np.int64(AIR), np.int64(_BRICK_SHIFT)
    return _load(table[row, ADDRESS], x, y, z), np.int64(0)


@kernel
def _voxel(children, place, table, cell):
    """The voxel at cell (3,), blocky or not."""
    x, y, z = cell[0], cell[1], cell[2]
    row, _ = find_chunk(children, place, x >> CHUNK_SHIFT, y >> CHUNK_SHIFT, z >> CHUNK_SHIFT)
    if row == NOTHING:
        return np.int64(AIR)
    if table[row, ADDRESS] == 0:
        return table[row, VALUE]
    return _load(table[row, ADDRESS], x, y, z)


@kernel
def _load(address, x, y, z):
    return load_voxel(address + 2 * (((x & _INSIDE) * CHUNK_SIZE + (y & _INSIDE)) * CHUNK_SIZE + (z & _INSIDE)))
