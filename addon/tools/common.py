# SPDX-License-Identifier: GPL-3.0-or-later
"""What tools share: their keys, icons, and the settings in the header."""

from pathlib import Path
from typing import Any

import bpy

from .. import cursor, idnames, palettes, session, swatches
from ..brushes import MOVING
from ..properties import of_object
from ..tool_properties import PATTERN_SETTINGS, PLACING, of_tool

Key = tuple[str, dict[str, Any], dict[str, Any] | None]

ICONS = Path(__file__).parent / "icons"


def icon(name: str) -> str:
    """One of our icons, as Blender's tools name them."""
    return str(ICONS / name)


def key(
    idname: str,
    kind: str,
    value: str = "PRESS",
    *,
    ctrl: bool = False,
    shift: bool = False,
    alt: bool = False,
    **properties: Any,
) -> Key:
    """An entry of a tool's keymap."""
    event = {"type": kind, "value": value, "ctrl": ctrl, "shift": shift, "alt": alt}
    return idname, event, {"properties": list(properties.items())}


COMMON_KEYS: tuple[Key, ...] = (
    (idnames.OT_HOVER, {"type": "MOUSEMOVE", "value": "ANY", "any": True}, None),
    ("wm.call_menu_pie", {"type": "W", "value": "PRESS"}, {"properties": [("name", idnames.MT_PIE)]}),
)
"""Keys of all our tools."""

PICK_KEY = key(idnames.OT_PICK_MATERIAL, "S")


def brush_keys(tool: str) -> tuple[Key, ...]:
    """The keys of a tool with a brush: sculpt, build or paint."""
    return (
        key(idnames.OT_STROKE, "LEFTMOUSE", tool=tool.upper(), mode="NORMAL"),
        key(idnames.OT_STROKE, "LEFTMOUSE", ctrl=True, tool=tool.upper(), mode="INVERT"),
        key(idnames.OT_STROKE, "LEFTMOUSE", shift=True, tool=tool.upper(), mode="SMOOTH"),
        key(idnames.OT_RESIZE_BRUSH, "F", tool=tool, setting="RADIUS"),
        key(idnames.OT_RESIZE_BRUSH, "F", shift=True, tool=tool, setting="STRENGTH"),
        *((PICK_KEY,) if tool != "sculpt" else ()),
        *COMMON_KEYS,
    )


def draw_brush(context: bpy.types.Context, layout: bpy.types.UILayout, tool: str) -> None:
    """A brush's settings, in the header or in the sidebar."""
    settings = of_tool(context.scene, tool)
    layout.prop(settings, "action", text="")
    layout.prop(settings, "shape", text="")
    radius = layout.row(align=True)
    radius.prop(settings, "radius")
    radius.prop(settings, "pressure_radius", text="", icon="STYLUS_PRESSURE")
    strength = layout.row(align=True)
    strength.prop(settings, "strength")
    strength.prop(settings, "pressure_strength", text="", icon="STYLUS_PRESSURE")
    if settings.action in PLACING:
        _draw_pattern(context, layout, settings)
    if settings.action == "NOISE":
        layout.prop(settings, "wavelength")
    if settings.action in MOVING:
        layout.prop(settings, "direction", text="")
    layout.popover(idnames.PT_BRUSH, text="Brush")
    draw_symmetry(context, layout)


def draw_placing(context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
    """What tools place that share the Build tool's brush."""
    settings = of_tool(context.scene, "build")
    layout.prop(settings, "action", text="")
    _draw_pattern(context, layout, settings)
    draw_symmetry(context, layout)


def _draw_pattern(context: bpy.types.Context, layout: bpy.types.UILayout, settings: Any) -> None:
    draw_material(context, layout)
    layout.prop(settings, "pattern", text="")
    for name in PATTERN_SETTINGS[settings.pattern]:
        layout.prop(settings, name)


def draw_material(context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
    """The active material, with the palette behind it."""
    owner = session.active_world_object(context)
    world = session.loaded_world(owner) if owner is not None else None
    if owner is not None and world is not None and world.palette.items():
        material = world.palette.materials[palettes.active_material(owner)]
        assert material is not None
        layout.popover(idnames.PT_PALETTE, text=material.name, icon_value=swatches.icon_of(material))


def draw_symmetry(context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
    owner = session.active_world_object(context)
    if owner is None:
        return
    row = layout.row(align=True)
    row.prop(of_object(owner).symmetry, "mirrors", text="", toggle=True)
    row.popover(idnames.PT_SYMMETRY, text="Symmetry")


class Tool:
    """What every tool of ours has. The subclass gives bl_idname, bl_label, bl_description, bl_icon, bl_keymap, and
    cursor, a cursor.Maker."""

    bl_idname: str
    cursor: cursor.Maker
    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_cursor = "CROSSHAIR"
