# SPDX-License-Identifier: GPL-3.0-or-later
import math
from typing import Any

import bpy
from mathutils import Matrix

from ...voxel.errors import VoxelwrightError
from .. import idnames, meshes, session
from ..palettes import index_of, material_items
from .voxelise_mesh import MeshOperator

_PLACES = {
    "STANDING": ("Standing", "Upright, to be read from the front"),
    "LYING": ("Lying", "Flat, to be read from above"),
}


class VOXELWRIGHT_OT_add_text(MeshOperator, bpy.types.Operator):
    """Write text of voxels into the world, at the 3D cursor"""

    bl_idname = idnames.OT_ADD_TEXT
    bl_label = "Add Text"

    text: bpy.props.StringProperty(name="Text", description="What is written", default="Text", maxlen=1000)
    font: bpy.props.StringProperty(
        name="Font", description="One of the file's fonts, by its name; empty for Blender's own"
    )
    size: bpy.props.FloatProperty(
        name="Size", description="The height of a line, in voxels", default=16.0, min=4, max=1000, soft_max=128
    )
    depth: bpy.props.IntProperty(
        name="Depth", description="How many voxels thick the letters are", default=3, min=1, max=1000, soft_max=64
    )
    place: bpy.props.EnumProperty(
        name="Place",
        description="How the text lies in the world",
        items=[(name, label, text) for name, (label, text) in _PLACES.items()],
    )
    material: bpy.props.EnumProperty(name="Material", description="What it is written with", items=material_items)

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "text")
        layout.prop_search(self, "font", bpy.data, "fonts")
        for name in ("size", "depth", "place", "material"):
            layout.prop(self, name)

    def read(self, context: bpy.types.Context, owner: bpy.types.Object) -> None:
        cursor = owner.matrix_world.inverted_safe() @ context.scene.cursor.location
        corner = math.floor(cursor.x), math.floor(cursor.y), math.floor(cursor.z)
        to_voxels = Matrix.Translation(corner) @ self._turn()
        active, world = index_of(self.material, owner), session.own_world_of(owner)
        curve: Any = bpy.data.curves.new("text", "FONT")
        written = bpy.data.objects.new("text", curve)
        try:
            self._write(curve)
            data = written.to_mesh()
            if data is None or not data.polygons:
                raise VoxelwrightError("The text has no letters that can be seen; write something.")
            self._mesh = meshes.triangles_of(data, to_voxels, "ACTIVE", world, active)
        finally:
            bpy.data.objects.remove(written)
            bpy.data.curves.remove(curve)

    def _turn(self) -> Matrix:
        """From the text's own space, in which its letters are as deep before its plane as behind it."""
        if self.place == "LYING":
            return Matrix.Translation((0.0, 0.0, self.depth / 2))
        return Matrix.Rotation(math.pi / 2, 4, "X") @ Matrix.Translation((0.0, 0.0, -self.depth / 2))

    def _write(self, curve: Any) -> None:
        if self.font:
            if self.font not in bpy.data.fonts:
                raise VoxelwrightError(f'This file has no font "{self.font}"; leave it empty, or open one first.')
            curve.font = bpy.data.fonts[self.font]
        curve.body, curve.size = self.text, self.size
        curve.extrude, curve.align_x = self.depth / 2, "CENTER"


CLASSES = (VOXELWRIGHT_OT_add_text,)
