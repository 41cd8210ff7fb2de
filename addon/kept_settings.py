# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools' settings stay as they are over undo and redo, as those of Blender's own tools do."""

from typing import Any

import bpy

from . import idnames
from .guarding import guarded

_kept: dict[str, dict[str, dict[str, Any]]] = {}
"""By the names of scenes, tools and settings."""


def _before() -> None:
    _kept.clear()
    for scene in bpy.data.scenes:
        tools = getattr(scene, idnames.TOOL_PROPERTIES)
        _kept[scene.name] = {tool: _values(getattr(tools, tool)) for tool in _names(tools)}


def _after() -> None:
    for scene in bpy.data.scenes:
        tools = getattr(scene, idnames.TOOL_PROPERTIES)
        for tool, values in _kept.get(scene.name, {}).items():
            group = getattr(tools, tool)
            for name, value in values.items():
                if getattr(group, name) != value:
                    setattr(group, name, value)
    _kept.clear()


def _values(group: Any) -> dict[str, Any]:
    # A material that a world's palette lacks reads as "", and cannot be set to it.
    found = {name: getattr(group, name) for name in _names(group)}
    return {name: value for name, value in found.items() if value != "" or name == "filepath"}


def _names(group: Any) -> list[str]:
    return [name for name in group.bl_rna.properties.keys() if name not in ("rna_type", "name")]  # noqa: SIM118


HANDLERS = {
    "undo_pre": guarded(_before),
    "redo_pre": guarded(_before),
    "undo_post": guarded(_after),
    "redo_post": guarded(_after),
}
"""Our handlers by the name of their list in bpy.app.handlers."""
