# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a world a click would touch: the outlines that follow the mouse while one of our tools is active."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import FACE_AXIS, FACE_SIGN
from . import framing, picking, selections, session
from .brushes import symmetry_of
from .properties import of_object

if TYPE_CHECKING:
    from ..voxel.edit.selection import Selection
    from ..voxel.edit.shapes import Placement

WHITE, ORANGE = (1.0, 1.0, 1.0), (1.0, 0.55, 0.1)
AXIS_COLORS = ((0.95, 0.25, 0.3), (0.45, 0.8, 0.15), (0.25, 0.5, 0.95))


class Part(NamedTuple):
    """Line segments (n, 2, 3) float32 in the world's voxels, moved by offset; and the faces (n, 4, 3) float32 that hide
    those behind them, where there are any. A part without a key is not kept for the next draw."""

    key: Hashable
    lines: NDArray[np.float32]
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    color: tuple[float, float, float] = WHITE
    faces: NDArray[np.float32] | None = None


class Cursor(NamedTuple):
    """What is shown for the mouse at a place of a region: outlines in the space of an object, and a few words."""

    place: tuple[int, int]
    owner: bpy.types.Object
    parts: tuple[Part, ...]
    text: str


Shown = tuple[list[Part], str]
Maker = Callable[[bpy.types.Context, bpy.types.Object, picking.Ray], Shown | None]
"""What a tool shows for a ray in Blender's world space."""

makers: dict[str, Maker] = {}
"""By the idnames of our tools."""


class _Mouse(NamedTuple):
    """Where the mouse is; and what a gesture shows there in the place of what the tool would."""

    region: int
    place: tuple[int, int]
    shown: Shown | None = None


_mouse: list[_Mouse] = []


def active_tool(context: bpy.types.Context) -> str:
    """The idname of the active tool, if it is one of ours, else ""."""
    tool = context.workspace.tools.from_space_view3d_mode(context.mode)
    return tool.idname if tool is not None and tool.idname in makers else ""


def follow(context: bpy.types.Context, place: tuple[int, int], shown: Shown | None = None) -> None:
    """Show what the active tool would do at a place of the context's region, or what a gesture says."""
    _mouse[:] = [_Mouse(context.region.as_pointer(), place, shown)]
    context.area.tag_redraw()


def hide() -> None:
    _mouse.clear()


def current(context: bpy.types.Context) -> Cursor | None:
    """What is to be drawn in the context's region. It is found anew each time: settings, the view and the world may
    have changed while the mouse was at rest."""
    if not _mouse or _mouse[0].region != context.region.as_pointer():
        return None
    tool, owner = active_tool(context), session.active_world_object(context)
    if not tool or owner is None:
        return None
    mouse = _mouse[0]
    try:
        shown = mouse.shown or makers[tool](context, owner, picking.mouse_ray(context, mouse.place))
    except VoxelwrightError as error:
        shown = [], str(error)
    if shown is None:
        return None
    parts, text = shown
    return Cursor(mouse.place, owner, tuple(parts), text)


def brush_parts(owner: bpy.types.Object, placement: "Placement") -> tuple[list[Part], int]:
    """The outline of a brush where it is put, and where symmetry shows it; and how many voxels one of them has."""
    from ..voxel.edit.dabs import touched

    symmetry = symmetry_of(of_object(owner).symmetry)
    within = selections.selection_of(owner)
    if within is not None:
        found = touched(placement, symmetry, within)
        return [selection_part(found), *planes(owner)], found.count
    parts: list[Part] = []
    for image in symmetry.images():
        seen = symmetry.placement(placement, image)
        parity = tuple(c % 2 for c in seen.middle)
        part, count = _outline_of(seen.shape, parity)
        x, y, z = ((c - p) / 2 for c, p in zip(seen.middle, parity, strict=True))
        parts.append(part._replace(offset=(x, y, z), color=ORANGE if parts else WHITE))
    return [*parts, *planes(owner)], count


def selection_part(found: "Selection") -> Part:
    """The outline of some voxels."""
    from ..voxel.edit.outline import outline

    return Part(None, outline(found))


def face_part(voxel: tuple[int, int, int], face: int, color: tuple[float, float, float] = ORANGE) -> Part:
    """The square of a voxel's face."""
    axis = int(FACE_AXIS[face])
    corners = np.zeros((4, 3), np.float32)
    corners[:, axis] = FACE_SIGN[face] > 0
    corners[:, (axis + 1) % 3], corners[:, (axis + 2) % 3] = (0, 1, 1, 0), (0, 0, 1, 1)
    lines = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    x, y, z = voxel
    return Part(("face", face), lines, (float(x), float(y), float(z)), color)


def box_part(low: tuple[int, int, int], high: tuple[int, int, int]) -> Part:
    """The edges of a box of voxels, both corners in it."""
    from ..voxel.edit.outline import box_edges

    return Part(("box", low, high), box_edges(low, high))


_PLANE_MARGIN = 2.0


def planes(owner: bpy.types.Object) -> list[Part]:
    """The planes of the world's symmetry, and the axis of radial symmetry, through the world's box."""
    settings = of_object(owner).symmetry
    bounds = framing.chunk_box_of(owner)
    if bounds is None or not (any(settings.mirrors) or settings.radial > 1):
        return []
    center = np.array(settings.center)
    low = np.minimum(bounds[0], center) - _PLANE_MARGIN
    high = np.maximum(np.array(bounds[1]) + 1, center) + _PLANE_MARGIN
    parts = []
    for axis in range(3):
        if settings.mirrors[axis]:
            corners = np.tile(center, (4, 1))
            one, other = (axis + 1) % 3, (axis + 2) % 3
            corners[:, one] = low[one], high[one], high[one], low[one]
            corners[:, other] = low[other], low[other], high[other], high[other]
            lines = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1).astype(np.float32)
            parts.append(Part(lines.tobytes(), lines, color=AXIS_COLORS[axis]))
    if settings.radial > 1:
        angles = 2 * np.pi * np.arange(settings.radial) / settings.radial
        reach = float(np.max(high - low)) / 2
        ends = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))], axis=1) * reach + center
        spokes = np.stack([np.tile(center, (len(ends), 1)), ends], axis=1)
        upright = np.array([[[center[0], center[1], low[2]], [center[0], center[1], high[2]]]])
        lines = np.concatenate([spokes, upright]).astype(np.float32)
        parts.append(Part(lines.tobytes(), lines, color=AXIS_COLORS[2]))
    return parts


_outlines: dict[Hashable, tuple[Part, int]] = {}
"""Outlines of brushes, the newest last."""

_MAX_OUTLINES = 8

_MAX_MASKED = 48.0
"""The extent of a brush, in voxels to each side, up to which its own faces hide its lines: those of larger ones take
hundreds of megabytes."""


def _outline_of(shape: Any, parity: tuple[int, ...]) -> tuple[Part, int]:
    """The outline of a shape about the origin, or half a voxel beside it, and how many voxels it has."""
    from ..voxel.edit.dabs import touched
    from ..voxel.edit.outline import faces, outline
    from ..voxel.edit.shapes import Placement

    key = shape.kind, shape.half, shape.face, shape.falloff, shape.stamp.shape, shape.stamp.tobytes(), parity
    if key not in _outlines:
        found = touched(Placement(shape, (parity[0], parity[1], parity[2])))
        masks = faces(found) if max(shape.half) <= _MAX_MASKED else None
        _outlines[key] = Part(hash(key), outline(found), faces=masks), found.count
        while len(_outlines) > _MAX_OUTLINES:
            _outlines.pop(next(iter(_outlines)))
    return _outlines[key]
