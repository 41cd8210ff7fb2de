# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields for rays of light: which chunks have one, and what becomes of their places."""

from collections.abc import Callable
from typing import Any

import numpy as np

from voxelwright.gpu_backend.field_pool import FIELD_BYTES, FieldPool
from voxelwright.gpu_backend.renderer import Renderer
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.world import World, edit_of_chunks

Make = Callable[..., Any]


def _bring(pool: Any, world: World) -> None:
    finish(pool.bring(world, np.zeros(3)))


def _ground(material: int) -> list[tuple[int, int, int, int]]:
    """In four chunks."""
    return [(x, y, 0, material) for x in range(-3, 3) for y in range(-3, 3)]


def test_chunks_with_smooth_voxels_have_fields_and_others_none(renderer: Renderer, make_world: Make) -> None:
    world, pool = make_world([*_ground(11), (0, 0, 40, 1)]), renderer.new_pool()
    _bring(pool, world)
    assert set(pool.fields._places) == {(x, y, 0) for x in (-1, 0) for y in (-1, 0)}
    assert pool.fields.nbytes >= 4 * FIELD_BYTES and pool.nbytes > pool.fields.nbytes

    blocks = make_world(_ground(2))
    world.apply(edit_of_chunks(world, {coord: blocks.chunk(coord) for coord in [(0, 0, 0), (-1, 0, 0)]}))
    _bring(pool, world)
    assert set(pool.fields._places) == {(x, -1, 0) for x in (-1, 0)}
    world.apply(edit_of_chunks(world, dict.fromkeys(world.coords(), 0)))
    _bring(pool, world)
    assert not pool.fields._places and not pool.has_smooth_voxels
    _bring(pool, blocks)
    assert not pool.fields._places


def test_places_are_used_again_and_no_more_are_made_than_there_is_room_for(
    renderer: Renderer, make_world: Make
) -> None:
    world, pool = make_world(_ground(11)), renderer.new_pool()
    _bring(pool, world)
    coords = sorted(pool.fields._places)
    fields, room, timers = FieldPool(renderer._ctx, pool._pages, pool._grid), 3 * FIELD_BYTES, renderer.timers
    for smooth, expected in ((coords, coords[:3]), (coords[1:], coords[1:]), ([], [])):
        for coord in coords:
            fields.touch(coord)
        fields.update(world, smooth, room, timers)
        assert sorted(fields._places) == expected and fields._buffer.size == room
    assert sorted(fields._free) == [0, 1, 2]
    fields.release()
