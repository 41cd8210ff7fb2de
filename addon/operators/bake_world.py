# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

from ...voxel.jobs import Job
from .. import idnames, session, worlds
from ..properties import MESH_KIND_ITEMS
from .job_operator import JobOperator


class VOXELWRIGHT_OT_bake_world(JobOperator, bpy.types.Operator):
    """Turn the world into ordinary Blender objects. Baking again updates them and keeps your changes to materials"""

    bl_idname = idnames.OT_BAKE_WORLD
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    mesh_kind: bpy.props.EnumProperty(
        name="Mesh", description="How the world is turned into meshes", items=MESH_KIND_ITEMS, default="greedy"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode first")
            return False
        if session.active_world_object(context) is None:
            cls.poll_message_set("Select a world first, or make one with New World")
            return False
        return True

    def start(self, context: bpy.types.Context) -> Job[worlds.Meshes]:
        owner = session.active_world_object(context)
        self._world_id = session.world_id(owner)
        return worlds.mesh(session.world_of(owner), self.mesh_kind)

    def finish(self, context: bpy.types.Context, result: worlds.Meshes) -> None:
        from ..bake.objects import bake_world

        owner = session.owner_in(context.scene, self._world_id)
        meshes = (result.blocky, result.smooth, result.palette)
        objects = bake_world(owner.name, self._world_id, *meshes, owner, context.scene)
        self.report({"INFO"}, f"Baked {result.n_quads:,} quads to {len(objects)} objects")


CLASSES = (VOXELWRIGHT_OT_bake_world,)
