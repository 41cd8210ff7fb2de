# SPDX-License-Identifier: GPL-3.0-or-later
"""Animated terrain: the phase of a world's empty, keyframed, moves the noise that the world was generated from.

While an animation plays, frames have fewer octaves and no caves, erosion or features; when it stops, and on single
steps, the frame is made in full. Frames are shown over the world and never edit it.
"""

import bpy

from ..voxel.jobs import finish
from . import session, worlds
from .guarding import guarded
from .history import Frame
from .properties import of_object, phase_listeners


def show_phase(owner: bpy.types.Object, reduced: bool) -> None:
    """Make a world be seen at its object's phase."""
    world = session.world_of(owner)
    recipe = world.settings.recipe
    if recipe is None or session.is_covered(owner):
        return
    phase = of_object(owner).phase
    wanted = None if phase == recipe.phase else Frame(phase, reduced)
    if session.frame_of(owner) == wanted:
        return
    if wanted is None:
        session.uncover(owner)
    else:
        session.show(owner, finish(worlds.generate_frame(world, phase, reduced)), wanted)


def _show_all(reduced: bool) -> None:
    for owner in bpy.context.scene.objects:
        # Worlds whose phase nothing sets are left alone, and not even loaded.
        if session.is_world(owner) and (owner.animation_data is not None or session.frame_of(owner) is not None):
            show_phase(owner, reduced)


def is_playing() -> bool:
    """Whether an animation is playing in any window."""
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


def _after_frame_change() -> None:
    _show_all(reduced=is_playing())


def _after_playback() -> None:
    _show_all(reduced=False)


def _phase_was_set(owner: bpy.types.Object) -> None:
    guarded(lambda: show_phase(owner, reduced=False))()


phase_listeners.append(_phase_was_set)

HANDLERS = {
    "frame_change_post": guarded(_after_frame_change),
    "animation_playback_post": guarded(_after_playback),
}
"""Our handlers by the name of their list in bpy.app.handlers."""
