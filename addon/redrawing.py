# SPDX-License-Identifier: GPL-3.0-or-later
"""Has Blender draw 3D viewports again: now, later, or when a property was set."""

import time

import bpy

_due: list[float] = []
"""When redraw() is to be called by a timer, if so."""


def redraw() -> None:
    """Draw all 3D viewports again, and their sidebars."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def redraw_on_change(_owner: object, _context: bpy.types.Context) -> None:
    """The update of properties that 3D viewports show."""
    redraw()


def redraw_in(seconds: float) -> None:
    """Draw them again after some seconds, or sooner where that was asked for."""
    due = time.monotonic() + seconds
    if bpy.app.timers.is_registered(_redraw_when_due):
        if _due[0] <= due:
            return
        stop_redrawing()
    _due[:] = [due]
    bpy.app.timers.register(_redraw_when_due, first_interval=seconds)


def stop_redrawing() -> None:
    """Forget what was asked for."""
    if bpy.app.timers.is_registered(_redraw_when_due):
        bpy.app.timers.unregister(_redraw_when_due)


def _redraw_when_due() -> None:
    redraw()
