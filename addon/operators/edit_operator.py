# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that change the active world, or what is selected of it, by an edit that takes a while."""

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...voxel.jobs import Job, Progress
from ...voxel.layout import CHUNK_SHAPE, VOXEL_DTYPE
from ...voxel.palette import Palette
from ...voxel.world import Edit, World, as_chunk, new_world
from .. import kernel_cache, selections, session
from .job_operator import JobOperator, has_world

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection


class EditOperator(JobOperator):
    """A mixin. The subclass gives edit_of(), and read() where it needs something of Blender's.

    When it first runs the kernels are compiled, by an edit of a small world.
    """

    bl_options: Any = {"REGISTER", "UNDO"}
    is_previewed = True

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and has_world(cls, context)

    def read(self, context: bpy.types.Context, owner: bpy.types.Object) -> None:
        """Take what is needed from Blender, before the job starts."""

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        """The job that makes the edit, of selected voxels only where there are any."""
        raise NotImplementedError

    def kernels(self) -> str:
        """A name for the group of kernels that the edit needs."""
        return str(self.bl_idname)

    def small_edit_of(self, world: World) -> Job[Edit]:
        """An edit of a small world that needs the same kernels."""
        return self.edit_of(world, None)

    def start(self, context: bpy.types.Context) -> Job[Edit]:
        owner = session.active_world_object(context)
        self._target = session.Target(owner)
        world = session.own_world_of(owner)
        self.read(context, owner)
        return self._edit(world, selections.selection_of(owner))

    def finish(self, context: bpy.types.Context, result: Edit) -> None:
        session.commit(self._target.owner(context.scene), result)
        if not result:
            self.report({"INFO"}, "Nothing was changed")

    def _edit(self, world: World, selection: "Selection | None") -> Job[Edit]:
        yield Progress(0.0, "Loading")
        kernel_cache.prepare()
        sample = _small_world(world.palette)
        yield from kernel_cache.compiling(self.kernels(), lambda: self.small_edit_of(sample))
        return (yield from self.edit_of(world, selection))


def region(world: World, selection: "Selection | None") -> "Selection":
    """What is selected, else all voxels of the world and the air around them."""
    from ...voxel.edit.selection import everywhere

    return everywhere(world) if selection is None else selection


def _small_world(palette: Palette) -> World:
    """A chunk with ground, of the palette's first material."""
    voxels = np.zeros(CHUNK_SHAPE, VOXEL_DTYPE)
    for index, material in palette.items()[:1]:
        voxels[:, :, :8] = material.voxel(index)
    return new_world({(0, 0, 0): as_chunk(voxels)}, palette)
