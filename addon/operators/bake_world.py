# SPDX-License-Identifier: GPL-3.0-or-later
from typing import TYPE_CHECKING

import bpy

from ...voxel.jobs import Job, stage
from .. import decals, idnames, session, toping_objects, topings, worlds
from ..properties import MESH_KIND_ITEMS, TOPING_MODE_ITEMS
from .job_operator import JobOperator, has_world

if TYPE_CHECKING:
    from ...voxel.mesh.decal_patches import PatchBox, Patches
    from ...voxel.mesh.topology import WeldedMeshes
    from ...voxel.world import World

    Baked = tuple[worlds.Meshes, WeldedMeshes, Patches | None, topings.GrownTopings | None]


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

    topings: bpy.props.EnumProperty(
        name="Topings",
        description="How topings are baked, which are made in full detail only",
        items=TOPING_MODE_ITEMS,
        default="points",
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
        world = session.world_of(owner)
        boxes, shown = decals.baked_boxes(context.scene, owner) if self.with_decals else ([], [])
        self._looks = [look_of(decal) for decal in shown]
        self._own = toping_objects.own_topings(owner, world.palette, context.evaluated_depsgraph_get())
        return self._baking(world, boxes)

    def _baking(self, world: "World", boxes: "list[PatchBox]") -> "Job[Baked]":
        from ...voxel.mesh.decal_patches import patches

        options = worlds.BakeOptions(self.mesh_kind, self.ambient_occlusion, self.crack_free, self.level)
        meshes, welded = yield from stage(worlds.mesh_for_bake(world, options), 0.0, 0.6)
        found = yield from stage(patches(welded, boxes, meshes.palette.transparent), 0.6, 0.8)
        mode = self.topings if self.level == 0 else "none"
        grown = yield from stage(topings.grow(world, meshes.smooth, mode, self._own.meshes), 0.8, 1.0)
        return meshes, welded, found, grown

    def finish(self, context: bpy.types.Context, result: "Baked") -> None:
        from ..bake.decals import bake_decals
        from ..bake.objects import bake_world
        from ..bake.topings import bake_topings

        meshes, welded, found, grown = result
        owner = self._target.owner(context.scene)
        session.make_single(owner)
        of_world = owner.name, session.world_id(owner)
        objects = bake_world(*of_world, welded, meshes.palette, owner, context.scene)
        with_decals = bake_decals(*of_world, found, self._looks, owner, context.scene)
        objects += [with_decals] if with_decals is not None else []
        own, palette = self._own.materials, meshes.palette
        objects += bake_topings(*of_world, grown, self.topings, own, palette, owner, context.scene)
        for problem in self._own.problems if self.topings != "none" else ():
            self.report({"WARNING"}, problem)
        n = len(grown.topings.instances) if grown is not None else 0
        also = f" and {n:,} topings" if n else ""
        self.report({"INFO"}, f"Baked {meshes.n_quads:,} quads{also} to {len(objects)} objects")


CLASSES = (VOXELWRIGHT_OT_bake_world,)
