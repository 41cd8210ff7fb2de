# SPDX-License-Identifier: GPL-3.0-or-later
"""Which chunks lie beside others, and what that says of their faces."""

from collections.abc import Container, Iterable

from ..voxel.layout import AIR, FACE_NORMALS, FLAG_SMOOTH, MATERIAL_SHIFT
from ..voxel.world import Chunk, Coord, World

FACES: list[Coord] = [(x, y, z) for x, y, z in FACE_NORMALS.tolist()]
"""The steps to those that share a face."""

AROUND: list[Coord] = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
"""To those that share a corner at least, and to itself."""


def beside(coord: Coord) -> list[Coord]:
    """The chunks that share a face with one."""
    x, y, z = coord
    return [(x + dx, y + dy, z + dz) for dx, dy, dz in FACES]


def around(coords: Iterable[Coord], reach: list[Coord] = AROUND) -> set[Coord]:
    """Chunks, and those to which the steps of reach lead."""
    return {(x + dx, y + dy, z + dz) for x, y, z in coords for dx, dy, dz in [(0, 0, 0), *reach]}


def may_have_faces(world: World, coord: Coord, slots: Container[Coord]) -> bool:
    """Whether a chunk may have faces of blocks. Those of many values have where they have a slot; one of a single value
    has none among its like, or in the dark."""
    chunk = world.chunk(coord)
    if not isinstance(chunk, int):
        return coord in slots
    if chunk == AIR or chunk & FLAG_SMOOTH:
        return False
    transparent = world.palette.transparent

    def hides(neighbour: Chunk) -> bool:
        if not isinstance(neighbour, int):
            return False
        material = neighbour >> MATERIAL_SHIFT
        return neighbour == chunk or (material != 0 and not transparent[material])

    return not all(hides(world.chunk(neighbour)) for neighbour in beside(coord))
