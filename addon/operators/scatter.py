# SPDX-License-Identifier: GPL-3.0-or-later
from typing import TYPE_CHECKING

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.jobs import Job, Progress
from ...voxel.world import Edit, World
from .. import clipboard, idnames, presets
from ..palettes import index_of, material_items
from .edit_operator import EditOperator, region

if TYPE_CHECKING:
    from ...voxel.edit.clipboard import Clip
    from ...voxel.edit.selection import Selection

_CLIPBOARD = "CLIPBOARD"


def _kind(name: str) -> str:
    """The name of a stamp without its number."""
    return name.rstrip("_0123456789")


_KINDS = sorted({_kind(name) for name in presets.stamp_names()})


class VOXELWRIGHT_OT_scatter(EditOperator, bpy.types.Operator):
    """Stand things on the ground of the world, or of what is selected, at random and turned at random"""

    bl_idname = idnames.OT_SCATTER
    bl_label = "Scatter"

    what: bpy.props.EnumProperty(
        name="What",
        description="What is scattered",
        items=[
            *((kind, kind.replace("_", " ").capitalize(), "") for kind in _KINDS),
            (_CLIPBOARD, "Clipboard", "The voxels copied last"),
        ],
        default="oak",
    )
    spacing: bpy.props.IntProperty(
        name="Spacing", description="One place in each cube of this edge, in voxels", default=16, min=1, max=1000
    )
    chance: bpy.props.FloatProperty(
        name="Chance", description="How many of the places are taken", default=0.5, min=0, max=1, subtype="FACTOR"
    )
    is_on_material: bpy.props.BoolProperty(
        name="Only on", description="Stand things on one material only", default=False
    )
    material: bpy.props.EnumProperty(name="Material", description="What things stand on", items=material_items)
    seed: bpy.props.IntProperty(name="Seed", description="Another number takes other places")

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        for name in ("what", "spacing", "chance", "seed", "is_on_material"):
            layout.prop(self, name)
        if self.is_on_material:
            layout.prop(self, "material")

    def read(self, _context: bpy.types.Context, owner: bpy.types.Object) -> None:
        self._material = index_of(self.material, owner) if self.is_on_material else None
        if self.what == _CLIPBOARD and clipboard.clip() is None:
            raise VoxelwrightError("There is nothing to scatter; copy a selection first, or choose something else.")

    def edit_of(self, world: World, selection: "Selection | None") -> Job[Edit]:
        from ...voxel.edit.scatter import scatter
        from ...voxel.edit.selection import by_material

        yield Progress(0.1, "Scattering")
        ground = region(world, selection)
        if self._material is not None:
            ground = ground & by_material(world, self._material)
        return scatter(world, self._clips(), ground, self.spacing, self.chance, self.seed)

    def _clips(self) -> "list[Clip]":
        from ...voxel.edit.scatter import clip_of

        copied = clipboard.clip()
        if self.what == _CLIPBOARD:
            return [copied] if copied is not None else []
        palette = presets.palette("default")
        return [clip_of(presets.stamp(name), palette) for name in presets.stamp_names() if _kind(name) == self.what]


CLASSES = (VOXELWRIGHT_OT_scatter,)
