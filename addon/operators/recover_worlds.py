# SPDX-License-Identifier: GPL-3.0-or-later
"""Bringing back what was not saved when Blender ended unexpectedly."""

from pathlib import Path
from typing import NamedTuple

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job, stage
from ...voxel.storage import Loaded
from ...voxel.world import World
from .. import idnames, journal_files, recorder, session, worlds
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


class _Found(NamedTuple):
    """What journals have: worlds by their ids, the journals that were read whole, and what went wrong with others."""

    worlds: dict[str, Loaded]
    paths: list[Path]
    problems: list[str]


class VOXELWRIGHT_OT_recover_worlds(JobOperator, bpy.types.Operator):
    """Bring back the worlds that were not saved: into their objects where this file has them, else as new objects"""

    bl_idname = idnames.OT_RECOVER_WORLDS
    bl_label = "Recover Worlds"
    bl_options = {"REGISTER", "UNDO"}
    is_previewed = True

    def start(self, _context: bpy.types.Context) -> Job[_Found]:
        look_again()
        return _loading(list(_crashed[0]))

    def finish(self, context: bpy.types.Context, result: _Found) -> None:
        for world_id, loaded in result.worlds.items():
            owner = next((o for o in bpy.data.objects if session.world_id(o) == world_id and not o.library), None)
            if owner is None:
                session.new_world_object(context, "Recovered", loaded.world)
            else:
                _recover_into(owner, loaded.world)
        for problem in result.problems:
            self.report({"WARNING"}, problem)
        self.report({"INFO"}, f"Recovered {len(result.worlds)} worlds; save the file to keep them")
        # Only what this session's own journal has now, or could have.
        if not session.recorder.problem:
            _remove(result.paths)


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


def _loading(paths: list[Path]) -> Job[_Found]:
    """The worlds of journals; of a world that is in several the newest. A journal that cannot be read whole stays."""
    found = _Found({}, [], [])
    for number, path in enumerate(paths):
        share = number / len(paths), (number + 1) / len(paths)
        kept = journal_files.worlds_of(path)
        try:
            for world_id in kept.keys() - found.worlds.keys():
                loaded = yield from stage(kept[world_id].loading(), *share)
                found.worlds[world_id] = loaded
                if loaded.damaged:
                    found.problems.append(loaded.damage)
        except VoxelwrightError as error:
            found.problems.append(f"{path.name} was not recovered whole, and is kept: {error}")
            continue
        if kept:
            found.paths.append(path)
        else:
            found.problems.append(f"{path.name} cannot be read, and is kept; the console says why.")
    return found


def _recover_into(owner: bpy.types.Object, world: World) -> None:
    try:
        own = session.own_world_of(owner)
    except VoxelwrightError:
        session.replace_world(owner, world)
    else:
        session.commit(owner, worlds.edit_to(own, world, world.settings))


def _remove(paths: list[Path]) -> None:
    for path in paths:
        try:
            journal_files.remove(path)
        except OSError as error:
            print(f"Voxelwright cannot remove the journal {path}: {error}")
    look_again()


CLASSES = (VOXELWRIGHT_OT_recover_worlds, VOXELWRIGHT_OT_discard_recovery)
