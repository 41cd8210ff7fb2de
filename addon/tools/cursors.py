# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tools show of what a click would touch, each a cursor.Maker."""

from typing import TYPE_CHECKING

import bpy

from ...voxel.errors import VoxelwrightError
from ...voxel.world import Coord
from .. import brushes, cursor, picking, selections, session
from ..brushes import symmetry_of
from ..properties import of_object
from ..tool_properties import of_tool, of_tools

if TYPE_CHECKING:
    from ...voxel.edit.selection import Selection
    from ...voxel.world import World

MAX_SEEN = 100_000
"""Connected voxels beyond which the cursor does not look: it must follow the mouse."""


def brush_cursor(tool: str) -> cursor.Maker:
    """The brush's outline where a dab would be."""

    def made(context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray) -> cursor.Shown | None:
        settings = of_tool(context.scene, tool)
        found = brushes.aim(owner, ray, settings, settings.action)
        if found is None:
            return None
        placement = brushes.shape_of(settings, settings.action, found.face).at(
            found.point, brushes.is_between(settings)
        )
        parts, count = cursor.brush_parts(owner, placement)
        n_images = (
            1 if selections.selection_of(owner) is not None else len(symmetry_of(of_object(owner).symmetry).images())
        )
        return parts, f"{count:,} voxels" + (f" × {n_images}" if n_images > 1 else "")

    return made


def box_cursor(context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray) -> cursor.Shown | None:
    """The voxel where a box would begin."""
    outside = brushes.builds_outwards(of_tool(context.scene, "build").action)
    shown = voxel_cursor(outside=outside)(context, owner, ray)
    return None if shown is None else ([*shown[0], *cursor.planes(owner)], shown[1])


def voxel_cursor(*, outside: bool) -> cursor.Maker:
    """The voxel under the mouse, or the one before it, and the face between the two."""

    def made(_context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray) -> cursor.Shown | None:
        found = brushes.aim_at_voxel(owner, picking.in_voxels(owner, ray), outside=outside)
        if found is None:
            return None
        voxel = brushes.voxel_of(found.point)
        return [cursor.box_part(voxel, voxel), cursor.face_part(voxel, found.face ^ outside)], ""

    return made


def region_cursor(context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray) -> cursor.Shown | None:
    """The voxels that are connected with the one under the mouse."""
    return _connected_cursor(context, owner, ray, of_tools(context.scene).fill.by.lower())


def face_cursor(context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray) -> cursor.Shown | None:
    """The connected face under the mouse."""
    return _connected_cursor(context, owner, ray, "face")


def select_cursor(context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray) -> cursor.Shown | None:
    """What the Select tool would take, as far as a click says it."""
    by = of_tools(context.scene).select.by
    if by in {"BOX", "EVERYWHERE"}:
        return voxel_cursor(outside=False)(context, owner, ray)
    return _connected_cursor(context, owner, ray, by.lower())


def _connected_cursor(
    context: bpy.types.Context, owner: bpy.types.Object, ray: picking.Ray, by: str
) -> cursor.Shown | None:
    found = brushes.aim_at_voxel(owner, picking.in_voxels(owner, ray), outside=False)
    if found is None:
        return None
    voxel = brushes.voxel_of(found.point)
    limit = of_tools(context.scene).fill.limit
    region = _region_about(owner, voxel, by, found.face)
    if region is None:
        return [cursor.box_part(voxel, voxel)], f"more than {MAX_SEEN:,} voxels"
    count, part = region
    return [part], f"{count:,} voxels" + (f", more than the limit of {limit:,}" if count > limit else "")


_Region = tuple[int, cursor.Part] | None
_seen: "list[tuple[World, tuple[int, int, str, int], Coord, Selection | None, _Region]]" = []
"""What was found last: in which state of which world, from which voxel, which voxels, and what is shown of them. The
mouse often stays there."""


def _region_about(owner: bpy.types.Object, voxel: Coord, by: str, face: int) -> _Region:
    """How many voxels are connected with one, of the selection where there is one, and their outline; None where they
    are too many to be shown."""
    from ...voxel.edit.connected import connected

    world = session.world_of(owner)
    state = world.version, selections.number_of(owner), by, face
    if _seen and _seen[0][0] is world and _seen[0][1] == state:
        _, _, start, region, shown = _seen[0]
        if voxel == start or (region is not None and voxel in region):
            return shown
    try:
        region = connected(world, voxel, by, face, MAX_SEEN)
    except VoxelwrightError:
        region, shown = None, None
    else:
        within = selections.selection_of(owner)
        seen = region if within is None else region & within
        shown = seen.count, cursor.selection_part(seen)
    _seen[:] = [(world, state, voxel, region, shown)]
    return shown
