# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

from .. import idnames
from ..viewport import handler
from .job_operator import Result


class VOXELWRIGHT_OT_retry_preview(bpy.types.Operator):
    """Draw worlds in the 3D viewports again, after that failed"""

    bl_idname = idnames.OT_RETRY_PREVIEW
    bl_label = "Retry"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return bool(handler.preview.failure)

    def execute(self, _context: bpy.types.Context) -> Result:
        handler.retry()
        return {"FINISHED"}


CLASSES = (VOXELWRIGHT_OT_retry_preview,)
