# SPDX-License-Identifier: GPL-3.0-or-later
"""The draw handler: what a 3D viewport shows of the worlds in its scene. The one place where viewport errors end.

Nothing here writes a property or keeps a reference to anything of Blender's.
"""

from typing import Any

import bpy
import gpu
import numpy as np

from .. import session
from ..properties import of_object

RETRY_SECONDS = 0.02
"""After which a viewport is drawn again where a part of a world was still missing."""


class _Preview:
    """What is kept between draws."""

    def __init__(self) -> None:
        self.way: Any = None
        self.failure = ""


_preview = _Preview()


def failure() -> str:
    """Why the preview is off, or ""."""
    return _preview.failure


def way_in_use() -> str:
    """ "direct", "carried", or "" while nothing was drawn."""
    return _preview.way.name if _preview.way is not None else ""


def retry() -> None:
    """Draw again after a failure."""
    _preview.failure = ""
    _redraw()


def draw() -> None:
    """Called by Blender for every 3D viewport, after it has drawn the scene."""
    if _preview.failure:
        return
    try:
        _draw(bpy.context)
    except Exception as error:  # it would be raised again at every redraw
        _preview.failure = str(error) or repr(error)
        print(f"Voxelwright shows no worlds in the viewport any more: {error!r}")


def _draw(context: bpy.types.Context) -> None:
    owners = _shown_worlds(context)
    if not owners:
        if _preview.way is not None:
            _preview.way.keep_only(_all_world_ids())
        return
    from ...gpu_backend.camera import Camera
    from ...gpu_backend.frame import SUN_DIRECTION
    from ...gpu_backend.renderer import Look
    from .. import kernel_cache
    from .pictures import Seen

    kernel_cache.prepare()
    region_data, region = context.region_data, context.region
    view = np.array(region_data.view_matrix)
    projection = np.array(region_data.window_matrix)
    seen = []
    for owner in owners:
        matrix = np.array(owner.matrix_world)
        sun = tuple(np.linalg.solve(matrix[:3, :3], SUN_DIRECTION).tolist())
        camera = Camera(view @ matrix, projection)
        look = Look(sun_direction=sun, sky=False, haze=False)
        seen.append(Seen(session.world_id(owner), session.world_of(owner), camera, look))
    way = _preview.way = _preview.way or _make_way()
    way.keep_only(_all_world_ids())
    if not way.draw(region.as_pointer(), seen, (region.width, region.height)):
        bpy.app.timers.register(_redraw, first_interval=RETRY_SECONDS)


def _make_way() -> Any:
    if gpu.platform.backend_type_get() == "OPENGL":
        from .direct import DirectWay

        try:
            return DirectWay()
        except Exception as error:  # whatever it is, the other way does without Blender's context
            print(f"Voxelwright carries its pictures into the viewport, since it cannot draw there directly: {error}")
    from .carried import CarriedWay

    return CarriedWay()


def _shown_worlds(context: bpy.types.Context) -> list[bpy.types.Object]:
    space: Any = context.space_data
    return [
        owner
        for owner in context.scene.objects
        if session.is_world(owner)
        and of_object(owner).show_preview
        and owner.visible_get(view_layer=context.view_layer, viewport=space)
    ]


def _all_world_ids() -> set[str]:
    return {session.world_id(owner) for owner in bpy.data.objects if session.is_world(owner)}


def _redraw() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


_handles: list[Any] = []


def register() -> None:
    """Add the handler."""
    _handles.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    """Remove it. What lies in a context of Blender's cannot be freed from here; it goes with Blender."""
    bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    if _preview.way is not None and _preview.way.name == "carried":
        _preview.way.release()
    _preview.way, _preview.failure = None, ""
