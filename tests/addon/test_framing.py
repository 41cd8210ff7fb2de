# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes about objects, and objects that fall onto worlds; tests/window has the views."""

from typing import Any

import numpy as np
import pytest

from voxelwright.addon import framing, session
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.world import World, edit_of_chunks, new_world

PALETTE = Palette.of({1: Material("stone", (120, 120, 120))})


@pytest.fixture
def owner(blender) -> Any:
    """A world of one solid chunk, moved and made larger."""
    made = session.new_world_object(blender.context, "World", new_world({(0, 0, 0): PALETTE.voxel(1)}, PALETTE))
    made.location, made.scale = (10, 0, 0), (2, 2, 2)
    blender.context.view_layer.update()
    return made


def test_the_box_about_a_world_follows_its_object_and_its_voxels(owner: Any) -> None:
    corners = framing.corners_of(owner)
    np.testing.assert_array_equal((corners.min(axis=0), corners.max(axis=0)), [(10, 0, 0), (74, 64, 64)])
    session.commit(owner, edit_of_chunks(session.own_world_of(owner), {(-1, 0, 0): PALETTE.voxel(1)}))
    assert framing.corners_of(owner).min(axis=0).tolist() == [-54, 0, 0]


def test_bounds_are_not_computed_again_for_every_draw(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[World] = []
    bounds = World.bounds
    monkeypatch.setattr(World, "bounds", lambda world: (calls.append(world), bounds(world))[1])
    for _ in range(3):
        framing.corners_of(owner)
    assert len(calls) == 1


def test_worlds_that_are_empty_or_lost_have_no_box(blender, owner: Any) -> None:
    empty = session.new_world_object(blender.context, "Empty", World(PALETTE))
    owner.voxelwright.world_id = "lost"
    assert len(framing.corners_of_all([empty, owner])) == 0


@pytest.mark.parametrize(("from_above", "height"), [(False, 64 + 1), (True, 64 + 1)])
def test_objects_stand_on_the_ground(blender, owner: Any, from_above: bool, height: float) -> None:
    blender.ops.mesh.primitive_cube_add(location=(42, 32, 90))
    cube = blender.context.active_object
    assert blender.ops.voxelwright.drop_objects(from_above=from_above, offset=0.5) == {"FINISHED"}
    assert tuple(cube.location) == pytest.approx((42, 32, height + 0.5))


def test_what_stands_in_the_ground_comes_up_and_what_is_beside_it_stays(blender, owner: Any) -> None:
    blender.ops.mesh.primitive_cube_add(location=(42, 32, 63.5))
    inside = blender.context.active_object
    assert blender.ops.voxelwright.drop_objects() == {"FINISHED"}
    assert tuple(inside.location) == pytest.approx((42, 32, 65))
    blender.ops.mesh.primitive_cube_add(location=(500, 0, 90))
    beside = blender.context.active_object
    assert blender.ops.voxelwright.drop_objects() == {"CANCELLED"}
    assert tuple(beside.location) == pytest.approx((500, 0, 90))
