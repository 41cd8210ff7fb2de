# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import combinations
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job, Progress, stage
from ...voxel.palette import Material, Palette
from ...voxel.world import Edit, World
from .. import idnames, meshes, session
from ..palettes import active_material
from .edit_operator import EditOperator
from .job_operator import Result

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection

_KINDS = ("MESH", "CURVE", "SURFACE", "FONT", "META")


class MeshOperator(EditOperator):
    """A mixin. The subclass gives the mesh whose voxels are combined with the world in read(), as self._mesh; and
    shell and operation, as properties or otherwise."""

    shell = False
    operation = "union"
    _mesh: meshes.Triangles

    def kernels(self) -> str:
        return f"voxelise {'shell' if self.shell else 'solid'} {self.operation}"

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        from ...voxel.edit.boolean import boolean
        from ...voxel.edit.voxelise import voxelise

        corners, materials, palette = self._mesh
        other = yield from stage(voxelise(corners, materials, palette, shell=self.shell), 0.0, 0.8)
        yield Progress(0.8, "Changing the world")
        return boolean(world, other, self.operation, selection)

    def small_edit_of(self, world: World) -> Job[Edit]:
        mesh, self._mesh = self._mesh, _SMALL_MESH
        try:
            return (yield from self.edit_of(world, None))
        finally:
            self._mesh = mesh


_SMALL_MESH = meshes.Triangles(
    np.array(list(combinations(np.eye(4, 3) * 8.0, 3))),
    np.array([1, 1, 2, 2]),
    Palette.of({1: Material("one", (0, 0, 0)), 2: Material("other", (255, 255, 255))}),
)
"""A tetrahedron of two materials: as little as needs every kernel."""


def meshed(
    context: bpy.types.Context, source: bpy.types.Object, owner: bpy.types.Object, colors: str, max_colors: int
) -> meshes.Triangles:
    """The triangles of an object, with its modifiers, in the voxels of owner's world."""
    seen = source.evaluated_get(context.evaluated_depsgraph_get())
    data = seen.to_mesh()
    try:
        if data is None or not data.polygons:
            raise VoxelwrightError(f'"{source.name}" has no faces; choose another object.')
        to_voxels = owner.matrix_world.inverted_safe() @ source.matrix_world
        world = session.own_world_of(owner)
        return meshes.triangles_of(data, to_voxels, colors, world, active_material(owner), max_colors)
    finally:
        seen.to_mesh_clear()


class VOXELWRIGHT_OT_voxelise_mesh(MeshOperator, bpy.types.Operator):
    """Make voxels of an object's mesh, where it is, and add them to the world; or use it to cut the world"""

    bl_idname = idnames.OT_VOXELISE_MESH
    bl_label = "Voxelise Mesh"

    source_name: bpy.props.StringProperty(
        name="Object", description="The object with the mesh; it stays as it is", options={"SKIP_SAVE"}
    )
    operation: bpy.props.EnumProperty(
        name="Operation",
        description="What becomes of the world",
        items=[
            ("union", "Add", "Add the mesh's voxels"),
            ("difference", "Subtract", "Take away what lies in the mesh"),
            ("intersect", "Intersect", "Leave only what lies in the mesh"),
        ],
    )
    shell: bpy.props.BoolProperty(
        name="Shell", description="Only the voxels that faces go through; for meshes that are not closed"
    )
    colors: bpy.props.EnumProperty(
        name="Colors",
        description="Which materials the voxels have",
        items=[(name, label, text) for name, (label, text) in meshes.SOURCES.items()],
    )

    max_colors: bpy.props.IntProperty(
        name="At Most",
        description="How many materials the color attribute makes; colors near to each other become one",
        default=32,
        min=1,
        max=255,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        owner = session.active_world_object(context)
        candidates = [o for o in context.selected_objects if o.type in _KINDS and o.parent != owner]
        if not self.source_name and candidates:
            self.source_name = candidates[0].name
        if not self.source_name:
            return context.window_manager.invoke_props_dialog(self)
        return self.run_in_slices(context)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop_search(self, "source_name", context.scene, "objects")
        for name in ("operation", "shell"):
            layout.prop(self, name)
        if self.operation == "union":
            layout.prop(self, "colors")
            if self.colors == "COLORS":
                layout.prop(self, "max_colors")

    def read(self, context: bpy.types.Context, owner: bpy.types.Object) -> None:
        source: bpy.types.Object | None = context.scene.objects.get(self.source_name)
        if source is None or source.type not in _KINDS:
            raise VoxelwrightError("Choose an object with a mesh first.")
        colors = self.colors if self.operation == "union" else "ACTIVE"
        self._mesh = meshed(context, source, owner, colors, self.max_colors)


CLASSES = (VOXELWRIGHT_OT_voxelise_mesh,)
