# SPDX-License-Identifier: GPL-3.0-or-later
"""Voxels are copied: from the selection or a file, for this world or another, and into a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...voxel.jobs import Job, stage
from ...voxel.settings import Settings
from ...voxel.storage import writing
from ...voxel.world import World
from .. import clipboard, idnames, worlds
from ..files import check_suffix, check_writable, write_file
from .job_operator import JobOperator, Result
from .voxel_operator import Outcome, VoxelOperator

if TYPE_CHECKING:
    from ...voxel.edit.clipboard import Clip
    from ...voxel.edit.selection import Selection

_CLIP_SUFFIXES = (".vxw", ".vox")


class VOXELWRIGHT_OT_copy_voxels(VoxelOperator, bpy.types.Operator):
    """Copy the selected voxels, to paste them into this world or another"""

    bl_idname = idnames.OT_COPY_VOXELS
    bl_label = "Copy Voxels"
    bl_options = {"REGISTER"}
    needs_selection = True

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        from ...voxel.edit.clipboard import copying

        assert selection is not None
        return Outcome(selection, clip=(yield from copying(world, selection)))


class VOXELWRIGHT_OT_cut_voxels(VoxelOperator, bpy.types.Operator):
    """Copy the selected voxels and remove them"""

    bl_idname = idnames.OT_CUT_VOXELS
    bl_label = "Cut Voxels"
    bl_options = {"REGISTER", "UNDO"}
    needs_selection = True

    def work(self, world: World, selection: "Selection | None") -> Job[Outcome]:
        from ...voxel.edit.actions import remove
        from ...voxel.edit.clipboard import copying
        from ...voxel.edit.dabs import doing

        assert selection is not None
        clip = yield from stage(copying(world, selection), 0.0, 0.5)
        edit = yield from stage(doing(world, remove(), selection), 0.5, 1.0)
        return Outcome(selection, edit, clip)


class VOXELWRIGHT_OT_copy_from_file(ImportHelper, JobOperator, bpy.types.Operator):
    """Copy the voxels of a file, MagicaVoxel (.vox) or Voxelwright (.vxw), to paste them"""

    bl_idname = idnames.OT_COPY_FROM_FILE
    bl_label = "Copy from File"
    bl_options = {"REGISTER"}

    filename_ext = ""
    filepath: bpy.props.StringProperty(
        name="File", description="The file to copy", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: bpy.props.StringProperty(
        default=";".join(f"*{suffix}" for suffix in _CLIP_SUFFIXES), options={"HIDDEN"}
    )
    frame: bpy.props.IntProperty(name="Frame", description="The frame shown of an animated .vox file, from 0", min=0)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        return ImportHelper.invoke(self, context, event)

    def start(self, _context: bpy.types.Context) -> "Job[Clip]":
        path = Path(bpy.path.abspath(self.filepath))
        check_suffix(path, _CLIP_SUFFIXES)
        return self._copied(worlds.import_file(path, worlds.ImportOptions(self.frame)))

    def _copied(self, reading: Job[tuple[World, tuple[str, ...]]]) -> "Job[Clip]":
        yield from worlds.prepare_selecting()
        from ...voxel.edit.clipboard import copy
        from ...voxel.edit.selection import solid

        world, notes = yield from reading
        for note in notes:
            self.report({"INFO"}, note)
        worlds.check_voxels(world)
        return copy(world, solid(world))

    def finish(self, _context: bpy.types.Context, clip: "Clip") -> None:
        clipboard.put(clip)
        self.report({"INFO"}, f"{' × '.join(map(str, clip.size))} voxels are copied, to be pasted")


class VOXELWRIGHT_OT_export_selection(ExportHelper, VoxelOperator, bpy.types.Operator):
    """Write the selected voxels to a Voxelwright file (.vxw), the lowest corner of their box at its origin"""

    bl_idname = idnames.OT_EXPORT_SELECTION
    bl_label = "Export Selected Voxels"
    bl_options = {"REGISTER"}
    needs_selection = True

    filename_ext = ".vxw"
    filepath: bpy.props.StringProperty(
        name="File", description="The file to write", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: bpy.props.StringProperty(default="*.vxw", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        return ExportHelper.invoke(self, context, event)

    def start(self, context: bpy.types.Context) -> Job[Any]:
        path = Path(bpy.path.abspath(self.filepath))
        check_suffix(path, (".vxw",))
        check_writable(path)
        return super().start(context)

    def work(self, world: World, selection: "Selection | None") -> Job[bytes]:
        from ...voxel.edit.clipboard import copying, pasting

        assert selection is not None
        clip = yield from stage(copying(world, selection), 0.0, 0.1)
        part = World(settings=Settings(world.settings.smoothing))
        part.apply((yield from stage(pasting(part, clip, (0, 0, 0)), 0.1, 0.2)))
        worlds.check_voxels(part)
        return (yield from stage(writing(part), 0.2, 1.0))

    def finish(self, _context: bpy.types.Context, data: bytes) -> None:
        path = Path(bpy.path.abspath(self.filepath))
        write_file(path, data)
        self.report({"INFO"}, f"Exported {path.name}")


CLASSES = (
    VOXELWRIGHT_OT_copy_voxels,
    VOXELWRIGHT_OT_cut_voxels,
    VOXELWRIGHT_OT_copy_from_file,
    VOXELWRIGHT_OT_export_selection,
)
