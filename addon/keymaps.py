# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and clicks that mean worlds too. Each operator passes an event on where it concerns no world."""

from typing import Any, NamedTuple

import bpy

from . import idnames


class _Key(NamedTuple):
    keymap: str
    idname: str
    type: str
    value: str = "PRESS"
    shift: bool = False
    properties: tuple[tuple[str, Any], ...] = ()


_KEYS = (
    _Key("3D View", idnames.OT_FRAME_WORLDS, "NUMPAD_PERIOD"),
    _Key("3D View", idnames.OT_FRAME_WORLDS, "HOME", properties=(("everything", True),)),
    *(
        _Key("Object Mode", idnames.OT_SELECT_WORLD, button, value, shift, (("extend", shift),))
        for button in ("LEFTMOUSE", "RIGHTMOUSE")
        for value in ("PRESS", "CLICK")
        for shift in (False, True)
    ),
)

_added: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Add the keys to the add-ons' keymaps, of which Blender has none in the background."""
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    if keyconfig is None:
        return
    for key in _KEYS:
        space: Any = "VIEW_3D" if key.keymap == "3D View" else "EMPTY"
        keymap = keyconfig.keymaps.new(key.keymap, space_type=space)
        kind: Any = key.type
        value: Any = key.value
        item = keymap.keymap_items.new(key.idname, kind, value, shift=key.shift)
        for name, setting in key.properties:
            setattr(item.properties, name, setting)
        _added.append((keymap, item))


def unregister() -> None:
    """Take them away."""
    while _added:
        keymap, item = _added.pop()
        keymap.keymap_items.remove(item)
