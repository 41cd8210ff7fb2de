# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration as data: a list of steps, each with what undoes it. Where one fails, those before it are undone."""

import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import bpy

from . import (
    animation,
    cli,
    cursor,
    idnames,
    keymaps,
    panels,
    preferences,
    properties,
    session,
    tool_panels,
    tool_properties,
)
from .operators import (
    bake_world,
    brush_settings,
    draw_shape,
    drop_objects,
    export_baked,
    extrude_face,
    fill_connected,
    hover,
    import_world,
    new_world,
    pick_material,
    recover_worlds,
    retry_preview,
    select_world,
    set_smoothing,
    stamp,
    stroke,
    view_worlds,
)
from .tools import box as box_tool
from .tools import build as build_tool
from .tools import extrude as extrude_tool
from .tools import fill as fill_tool
from .tools import line as line_tool
from .tools import paint as paint_tool
from .tools import pick as pick_tool
from .tools import sculpt as sculpt_tool
from .tools import stamp as stamp_tool
from .tools.common import Tool
from .viewport import handler


class _Step(NamedTuple):
    do: Callable[[], Any]
    undo: Callable[[], Any]


_MODULES = (
    preferences,
    tool_properties,
    properties,
    new_world,
    import_world,
    set_smoothing,
    bake_world,
    export_baked,
    drop_objects,
    select_world,
    view_worlds,
    recover_worlds,
    retry_preview,
    hover,
    brush_settings,
    stroke,
    draw_shape,
    fill_connected,
    extrude_face,
    stamp,
    pick_material,
    panels,
    tool_panels,
)
_TOOLS = (
    sculpt_tool.VOXELWRIGHT_TL_sculpt,
    build_tool.VOXELWRIGHT_TL_build,
    paint_tool.VOXELWRIGHT_TL_paint,
    box_tool.VOXELWRIGHT_TL_box,
    line_tool.VOXELWRIGHT_TL_line,
    fill_tool.VOXELWRIGHT_TL_fill,
    extrude_tool.VOXELWRIGHT_TL_extrude,
    stamp_tool.VOXELWRIGHT_TL_stamp,
    pick_tool.VOXELWRIGHT_TL_pick,
)
_done: list[_Step] = []


def register() -> None:
    try:
        for step in _steps():
            step.do()
            _done.append(step)
    except Exception:
        unregister()
        raise


def unregister() -> None:
    while _done:
        step = _done.pop()
        try:
            step.undo()
        except Exception:  # the steps before must still be undone
            traceback.print_exc()


def is_registered() -> bool:
    return bool(_done)


def _steps() -> list[_Step]:
    classes = [c for module in _MODULES for c in module.CLASSES]
    steps = [_Step(partial(bpy.utils.register_class, c), partial(bpy.utils.unregister_class, c)) for c in classes]
    steps += [
        _property(bpy.types.Object, properties.VOXELWRIGHT_PG_object),
        _property(bpy.types.Scene, properties.VOXELWRIGHT_PG_scene),
        _property(bpy.types.Screen, properties.VOXELWRIGHT_PG_screen),
        _cli_command(),
        _Step(lambda: None, session.put_away),
        _Step(handler.register, handler.unregister),
        _Step(keymaps.register, keymaps.unregister),
        *(_tool(tool, first=number == 0) for number, tool in enumerate(_TOOLS)),
    ]
    steps += [_handler(name, f) for module in (session, animation) for name, f in module.HANDLERS.items()]
    return steps


def _property(owner: type, group: type) -> _Step:
    return _Step(
        lambda: setattr(owner, idnames.PROPERTIES, bpy.props.PointerProperty(type=group)),
        lambda: delattr(owner, idnames.PROPERTIES),
    )


def _handler(name: str, function: Callable[..., None]) -> _Step:
    handlers = getattr(bpy.app.handlers, name)
    return _Step(lambda: handlers.append(function), lambda: handlers.remove(function))


def _tool(tool: type[Tool], *, first: bool) -> _Step:
    """A tool in the toolbar; ours stand together below Blender's."""

    def do() -> None:
        bpy.utils.register_tool(tool, separator=first)
        cursor.makers[tool.bl_idname] = tool.cursor

    def undo() -> None:
        cursor.makers.pop(tool.bl_idname)
        bpy.utils.unregister_tool(tool)

    return _Step(do, undo)


def _cli_command() -> _Step:
    handles: list[Any] = []
    return _Step(
        lambda: handles.append(bpy.utils.register_cli_command(idnames.CLI_COMMAND, cli.main)),
        lambda: bpy.utils.unregister_cli_command(handles.pop()),
    )
