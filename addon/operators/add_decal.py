# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding decals: with a click on a surface, or at the 3D cursor."""

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...voxel.errors import VoxelwrightError
from .. import decal_images, decals, idnames, picking
from ..decal_boxes import placed
from ..properties import of_object
from ..viewport import handler
from .job_operator import Result

Place = NDArray[np.float64]
"""(3,), in Blender's world space."""

_KEYS = "Place the decal: click   Cancel: Esc"
_VIEW_EVENTS = ("MIDDLEMOUSE", "WHEEL", "NDOF", "TRACKPAD", "MOUSEPAN", "MOUSEZOOM", "MOUSEROTATE", "NUMPAD_")
_DEPTH = 0.2
"""How far a decal reaches before and behind the surface, as a share of its longer edge."""


class VOXELWRIGHT_OT_add_decal(bpy.types.Operator):
    """Add a decal: an empty that projects an image onto the worlds in its box. It is placed with a click"""

    bl_idname = idnames.OT_ADD_DECAL
    bl_label = "Add Decal"
    bl_options = {"REGISTER", "UNDO"}

    picture: bpy.props.EnumProperty(name="Picture", description="What is shown", items=decal_images.ITEMS)
    image: bpy.props.StringProperty(
        name="Image", description="One of the file's images, by its name, instead of the picture"
    )
    location: bpy.props.FloatVectorProperty(
        name="Location",
        description="The middle of the decal; without it, the surface below the 3D cursor",
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    normal: bpy.props.FloatVectorProperty(
        name="Normal",
        description="What the decal's Z axis points to",
        default=(0.0, 0.0, 1.0),
        subtype="DIRECTION",
        options={"SKIP_SAVE"},
    )
    length: bpy.props.FloatProperty(
        name="Length",
        description="How long the longer edge is; 0 for what suits the voxels",
        min=0,
        subtype="DISTANCE",
        options={"SKIP_SAVE"},
    )

    _name = ""
    """Of the object that follows the mouse."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode first")
            return False
        return True

    def draw(self, _context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "picture")
        layout.prop_search(self, "image", bpy.data, "images")
        for name in ("length", "location", "normal"):
            layout.prop(self, name)

    def execute(self, context: bpy.types.Context) -> Result:
        try:
            place, normal, voxel = _below_cursor(context)
            if not self.properties.is_property_set("location"):
                self.location, self.normal = place, normal
            self._place(self._new_object(context), voxel)
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        if not isinstance(context.space_data, bpy.types.SpaceView3D) or not handler.shown_worlds(context):
            return self.execute(context)
        if not picking.is_ready():
            operators: Any = bpy.ops
            operators.voxelwright.prepare_picking("INVOKE_DEFAULT")
            return {"CANCELLED"}
        context.workspace.status_text_set(_KEYS)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type.startswith(_VIEW_EVENTS):
            return {"PASS_THROUGH"}
        if event.type not in ("MOUSEMOVE", "LEFTMOUSE"):
            return {"RUNNING_MODAL"}
        try:
            found = _under_mouse(context, event)
            if found is not None:
                self.location, self.normal, voxel = found
                self._place(bpy.data.objects.get(self._name) or self._new_object(context), voxel)
        except VoxelwrightError as error:
            self.report({"ERROR"}, str(error))
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "PRESS" and found is not None:
            context.workspace.status_text_set(None)
            return {"FINISHED"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Take the object away that followed the mouse."""
        context.workspace.status_text_set(None)
        owner: bpy.types.Object | None = bpy.data.objects.get(self._name)
        if owner is not None:
            bpy.data.objects.remove(owner)

    def _new_object(self, context: bpy.types.Context) -> bpy.types.Object:
        """A decal, alone selected."""
        if not any(self.normal):
            raise VoxelwrightError("The decal's normal must not be zero; give it a direction.")
        image, normal_map = decal_images.chosen(self.picture, self.image)
        name = "Decal" if image is None else f"{image.name} Decal"
        owner = bpy.data.objects.new(name, None)
        owner.empty_display_type, owner.empty_display_size = "CUBE", 1.0
        settings = of_object(owner).decal
        settings.is_decal, settings.image, settings.normal_map = True, image, normal_map
        settings.order = 1 + max((of_object(o).decal.order for o in decals.decals_in(context.scene)), default=-1)
        context.collection.objects.link(owner)
        for other in context.selected_objects:
            other.select_set(False)
        owner.select_set(True)
        context.view_layer.objects.active = owner
        self._name = owner.name
        return owner

    def _place(self, owner: bpy.types.Object, voxel: float) -> None:
        """Put it where the properties say, in a world whose voxels are so large."""
        width, height = decal_images.size_of(of_object(owner).decal.image)
        longer = max(width, height)
        self.length = self.length or longer * voxel
        half = self.length * np.array((width / longer / 2, height / longer / 2, _DEPTH))
        owner.matrix_world = Matrix(placed(self.location, self.normal, half).tolist())


def _under_mouse(context: bpy.types.Context, event: bpy.types.Event) -> tuple[Place, Place, float] | None:
    region = next((r for r in context.area.regions if r.type == "WINDOW"), None) if context.area else None
    if region is None:
        return None
    place = event.mouse_x - region.x, event.mouse_y - region.y
    with context.temp_override(region=region):
        return _met(picking.pick(handler.shown_worlds(context), picking.mouse_ray(context, place)))


def _below_cursor(context: bpy.types.Context) -> tuple[Place, Place, float]:
    """The place, normal and voxel size of the surface below the 3D cursor; the cursor's own where there is none."""
    cursor = np.array(context.scene.cursor.matrix)
    up = cursor[:3, 2] / np.linalg.norm(cursor[:3, 2])
    worlds = picking.pickable(context)
    size = min((_voxel_size(owner) for owner in worlds), default=1.0)
    # From a little above: a cursor that was put on a surface lies in it.
    ray = picking.Ray(cursor[:3, 3] + up * size, -up)
    return _met(picking.pick(worlds, ray)) or (cursor[:3, 3], up, size)


def _met(found: picking.Pick | None) -> tuple[Place, Place, float] | None:
    if found is None:
        return None
    return found.point, found.normal, _voxel_size(found.owner)


def _voxel_size(owner: bpy.types.Object) -> float:
    """How large a voxel of the object's world is, in Blender's world space: the mean of its axes."""
    return float(abs(np.linalg.det(np.array(owner.matrix_world)[:3, :3])) ** (1 / 3))


CLASSES = (VOXELWRIGHT_OT_add_decal,)
