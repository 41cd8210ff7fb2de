# SPDX-License-Identifier: GPL-3.0-or-later
"""The draw handlers: what a 3D viewport shows of the worlds in its scene. The one place where viewport errors end.

Nothing here writes a property or keeps a reference to anything of Blender's.
"""

from typing import Any

import bpy
import numpy as np

from ...voxel.errors import VoxelwrightError
from .. import animation, preferences, session
from ..light_properties import sun_of
from ..properties import of_object, of_scene, shown_in
from ..redrawing import redraw, redraw_in, stop_redrawing
from .preview import Preview
from .stats import draw_stats

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
        redraw_in(0.0)  # the panel says so, but not in this redraw


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
    from .. import decals, kernel_cache
    from .looks import scene_look
    from .pictures import Seen

    kernel_cache.prepare()
    region_data, region = context.region_data, context.region
    view = np.array(region_data.view_matrix)
    projection = np.array(region_data.window_matrix)
    settings = of_scene(context.scene)
    sun = sun_of(settings.light, context.view_layer.depsgraph)
    gathered = decals.shown_decals(context)
    seen = []
    for owner in owners:
        matrix = np.array(owner.matrix_world)
        camera = Camera(view @ matrix, projection)
        try:
            world = session.world_of(owner)
        except VoxelwrightError:
            continue  # the panel says what is wrong with it
        look = scene_look(settings, sun, matrix)
        seen.append(Seen(session.world_id(owner), world, camera, look, gathered.in_world(matrix)))
    if seen:
        size, playing = (region.width, region.height), animation.is_playing()
        remains = preview.draw(region.as_pointer(), seen, size, preferences.choices(), playing=playing)
        if remains is not None:
            redraw_in(remains)


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


_handles: list[Any] = []


def register() -> None:
    """Add the handlers."""
    for function, when in ((draw, "POST_VIEW"), (draw_text, "POST_PIXEL")):
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(function, (), "WINDOW", when))


def unregister() -> None:
    """Remove them. What lies in Blender's OpenGL context can only be freed where that is current: in one more draw."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    stop_redrawing()
    preview.failure = ""
    if not preview.way:
        return
    handles: list[Any] = []

    def release() -> None:
        bpy.types.SpaceView3D.draw_handler_remove(handles.pop(), "WINDOW")
        preview.release()

    handles.append(bpy.types.SpaceView3D.draw_handler_add(release, (), "WINDOW", "POST_VIEW"))
    redraw()
