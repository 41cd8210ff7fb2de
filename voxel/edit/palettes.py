# SPDX-License-Identifier: GPL-3.0-or-later
"""Palettes changed, and the voxels with them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..layout import KEPT_BITS, MATERIAL_SHIFT, N_MATERIALS, VOXEL_DTYPE
from ..palette import Material, Palette
from ..world import Chunk, Edit, World, as_chunk, edit_of_chunks

_LOW_BITS = (1 << MATERIAL_SHIFT) - 1


def add_material(world: World, material: Material) -> tuple[Edit, int]:
    """The edit that adds a material, and its index, the lowest that is free. Where its name is taken, it gets a number.

    Raises VoxelwrightError where the palette is full.
    """
    materials = dict(world.palette.items())
    index = next((i for i in range(1, N_MATERIALS) if i not in materials), None)
    if index is None:
        raise VoxelwrightError(f"A palette has at most {N_MATERIALS - 1} materials; merge some, or purge unused ones.")
    taken = {other.name for other in materials.values()}
    materials[index] = replace(material, name=_free_name(material.name, taken))
    return _edit(world, materials, {}), index


def set_material(world: World, index: int, material: Material) -> Edit:
    """The edit that makes entry index this material. Where it becomes smooth, transparent or emissive, or ceases to be,
    its voxels do too. A name that another material has gets a number."""
    before, materials = _material(world, index), dict(world.palette.items())
    taken = {other.name for at, other in materials.items() if at != index}
    materials[index] = replace(material, name=_free_name(material.name, taken))
    old, new = before.voxel(index), material.voxel(index)
    changes = old ^ new
    moved = {index: (index << MATERIAL_SHIFT | new & changes, _LOW_BITS & ~changes)} if changes else {}
    return _edit(world, materials, moved)


def move_material(world: World, index: int, steps: int) -> tuple[Edit, int]:
    """The edit that moves a material among the others, by so many places up (below 0) or down, at most to the first or
    the last; and its new index. Voxels follow: the world looks as before. Indices that were free stay free."""
    _material(world, index)
    indices = [i for i, _ in world.palette.items()]
    order = list(indices)
    place = order.index(index)
    target = min(max(place + steps, 0), len(order) - 1)
    order.insert(target, order.pop(place))
    materials = {to: _material(world, was) for was, to in zip(order, indices, strict=True)}
    moved = {
        was: (to << MATERIAL_SHIFT, _LOW_BITS) for was, to in zip(order, indices, strict=True) if was != to
    }  # fmt: skip
    return _edit(world, materials, moved), indices[target]


def merge_material(world: World, index: int, into: int) -> Edit:
    """The edit that gives all voxels of a material another one, and takes the first off the palette."""
    _material(world, index)
    target = _material(world, into)
    if index == into:
        raise VoxelwrightError("A material cannot be merged into itself; choose another one.")
    materials = {at: material for at, material in world.palette.items() if at != index}
    return _edit(world, materials, {index: (target.voxel(into), KEPT_BITS)})


def purge_materials(world: World) -> Edit:
    """The edit that takes all materials off the palette that no voxel has; but one stays where no voxel has any."""
    used = world.material_counts() > 0
    items = world.palette.items()
    kept = {index: material for index, material in items if used[index]}
    return _edit(world, kept or dict(items[:1]), {})


def _material(world: World, index: int) -> Material:
    material = world.palette.materials[index] if 0 < index < N_MATERIALS else None
    if material is None:
        raise VoxelwrightError(f"The palette has no material {index}.")
    return material


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; as Blender names things."""
    stem, number = name, 0
    while name in taken:
        number += 1
        name = f"{stem[:56]}.{number:03}"
    return name


def _edit(world: World, materials: dict[int, Material], moved: dict[int, tuple[int, int]]) -> Edit:
    """The edit to a palette, in which voxels of the moved materials become the first number, with those bits of their
    own that the second one has."""
    palette = Palette.of(materials)
    if not moved:
        return edit_of_chunks(world, {}, palette)
    becomes = np.arange(1 << 16, dtype=VOXEL_DTYPE)
    for index, (voxel, kept) in moved.items():
        of_material = slice(index << MATERIAL_SHIFT, (index + 1) << MATERIAL_SHIFT)
        becomes[of_material] = voxel | becomes[of_material] & VOXEL_DTYPE.type(kept)
    return edit_of_chunks(world, {coord: _replaced(world.chunk(coord), becomes) for coord in world.coords()}, palette)


def _replaced(chunk: Chunk, becomes: NDArray[np.uint16]) -> Chunk:
    """The chunk with voxels replaced by becomes (65536,) uint16; the same one where none changes."""
    if isinstance(chunk, int):
        return int(becomes[chunk])
    replaced = becomes[chunk]
    return chunk if np.array_equal(replaced, chunk) else as_chunk(replaced)
