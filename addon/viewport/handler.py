# SPDX-License-Identifier: GPL-3.0-or-later
"""The draw handlers: what a 3D viewport shows of the worlds in its scene. The one place where viewport errors end.

Nothing here writes a property or keeps a reference to anything of Blender's.
"""

from typing import Any

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from .. import preferences, session
from ..properties import of_object, of_scene, shown_in
from ..redrawing import redraw
from .preview import Preview
from .stats import draw_stats

RETRY_SECONDS = 0.02
"""After which a viewport is drawn again where its picture was not finished."""

preview = Preview()


def retry() -> None:
    """Draw again after a failure."""
    preview.retry()
    redraw()


def draw() -> None:
    """Called by Blender for every 3D viewport, after it has drawn the scene."""
    if preview.failure:
        return
    try:
        _draw(bpy.context)
    except Exception as error:  # it would be raised again at every redraw
        preview.fail(error)
        # The panel that says so is drawn again, but not from here.
        _redraw_soon()


def draw_text() -> None:
    """Called by Blender for every 3D viewport, when its text is drawn."""
    space: Any = bpy.context.space_data
    wanted = space.overlay.show_overlays and of_scene(bpy.context.scene).show_stats
    if preview.failure or not preview.way or not wanted:
        return
    try:
        draw_stats(bpy.context, preview.figures())
    except Exception as error:
        preview.fail(error)


def _draw(context: bpy.types.Context) -> None:
    preview.keep_only({session.world_id(owner) for owner in bpy.data.objects if session.is_world(owner)})
    owners = shown_worlds(context)
    if not owners:
        return
    from ...gpu_backend.camera import Camera
    from ...gpu_backend.frame import SUN_DIRECTION
    from ...gpu_backend.renderer import Look
    from ...gpu_backend.views import View
    from .. import decals, kernel_cache
    from .pictures import Seen

    kernel_cache.prepare()
    choices = preferences.choices()
    region_data, region = context.region_data, context.region
    view = np.array(region_data.view_matrix)
    projection = np.array(region_data.window_matrix)
    shown_view = View[of_scene(context.scene).view]
    gathered = decals.shown_decals(context)
    seen = []
    for owner in owners:
        matrix = np.array(owner.matrix_world)
        sun = tuple(np.linalg.solve(matrix[:3, :3], SUN_DIRECTION).tolist())
        light = float(choices.quality.light)
        look = Look(shown_view, sun, choices.quality.blending, sky=False, haze=False, shadows=light, occlusion=light)
        camera = Camera(view @ matrix, projection)
        try:
            world = session.world_of(owner)
        except VoxelwrightError:
            continue  # the panel says what is wrong with it
        seen.append(Seen(session.world_id(owner), world, camera, look, gathered.in_world(matrix)))
    if seen and not preview.draw(region.as_pointer(), seen, (region.width, region.height), choices):
        _redraw_soon()


def shown_worlds(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The objects whose worlds the context's 3D viewport shows."""
    space: Any = context.space_data
    if not shown_in(context.screen, context.area):
        return []
    return [
        owner
        for owner in context.scene.objects
        if session.is_world(owner)
        and of_object(owner).show_preview
        and owner.visible_get(view_layer=context.view_layer, viewport=space)
        and is_drawable(owner)
        and not session.is_lost(owner)
    ]


def is_drawable(owner: bpy.types.Object) -> bool:
    """Whether the object's matrix leaves anything of its world: a scale of 0 does not."""
    determinant = np.linalg.det(np.array(owner.matrix_world)[:3, :3])
    return bool(np.isfinite(determinant) and determinant != 0)


def _redraw_soon() -> None:
    if not bpy.app.timers.is_registered(redraw):
        bpy.app.timers.register(redraw, first_interval=RETRY_SECONDS)


_handles: list[Any] = []


def register() -> None:
    """Add the handlers."""
    for function, when in ((draw, "POST_VIEW"), (draw_text, "POST_PIXEL")):
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(function, (), "WINDOW", when))


def unregister() -> None:
    """Remove them. What lies in Blender's OpenGL context can only be freed where that is current: in one more draw."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    if bpy.app.timers.is_registered(redraw):
        bpy.app.timers.unregister(redraw)
    preview.failure = ""
    if not preview.way:
        return
    handles: list[Any] = []

    def release() -> None:
        bpy.types.SpaceView3D.draw_handler_remove(handles.pop(), "WINDOW")
        preview.release()

    handles.append(bpy.types.SpaceView3D.draw_handler_add(release, (), "WINDOW", "POST_VIEW"))
    redraw()
