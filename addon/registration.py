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
    decal_gizmo,
    decal_panel,
    decal_properties,
    decals,
    idnames,
    kept_settings,
    keymaps,
    light_panel,
    light_properties,
    palette_panel,
    panels,
    pie,
    preferences,
    procedural_panel,
    properties,
    selection_panel,
    selections,
    session,
    swatches,
    symmetry_properties,
    tool_panels,
    tool_properties,
)
from .operators import (
    add_decal,
    add_text,
    bake_world,
    brush_settings,
    choose_material,
    copy_voxels,
    draw_shape,
    drop_objects,
    edit_palette,
    edit_voxels,
    erode_world,
    export_baked,
    extrude_face,
    fill_connected,
    hover,
    import_world,
    move_voxels,
    new_world,
    order_decals,
    paint_ground,
    pick_material,
    recover_worlds,
    replace_material,
    reshape_world,
    retry_preview,
    scatter,
    select_gesture,
    select_voxels,
    select_world,
    set_smoothing,
    stamp,
    stroke,
    view_worlds,
    voxelise_mesh,
)
from .tools import toolbar
from .viewport import cursor_overlay, handler, selection_overlay


class _Step(NamedTuple):
    do: Callable[[], Any]
    undo: Callable[[], Any]


_MODULES = (
    preferences,
    symmetry_properties,
    decal_properties,
    light_properties,
    properties,
    tool_properties,
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
    select_voxels,
    select_gesture,
    edit_voxels,
    copy_voxels,
    move_voxels,
    choose_material,
    edit_palette,
    replace_material,
    reshape_world,
    erode_world,
    paint_ground,
    scatter,
    voxelise_mesh,
    add_text,
    add_decal,
    order_decals,
    panels,
    light_panel,
    palette_panel,
    selection_panel,
    tool_panels,
    procedural_panel,
    decal_panel,
    decal_gizmo,
    pie,
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
        _property(bpy.types.Scene, tool_properties.VOXELWRIGHT_PG_tools, idnames.TOOL_PROPERTIES),
        _cli_command(),
        _Step(lambda: None, session.put_away),
        _Step(lambda: None, swatches.clear),
        _Step(decal_panel.add_menu, decal_panel.remove_menu),
        _Step(handler.register, handler.unregister),
        _Step(selection_overlay.register, selection_overlay.unregister),
        _Step(cursor_overlay.register, cursor_overlay.unregister),
        _Step(keymaps.register, keymaps.unregister),
        _Step(toolbar.register, toolbar.unregister),
    ]
    with_handlers = (session, animation, selections, kept_settings, decals)
    steps += [_handler(name, f) for module in with_handlers for name, f in module.HANDLERS.items()]
    return steps


def _property(owner: type, group: type, name: str = idnames.PROPERTIES) -> _Step:
    return _Step(
        lambda: setattr(owner, name, bpy.props.PointerProperty(type=group)),
        lambda: delattr(owner, name),
    )


def _handler(name: str, function: Callable[..., None]) -> _Step:
    handlers = getattr(bpy.app.handlers, name)
    return _Step(lambda: handlers.append(function), lambda: handlers.remove(function))


def _cli_command() -> _Step:
    handles: list[Any] = []
    return _Step(
        lambda: handles.append(bpy.utils.register_cli_command(idnames.CLI_COMMAND, cli.main)),
        lambda: bpy.utils.unregister_cli_command(handles.pop()),
    )
