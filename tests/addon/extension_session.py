# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by test_extension.py in a process of its own: installs a zip, uses it, disables it, notes what it saw.

Arguments: the folder of bpy's packages, the zip, a .vox file, and a folder for what is made. The environment's other
packages are out of reach, so that what the extension needs comes from its own wheels.
"""

import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.append(sys.argv[1])

import bpy
from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active

MODULE = "bl_ext.user_default.voxelwright"
BUNDLED = {"numba", "llvmlite", "moderngl", "glcontext"}
cli_commands: list[str] = []


def watch_cli_commands() -> None:
    """Blender keeps no list of its commands that Python could read, so note what is added and removed."""
    register, unregister = bpy.utils.register_cli_command, bpy.utils.unregister_cli_command
    names: dict[int, str] = {}

    def add(name: str, execute: Any) -> Any:
        handle = register(name, execute)
        names[id(handle)] = name
        cli_commands.append(name)
        return handle

    def remove(handle: Any) -> None:
        if id(handle) in names:
            cli_commands.remove(names.pop(id(handle)))
        unregister(handle)

    bpy.utils.register_cli_command, bpy.utils.unregister_cli_command = add, remove


def name_of(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def keymap_items() -> Iterator[str]:
    for keyconfig in bpy.context.window_manager.keyconfigs:
        for keymap in keyconfig.keymaps:
            yield from (f"{keyconfig.name}/{keymap.name}: {item.idname} {item.type}" for item in keymap.keymap_items)


def tools() -> Iterator[str]:
    for mode, entries in VIEW3D_PT_tools_active.tools_all():
        for tool in VIEW3D_PT_tools_active._tools_flatten(entries):
            yield f"{mode}: {tool and tool.idname}"


def menu_functions(types: dict[str, Any]) -> Iterator[str]:
    """What was appended or prepended to menus and panels. (Their own draw() is in the same list.)"""
    for name, cls in types.items():
        functions = getattr(getattr(cls, "draw", None), "_draw_funcs", ())
        yield from (f"{name}: {name_of(function)}" for function in functions if function.__module__ != cls.__module__)


def timers() -> Iterator[str]:
    """The extension's functions that are timers now: Blender lists none, but answers for each."""
    for module in [module for name, module in sys.modules.items() if name.startswith(MODULE)]:
        for value in vars(module).values():
            if callable(value) and bpy.app.timers.is_registered(value):
                yield name_of(value)


def traces() -> dict[str, list[str]]:
    """Everything that an extension can leave behind in Blender, as far as it can be listed."""
    types = {name: getattr(bpy.types, name) for name in dir(bpy.types)}
    structs = {name: cls.bl_rna for name, cls in types.items() if hasattr(cls, "bl_rna")}
    handlers = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    lists = {name: functions for name, functions in handlers.items() if isinstance(functions, list)}
    return {
        "classes": list(types),
        "properties": [f"{name}.{key}" for name, struct in structs.items() for key, _ in struct.properties.items()],
        "operators": [f"{family}.{name}" for family in dir(bpy.ops) for name in dir(getattr(bpy.ops, family))],
        "menus": list(menu_functions(types)),
        "handlers": [f"{name}: {name_of(function)}" for name, functions in lists.items() for function in functions],
        "timers": list(timers()),
        "keymaps": list(keymap_items()),
        "tools": list(tools()),
        "command-line commands": list(cli_commands),
    }


def difference(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, list[str]]:
    """What is in one of two traces only, by kind; kinds that are equal are left out."""
    found = {kind: sorted(set(before[kind]) ^ set(after[kind])) for kind in before}
    return {kind: names for kind, names in found.items() if names}


def use(model: str, folder: Path) -> list[str]:
    """Go the whole way through the operators, and draw a picture by the command line's code; return what failed."""
    results = {
        "new_world": bpy.ops.voxelwright.new_world(size=(40, 33, 48), seed=5),
        "bake the new world": bpy.ops.voxelwright.bake_world(),
        "import_world": bpy.ops.voxelwright.import_world(filepath=model),
        "bake the model": bpy.ops.voxelwright.bake_world(),
        "export": bpy.ops.voxelwright.export_baked(filepath=str(folder / "model.glb")),
    }
    cli = import_module(f"{MODULE}.addon.cli")
    world = str(folder / "model.vxw")
    results["import command"] = cli.main(["import", model, "-o", world])
    results["render command"] = cli.main(["render", world, "-o", str(folder / "model.png"), "--size", "64", "48"])
    return [name for name, result in results.items() if result not in ({"FINISHED"}, 0)]


def main() -> None:
    _, _, archive, model, output = sys.argv
    watch_cli_commands()
    before = traces()
    bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=False)
    bpy.ops.preferences.addon_enable(module=MODULE)
    seen: dict[str, Any] = {}
    seen["enabled"] = MODULE in bpy.context.preferences.addons
    seen["imported when enabled"] = sorted(BUNDLED & set(sys.modules))
    seen["added"] = difference(before, traces())
    seen["failed"] = use(model, Path(output))
    seen["wheels used from"] = {name: sys.modules[name].__file__ for name in BUNDLED}
    bpy.ops.preferences.addon_disable(module=MODULE)
    seen["left after disabling"] = difference(before, traces())
    bpy.ops.preferences.addon_enable(module=MODULE)
    seen["added again"] = difference(before, traces())
    bpy.ops.preferences.addon_disable(module=MODULE)
    seen["left after disabling again"] = difference(before, traces())
    (Path(output) / "seen.json").write_text(json.dumps(seen, indent=1), encoding="utf-8")


main()
# bpy 4.5 can wait forever for a thread of its own when a process that has exported glTF ends in the usual way.
os._exit(0)
