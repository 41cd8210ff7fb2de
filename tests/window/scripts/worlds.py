# SPDX-License-Identifier: GPL-3.0-or-later
"""A world is made, undone and redone; then another one is begun and cancelled. All by events, as a person would."""

import bpy
import driver

MODAL = "VOXELWRIGHT_OT_new_world"


def worlds() -> list[list[object]]:
    """Name and number of chunks of every world in the scene."""
    from bl_ext.user_default.voxelwright.addon import session

    found = (owner for owner in bpy.context.scene.objects if session.is_world(owner))
    return [[owner.name, session.world_of(owner).n_chunks] for owner in found]


def running() -> bool:
    return MODAL in [operator.bl_idname for operator in driver.window().modal_operators]


def begin(size: tuple[int, int, int]) -> None:
    """What the button in the sidebar does."""
    with driver.context():
        bpy.ops.voxelwright.new_world("INVOKE_DEFAULT", True, size=size, seed=3)


def steps() -> driver.Steps:
    driver.enable_extension()
    yield from driver.move(driver.position())
    driver.record("at first", worlds())

    begin((64, 48, 96))
    driver.record("begun", running())
    yield from driver.until(lambda: not running(), "the new world", seconds=120)
    driver.record("made", worlds())
    yield from driver.photograph("made")
    yield from driver.press("Z", ctrl=True)
    yield from driver.settle()
    driver.record("undone", worlds())
    yield from driver.press("Z", ctrl=True, shift=True)
    yield from driver.settle()
    driver.record("redone", worlds())

    objects = len(bpy.data.objects)
    # So large that no machine is done with it before the key is pressed.
    begin((2048, 2048, 256))
    yield
    driver.record("begun again", running())
    yield from driver.press("ESC")
    yield from driver.until(lambda: not running(), "the end of the cancelled operator", seconds=20)
    yield from driver.photograph("cancelled")
    driver.record("cancelled", worlds())
    driver.record("left by cancelling", len(bpy.data.objects) - objects)
