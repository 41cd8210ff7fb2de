# SPDX-License-Identifier: GPL-3.0-or-later
"""Bringing back what was not saved when Blender ended unexpectedly."""

from pathlib import Path
from typing import NamedTuple

import bpy

from ...voxel.jobs import Job, stage
from ...voxel.layout import AIR
from ...voxel.storage import Loaded
from ...voxel.world import Chunk, Coord, Edit, World, edit_of_chunks
from .. import idnames, journal_files, recorder, session
from .job_operator import JobOperator, Result

_crashed: list[list[Path]] = []
"""What a look into the folder found; it is looked at once, for a panel asks at every draw."""


def is_needed() -> bool:
    """Whether a crash left something to be recovered."""
    if not _crashed:
        look_again()
    return bool(_crashed[0])


def look_again() -> None:
    """Look for what crashes have left."""
    try:
        found = journal_files.crashed(recorder.folder())
    except OSError:
        found = []
    _crashed[:] = [found]


class _Kept(NamedTuple):
    """A world that a journal has."""

    world_id: str
    loaded: Loaded


class VOXELWRIGHT_OT_recover_worlds(JobOperator, bpy.types.Operator):
    """Bring back the worlds that were not saved: into their objects where this file has them, else as new objects"""

    bl_idname = idnames.OT_RECOVER_WORLDS
    bl_label = "Recover Worlds"
    bl_options = {"REGISTER", "UNDO"}
    is_previewed = True

    def start(self, _context: bpy.types.Context) -> Job[list[_Kept]]:
        look_again()
        self._paths = list(_crashed[0])
        return _loading(self._paths)

    def finish(self, context: bpy.types.Context, result: list[_Kept]) -> None:
        for kept in result:
            owner = next((o for o in bpy.data.objects if session.world_id(o) == kept.world_id and not o.library), None)
            if owner is None:
                session.new_world_object(context, "Recovered", kept.loaded.world)
            else:
                session.commit(owner, _edit_to(session.own_world_of(owner), kept.loaded.world))
            if kept.loaded.damaged:
                self.report({"WARNING"}, kept.loaded.damage)
        self.report({"INFO"}, f"Recovered {len(result)} worlds; save the file to keep them")
        _remove(self._paths)


class VOXELWRIGHT_OT_discard_recovery(bpy.types.Operator):
    """Forget what was not saved when Blender ended unexpectedly. It cannot be brought back after that"""

    bl_idname = idnames.OT_DISCARD_RECOVERY
    bl_label = "Discard"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, _context: bpy.types.Context) -> Result:
        look_again()
        _remove(_crashed[0])
        return {"FINISHED"}


def _loading(paths: list[Path]) -> Job[list[_Kept]]:
    """The worlds of journals; of a world that is in several the newest."""
    kept: dict[str, Loaded] = {}
    for number, path in enumerate(paths):
        for world_id, found in journal_files.worlds_of(path).items():
            if world_id not in kept and len(found.history) > 1:
                share = number / len(paths), (number + 1) / len(paths)
                kept[world_id] = yield from stage(found.loading(), *share)
    return [_Kept(*item) for item in kept.items()]


def _edit_to(world: World, wanted: World) -> Edit:
    """The edit that makes one world equal to another."""
    chunks: dict[Coord, Chunk] = dict.fromkeys(world.coords(), AIR)
    chunks.update((coord, wanted.chunk(coord)) for coord in wanted.coords())
    return edit_of_chunks(world, chunks, wanted.palette, wanted.settings)


def _remove(paths: list[Path]) -> None:
    for path in paths:
        try:
            journal_files.remove(path)
        except OSError as error:
            print(f"Voxelwright cannot remove the journal {path}: {error}")
    look_again()


CLASSES = (VOXELWRIGHT_OT_recover_worlds, VOXELWRIGHT_OT_discard_recovery)
