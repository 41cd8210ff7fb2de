# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as voxel/edit/ takes them, made of the settings of a panel or an operator; and where they are put.

The modules with kernels are imported inside the functions, because enabling the extension must not wait for numba.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np

from ..voxel.errors import VoxelwrightError
from ..voxel.layout import AIR, CHUNK_SIZE, FACE_AXIS, FACE_NORMALS, MATERIAL_SHIFT, POS_Z
from ..voxel.limits import MAX_SCULPT_STEP
from ..voxel.world import Coord
from . import clipboard, framing, palettes, picking

if TYPE_CHECKING:
    from ..voxel.edit.actions import Action
    from ..voxel.edit.clipboard import Clip
    from ..voxel.edit.dabs import Stroke
    from ..voxel.edit.patterns import Pattern
    from ..voxel.edit.selection import Selection
    from ..voxel.edit.shapes import Shape
    from ..voxel.edit.symmetry import Symmetry
    from ..voxel.world import World

Point = tuple[float, float, float]

MOVING = frozenset({"RAISE", "LOWER", "FLATTEN", "NOISE"})
"""The actions that move surfaces in one direction."""

OPPOSITES = {"ADD": "REMOVE", "RAISE": "LOWER", "GROW": "ERODE"}
OPPOSITES.update({opposite: action for action, opposite in OPPOSITES.items()})

_STEP_RADIUS = 8.0
"""The radius up to which sculpting in full strength moves surfaces by one voxel a dab; larger brushes do more."""

_MIN_SPACING = 0.5


class Aim(NamedTuple):
    """Where a brush is put: a point in voxels, and the face there that it looks at."""

    point: Point
    face: int


def action_in_mode(action: str, mode: str) -> str:
    """What a brush does with no key, Ctrl (INVERT) or Shift (SMOOTH) held."""
    if mode == "SMOOTH":
        return "SMOOTH"
    return OPPOSITES.get(action, action) if mode == "INVERT" else action


def builds_outwards(action: str) -> bool:
    """Whether the action begins in the air before a surface, not in the surface."""
    return action == "ADD"


def follows_surface(action: str) -> bool:
    """Whether a stroke follows the surface as it changes it. Where voxels are placed it would climb towards the eye."""
    return action not in ("ADD", "REMOVE", "REPLACE", "PAINT")


def aim(owner: bpy.types.Object, ray: picking.Ray, settings: Any, action: str, locked: Aim | None = None) -> Aim | None:
    """Where the brush is put by a ray in Blender's world space; locked is the stroke's first, which it may keep to."""
    local = picking.in_voxels(owner, ray)
    if locked is not None and settings.lock != "NONE":
        axis = 2 if settings.lock == "HEIGHT" else int(FACE_AXIS[locked.face])
        point = on_plane(local, axis, locked.point[axis])
        if point is None or not is_near(owner, point):
            return None
        return Aim(_snapped(point, settings.snap), locked.face)
    found = aim_at_voxel(owner, local, outside=builds_outwards(action))
    return None if found is None else Aim(_snapped(found.point, settings.snap), found.face)


def aim_at_voxel(owner: bpy.types.Object, local: picking.Ray, *, outside: bool) -> Aim | None:
    """The voxel that a ray in voxel space meets first; outside: the one before its face. Where there is none, and
    outside, that on the ground, so that building can begin in an empty world."""
    hit = picking.hit_of(owner, local)
    if hit is None:
        ground = on_plane(local, 2, 0.0) if outside and local.origin[2] > 0 else None
        return None if ground is None or not is_near(owner, ground) else Aim((ground[0], ground[1], 0.5), POS_Z)
    voxel = np.array(hit.voxel, np.float64)
    axis = FACE_AXIS[hit.face]
    point = np.clip(hit.point, voxel, np.nextafter(voxel + 1, voxel))
    point[axis] = voxel[axis] + 0.5
    if outside:
        point += FACE_NORMALS[hit.face]
    x, y, z = point.tolist()
    return Aim((x, y, z), hit.face)


_NEAR = 512
"""Voxels beyond the world's box where planes still count: towards the horizon a pixel is thousands of voxels wide."""


def is_near(owner: bpy.types.Object, point: Point) -> bool:
    """Whether a point lies in the object's world or not far from it."""
    low, high = framing.chunk_box_of(owner) or ((0, 0, 0), (0, 0, 0))
    return all(a - _NEAR <= c <= b + _NEAR for a, c, b in zip(low, point, high, strict=True))


def on_plane(local: picking.Ray, axis: int, at: float) -> Point | None:
    """Where a ray crosses the plane across an axis."""
    along = local.direction[axis]
    distance = (at - local.origin[axis]) / along if along else -1.0
    if not 0 < distance < np.inf:
        return None
    point = local.origin + distance * local.direction
    point[axis] = at
    x, y, z = point.tolist()
    return (x, y, z)


def _snapped(point: Point, snap: int) -> Point:
    """The middle of the point's cell in a grid of cells of snap voxels."""
    if snap == 1:
        return point
    x, y, z = (float((np.floor(c / snap) + 0.5) * snap) for c in point)
    return (x, y, z)


def shape_of(settings: Any, action: str, face: int, radius: float | None = None) -> "Shape":
    """The brush's form on a face; radius where it is not the brush's own. What moves surfaces does so in columns."""
    from ..voxel.edit import shapes

    size = settings.radius if radius is None else radius
    falloff = settings.falloff.lower()
    height = max(1.0, np.floor(2 * size))
    if action in MOVING and settings.shape != "STAMP":
        column = shapes.prism if settings.shape == "CUBE" else shapes.cylinder
        return column(size, height, _moved_face(settings, face), falloff)
    match settings.shape:
        case "CUBE":
            return shapes.cube(size, falloff)
        case "CYLINDER":
            return shapes.cylinder(size, height, face, falloff)
        case "CONE":
            return shapes.cone(size, height, face, falloff)
        case "DISC":
            return shapes.disc(size, face, falloff)
        case "STAMP":
            return _stamp()
        case _:
            return shapes.sphere(size, falloff)


_stamps: "list[tuple[Clip, Shape]]" = []
"""What was copied last, and its form."""


def _stamp() -> "Shape":
    from ..voxel.edit import shapes

    clip = clipboard.clip()
    if clip is None:
        raise VoxelwrightError("There is no stamp to brush with; copy a selection, or choose another shape.")
    if not _stamps or _stamps[0][0] is not clip:
        high = (clip.high[0] + 1, clip.high[1] + 1, clip.high[2] + 1)
        _stamps[:] = [(clip, shapes.custom(clip.voxels.region(clip.low, high) >> MATERIAL_SHIFT != AIR))]
    return _stamps[0][1]


def is_between(settings: Any) -> bool:
    """Whether the brush's middle is a corner of voxels: brushes of whole radii are an even number of voxels wide."""
    return bool(settings.radius == np.floor(settings.radius))


def pattern_of(settings: Any, material: int, second: int, seed: int) -> "Pattern":
    """Which materials the brush places: two, by their indices in the palette, where the pattern has more than one."""
    from ..voxel.edit import patterns

    both = [material, second]
    match settings.pattern:
        case "MIX":
            if material == second:
                return patterns.only(material)
            return patterns.mix({material: 1.0 - settings.share, second: settings.share}, seed)
        case "HEIGHT":
            return patterns.by_height(both, settings.low, settings.high, seed=seed)
        case "NOISE":
            return patterns.by_noise(both, settings.wavelength, seed)
        case _:
            return patterns.only(material)


def action_of(settings: Any, owner: bpy.types.Object, first: Aim) -> "Action":
    """What an operator with a brush's settings does to the object's world. first is where the stroke begins."""
    from ..voxel.edit import actions, sculpt

    action, strength, seed = settings.action, settings.strength, settings.seed
    face = _moved_face(settings, first.face)
    step = min(strength * max(1.0, settings.radius / _STEP_RADIUS), MAX_SCULPT_STEP)
    match action:
        case "RAISE":
            return sculpt.raise_(step, face)
        case "LOWER":
            return sculpt.lower(step, face)
        case "FLATTEN":
            x, y, z = FACE_NORMALS[face].tolist()
            return sculpt.flatten(first.point, (x, y, z), step)
        case "NOISE":
            return sculpt.roughen(step, settings.wavelength, face, seed)
        case "SMOOTH":
            return sculpt.smooth(strength)
        case "GROW":
            return sculpt.grow(strength, seed)
        case "ERODE":
            return sculpt.erode(strength, seed)
        case "REMOVE":
            return actions.remove(strength, seed)
    material, second = palettes.index_of(settings.material, owner), palettes.index_of(settings.second, owner)
    pattern = pattern_of(settings, material, second, seed)
    match action:
        case "ADD":
            return actions.add(pattern, strength, seed)
        case "REPLACE":
            return actions.replace(pattern, 0, strength, seed)
        case "PAINT":
            return actions.paint(pattern, 0, strength, seed)
    raise VoxelwrightError(f"There is no action {action}.")


def _moved_face(settings: Any, face: int) -> int:
    """Where surfaces are moved to, by a stroke that begins on a face."""
    return face if settings.direction == "FACE" else POS_Z


def symmetry_of(settings: Any) -> "Symmetry":
    from ..voxel.edit.symmetry import Symmetry

    mirrors, center = tuple(settings.mirrors), tuple(settings.center)
    return Symmetry((mirrors[0], mirrors[1], mirrors[2]), settings.radial, (center[0], center[1], center[2]))


def stroke_of(
    world: "World", settings: Any, action: "Action", shape: "Shape", symmetry: "Symmetry", within: "Selection | None"
) -> "Stroke":
    """A stroke with the brush's settings."""
    from ..voxel.edit.dabs import Stroke

    return Stroke(
        world,
        action,
        shape,
        symmetry,
        within,
        spacing=max(_MIN_SPACING, settings.spacing * settings.radius),
        accumulate=settings.accumulate,
        between=is_between(settings),
    )


JUMP_RADII, JUMP_VOXELS = 4.0, CHUNK_SIZE / 4
"""Two points of a stroke that are further apart than so many radii and voxels more lie on different surfaces."""


def is_jump(one: Point, other: Point, radius: float) -> bool:
    """Whether a stroke shall not go straight from one point to another."""
    return float(np.linalg.norm(np.subtract(one, other))) > JUMP_RADII * radius + JUMP_VOXELS


def voxel_of(point: Point) -> Coord:
    """The voxel that holds a point."""
    x, y, z = (int(np.floor(c)) for c in point)
    return (x, y, z)
