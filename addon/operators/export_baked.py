# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper

from ...voxel.errors import VoxelwrightError
from .. import idnames, session
from .job_operator import Result, has_world


class VOXELWRIGHT_OT_export_baked(ExportHelper, bpy.types.Operator):  # type: ignore[misc] # the stubs of invoke differ
    """Export the active world's baked objects through Blender's own exporters, by the file's ending"""

    bl_idname = idnames.OT_EXPORT_BAKED
    bl_label = "Export Baked"
    bl_options = {"REGISTER"}

    filename_ext = ".glb"
    filepath: bpy.props.StringProperty(
        name="File", description="The file to write", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    check_extension = None
    filter_glob: bpy.props.StringProperty(default="*.glb;*.gltf;*.obj", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return has_world(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        from ..bake.export import export_objects
        from ..bake.objects import baked_objects

        owner = session.active_world_object(context)
        try:
            objects = baked_objects(context.scene, session.world_id(owner))
            if not objects:
                raise VoxelwrightError(f'"{owner.name}" has not been baked; press Bake first.')
            export_objects(objects, Path(bpy.path.abspath(self.filepath)))
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Exported {Path(self.filepath).name}")
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_export_baked,)
