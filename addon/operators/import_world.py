# SPDX-License-Identifier: GPL-3.0-or-later
import math
from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job
from ...voxel.world import Edit, World
from .. import idnames, session, worlds
from .job_operator import JobOperator, Result
from .view_worlds import frame_new_world


class VOXELWRIGHT_OT_import_world(ImportHelper, JobOperator, bpy.types.Operator):
    """Import a MagicaVoxel file (.vox), a heightmap (.png) or a Voxelwright world (.vxw)"""

    bl_idname = idnames.OT_IMPORT_WORLD
    bl_label = "Import Voxels"
    bl_options = {"REGISTER", "UNDO"}
    is_previewed = True

    filename_ext = ""
    filepath: bpy.props.StringProperty(
        name="File", description="The file to import", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: bpy.props.StringProperty(
        default=";".join(f"*{suffix}" for suffix in worlds.IMPORT_SUFFIXES), options={"HIDDEN"}
    )
    into: bpy.props.EnumProperty(
        name="Into",
        description="Where the voxels go",
        items=[
            ("NEW", "New World", "Make a new world of the file"),
            ("ACTIVE", "Active World", "Put the file's voxels into the active world, at the 3D cursor"),
        ],
    )
    frame: bpy.props.IntProperty(name="Frame", description="The frame shown of an animated .vox file, from 0", min=0)
    min_height: bpy.props.FloatProperty(
        name="Lowest",
        description="The height in voxels that the heightmap's lowest sample gets",
        default=4.0,
        min=0,
        max=4096,
    )
    max_height: bpy.props.FloatProperty(
        name="Highest",
        description="The height in voxels that the heightmap's highest sample gets",
        default=96.0,
        min=1,
        max=4096,
    )
    scale: bpy.props.FloatProperty(
        name="Scale", description="Voxels a sample of the heightmap, sideways", default=1.0, min=0.01, max=100
    )
    full_range: bpy.props.BoolProperty(
        name="Black to White",
        description="Measure the heights from black to white instead of from the lowest to the highest sample; "
        "for tiles of one landscape, which must fit together",
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        self._from_browser = True
        return ImportHelper.invoke(self, context, event)

    def execute(self, context: bpy.types.Context) -> Result:
        # The file browser calls execute(); from there the job can go on in slices. Scripts and the redo panel wait.
        if getattr(self, "_from_browser", False):
            self._from_browser = False
            return self.run_in_slices(context)
        return JobOperator.execute(self, context)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "into")
        suffix = Path(self.filepath).suffix.lower()
        if suffix != ".png":
            layout.prop(self, "frame")
        if suffix != ".vox":
            column = layout.column(heading="Heightmap")
            for name in ("min_height", "max_height", "scale", "full_range"):
                column.prop(self, name)

    def start(self, context: bpy.types.Context) -> "Job[tuple[World | Edit, tuple[str, ...]]]":
        path = Path(bpy.path.abspath(self.filepath))
        options = worlds.ImportOptions(self.frame, self.min_height, self.max_height, self.scale, self.full_range)
        if self.into == "NEW":
            return worlds.import_file(path, options)
        owner = session.active_world_object(context)
        if owner is None:
            raise VoxelwrightError("There is no active world to import into; select one, or import as a new world.")
        self._target = session.Target(owner)
        cursor = owner.matrix_world.inverted_safe() @ context.scene.cursor.location
        offset = math.floor(cursor.x), math.floor(cursor.y), math.floor(cursor.z)
        return worlds.paste_file(path, options, session.own_world_of(owner), offset)

    def finish(self, context: bpy.types.Context, result: "tuple[World | Edit, tuple[str, ...]]") -> None:
        made, notes = result
        if isinstance(made, World):
            owner = session.new_world_object(context, Path(self.filepath).stem, made)
            if self.by_hand:
                frame_new_world(self, context, owner)
        else:
            session.commit(self._target.owner(context.scene), made)
        for note in notes:
            self.report({"INFO"}, note)


CLASSES = (VOXELWRIGHT_OT_import_world,)
