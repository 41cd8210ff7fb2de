# SPDX-License-Identifier: GPL-3.0-or-later
import bpy


def redraw() -> None:
    """Draw all 3D viewports again, and their sidebars."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
