# SPDX-License-Identifier: GPL-3.0-or-later
from typing import TYPE_CHECKING

import bpy

from ...voxel.jobs import Job, stage
from .. import decals, idnames, session, worlds
from ..properties import MESH_KIND_ITEMS
from .job_operator import JobOperator, has_world

if TYPE_CHECKING:
    from ...voxel.mesh.decal_patches import PatchBox, Patches
    from ...voxel.mesh.topology import WeldedMeshes

    Baked = tuple[worlds.Meshes, WeldedMeshes, Patches | None]


class VOXELWRIGHT_OT_bake_world(JobOperator, bpy.types.Operator):
    """Turn the world into ordinary Blender objects. Baking again updates them and keeps your changes to materials"""

    bl_idname = idnames.OT_BAKE_WORLD
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    mesh_kind: bpy.props.EnumProperty(
        name="Mesh", description="How the world is turned into meshes", items=MESH_KIND_ITEMS, default="greedy"
    )

    ambient_occlusion: bpy.props.BoolProperty(
        name="Ambient Occlusion",
        description="Darken the corners of blocks in the colour attribute, which exporters multiply into the colour. "
        "Merges fewer faces",
    )
    level: bpy.props.IntProperty(
        name="Level of Detail",
        description="0 is full detail; at 1, 2 and 3 the voxels are 2, 4 and 8 times as large, for distant use",
        min=0,
        max=3,
    )
    crack_free: bpy.props.BoolProperty(
        name="Crack-Free",
        description="Give each face a corner wherever it meets another's, so that no pixel gaps and no loose edges are "
        "left; faces then have more than four corners",
    )

    with_decals: bpy.props.BoolProperty(
        name="Decals",
        description="Cut the decals out of the surfaces, as a mesh of their own that lies on them",
        default=True,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and has_world(cls, context)

    def start(self, context: bpy.types.Context) -> "Job[Baked]":
        from ..bake.decals import look_of

        owner = session.active_world_object(context)
        self._target = session.Target(owner)
        options = worlds.BakeOptions(self.mesh_kind, self.ambient_occlusion, self.crack_free, self.level)
        boxes, shown = decals.baked_boxes(context.scene, owner) if self.with_decals else ([], [])
        self._looks = [look_of(decal) for decal in shown]
        return _with_decals(worlds.mesh_for_bake(session.world_of(owner), options), boxes)

    def finish(self, context: bpy.types.Context, result: "Baked") -> None:
        from ..bake.decals import bake_decals
        from ..bake.objects import bake_world

        meshes, welded, found = result
        owner = self._target.owner(context.scene)
        session.make_single(owner)
        world_key = session.world_id(owner)
        objects = bake_world(owner.name, world_key, welded, meshes.palette, owner, context.scene)
        with_decals = bake_decals(owner.name, world_key, found, self._looks, owner, context.scene)
        objects += [with_decals] if with_decals is not None else []
        self.report({"INFO"}, f"Baked {meshes.n_quads:,} quads to {len(objects)} objects")


def _with_decals(meshing: "Job[tuple[worlds.Meshes, WeldedMeshes]]", boxes: "list[PatchBox]") -> "Job[Baked]":
    from ...voxel.mesh.decal_patches import patches

    meshes, welded = yield from stage(meshing, 0.0, 0.8)
    return meshes, welded, (yield from stage(patches(welded, boxes, meshes.palette.transparent), 0.8, 1.0))


CLASSES = (VOXELWRIGHT_OT_bake_world,)
