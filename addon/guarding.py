# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers of Blender's events. Whatever goes wrong in one becomes a line on the console; Blender goes on, with the
others."""

from collections.abc import Callable

import bpy


def guarded(function: Callable[..., None], n_arguments: int = 0) -> Callable[..., None]:
    """A function, which takes so many of Blender's arguments, as Blender calls its handlers; it never raises."""

    @bpy.app.handlers.persistent
    def never_raises(*arguments: object) -> None:
        try:
            function(*arguments[:n_arguments])
        except Exception as error:
            print(f"Voxelwright: {function.__name__.strip('_')} failed, please report it: {error!r}")

    return never_raises
