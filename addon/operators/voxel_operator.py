# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that work on the active world's selected voxels."""

from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...voxel.jobs import Job
from ...voxel.world import Edit, World
from .. import clipboard, kernel_cache, selections, session, worlds
from .job_operator import JobOperator, has_world

if TYPE_CHECKING:
    from ...voxel.edit.clipboard import Clip
    from ...voxel.edit.selection import Selection

_SECONDS_AT_ONCE = 0.2


class Outcome(NamedTuple):
    """What an operator has made: what is selected then, a change of the world, and what is copied."""

    selection: "Selection | None"
    edit: Edit | None = None
    clip: "Clip | None" = None


class VoxelOperator(JobOperator):
    """A mixin. The subclass gives work(), the job whose result finish() takes: an outcome, where it is not overridden.
    Modules with kernels may be imported there."""

    needs_selection = False
    """Whether there must be selected voxels to work on."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context) or not has_world(cls, context):
            return False
        return not cls.needs_selection or has_selection(cls, context)

    def read(self, owner: bpy.types.Object) -> None:
        """Take what is needed from Blender, before the job starts."""

    def work(self, world: World, selection: "Selection | None") -> Job[Any]:
        raise NotImplementedError

    def start(self, context: bpy.types.Context) -> Job[Any]:
        owner = session.active_world_object(context)
        self._target = session.Target(owner)
        world, selection = session.own_world_of(owner), selections.selection_of(owner)
        self.read(owner)

        def work() -> Job[Any]:
            yield from worlds.prepare_selecting()
            return (yield from self.work(world, selection))

        return work()

    def finish(self, context: bpy.types.Context, outcome: Any) -> None:
        owner = self._target.owner(context.scene)
        if outcome.edit is not None:
            session.commit(owner, outcome.edit)
        selections.select(owner, outcome.selection)
        if outcome.clip is not None:
            clipboard.put(outcome.clip)

    def seconds_at_once(self) -> float:
        kernel_cache.prepare()
        return _SECONDS_AT_ONCE if kernel_cache.is_compiled(worlds.SELECTING) else 0.0


def has_selection(operator: Any, context: bpy.types.Context) -> bool:
    """Whether voxels of the active world are selected; else the operator's tooltip says what to do."""
    owner = session.active_world_object(context)
    if owner is None or selections.selection_of(owner) is None:
        operator.poll_message_set("Select voxels first")
        return False
    return True


AXIS_ITEMS = [(axis, axis, f"The world's {axis} axis") for axis in "XYZ"]
