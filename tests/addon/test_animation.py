# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated terrain in a real Blender without a window: frames are shown over the world and never change it."""

import pytest

from voxelwright.addon import animation, session, worlds
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.storage import world_to_bytes
from voxelwright.voxel.world import World, content, edit_of_chunks


def seen(owner):
    return world_to_bytes(session.world_of(owner))


def own(owner):
    return world_to_bytes(session.own_world_of(owner))


@pytest.fixture
def animated(blender, small_world):
    """A small world whose phase goes from 0 at frame 1 to 1 at frame 11."""
    for frame, phase in ((1, 0.0), (11, 1.0)):
        small_world.voxelwright.phase = phase
        small_world.keyframe_insert("voxelwright.phase", frame=frame)
    blender.context.scene.frame_set(1)
    return small_world


def test_frames_move_the_terrain_and_the_first_brings_it_back(blender, animated):
    at_first = seen(animated)
    assert at_first == own(animated)
    blender.context.scene.frame_set(4)
    assert seen(animated) != at_first
    assert own(animated) == at_first
    blender.context.scene.frame_set(1)
    assert seen(animated) == at_first


def test_a_frame_is_what_the_generator_makes_at_that_phase(blender, animated):
    world = World()
    world.apply(content(session.world_of(animated)))
    blender.context.scene.frame_set(4)
    world.apply(finish(worlds.generate_frame(world, animated.voxelwright.phase, reduced=False)))
    assert seen(animated) == world_to_bytes(world)


def test_a_reduced_frame_is_made_in_full_when_the_animation_stops(blender, animated):
    blender.context.scene.frame_set(4)
    full = seen(animated)
    animation.show_phase(animated, reduced=True)
    assert seen(animated) != full
    animation._after_playback()
    assert seen(animated) == full


def test_only_chunks_that_differ_change(blender, animated):
    world = session.world_of(animated)
    blender.context.scene.frame_set(4)
    version = world.version
    blender.context.scene.frame_set(4)
    assert world.version == version
    animated.voxelwright.phase = animated.voxelwright.phase
    assert world.version == version


def test_a_frame_is_neither_saved_nor_undone(blender, animated, tmp_path):
    name, at_first = animated.name, own(animated)
    blender.context.scene.frame_set(4)
    path = str(tmp_path / "world.blend")
    blender.ops.wm.save_as_mainfile(filepath=path)
    assert own(blender.data.objects[name]) == at_first
    blender.ops.wm.open_mainfile(filepath=path)
    assert own(blender.data.objects[name]) == at_first


def test_edits_are_made_of_the_world_itself(blender, animated):
    name = animated.name
    blender.ops.ed.undo_push(message="keyed")
    blender.context.scene.frame_set(4)
    before = own(animated)
    session.commit(animated, edit_of_chunks(session.own_world_of(animated), {(0, 0, 5): 1 << 8}))
    blender.ops.ed.undo_push(message="edit")
    assert session.own_world_of(blender.data.objects[name]).chunk((0, 0, 5)) == 1 << 8
    blender.ops.ed.undo()
    assert own(blender.data.objects[name]) == before


def test_a_phase_set_by_hand_is_shown_at_once(blender, small_world):
    at_first = seen(small_world)
    small_world.voxelwright.phase = 0.3
    assert seen(small_world) != at_first
    small_world.voxelwright.phase = 0.0
    assert seen(small_world) == at_first


def test_worlds_that_were_not_generated_have_no_phases(blender):
    owner = session.new_world_object(blender.context, "Empty", World())
    owner.voxelwright.phase = 0.5
    assert session.frame_of(owner) is None
