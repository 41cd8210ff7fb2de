# SPDX-License-Identifier: GPL-3.0-or-later
"""The decals of scenes: empties, each of which projects an image onto all worlds in its box.

They are gathered when they are first asked for, and again after anything of them has changed.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
from numpy.typing import NDArray

from ..gpu_backend.decal_images import DecalImage
from ..gpu_backend.decals import Decal, Decals, flat_boxes, listed, no_extent
from ..gpu_backend.records import DecalLayer
from ..voxel.errors import VoxelwrightError
from . import decal_pixels
from .decal_properties import change_listeners
from .guarding import guarded
from .properties import of_object

if TYPE_CHECKING:
    from ..voxel.mesh.decal_patches import PatchBox

_MAX_WORLDS = 64
_EVERY_LAYER = sum(DecalLayer)


@dataclass(frozen=True)
class Gathered:
    """Decals in Blender's world space, and what is wrong with others, in sentences."""

    decals: Decals
    problems: tuple[str, ...]
    _in_worlds: dict[bytes, Decals] = field(default_factory=dict)

    def in_world(self, matrix: NDArray[np.float64]) -> Decals | None:
        """The decals in the voxel space of a world that matrix (4, 4) places; None where there are none. The same
        object as long as nothing changes."""
        if not len(self.decals):
            return None
        key = matrix.tobytes()
        if key not in self._in_worlds:
            if len(self._in_worlds) >= _MAX_WORLDS:
                self._in_worlds.clear()
            self._in_worlds[key] = self.decals.seen_from(matrix)
        return self._in_worlds[key]


_gathered: dict[Hashable, Gathered] = {}
"""By what a viewport shows."""


def is_decal(owner: bpy.types.Object | None) -> bool:
    return owner is not None and owner.type == "EMPTY" and of_object(owner).decal.is_decal


def decals_in(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """All decals of a scene, in the order in which they are laid on."""
    found = [owner for owner in scene.objects if is_decal(owner)]
    return sorted(found, key=lambda owner: (of_object(owner).decal.order, owner.name))


def shown_decals(context: bpy.types.Context) -> Gathered:
    """Those that the context's 3D viewport shows."""
    space: Any = context.space_data
    local = space.local_view is not None
    key = (
        context.scene.session_uid,
        context.view_layer.name,
        space.as_pointer() if local else 0,
        space.show_object_viewport_empty,
    )
    if not all(_is_version(*item) for item in _versions.items()):
        _forget_all()
    if key not in _gathered:
        _gathered[key] = gather([owner for owner in decals_in(context.scene) if _is_visible(owner, context)])
    return _gathered[key]


def gather(owners: list[bpy.types.Object]) -> Gathered:
    """These objects' decals, in that order."""
    read = [_known.get(owner.session_uid) or _read(owner) for owner in owners]
    boxes = np.array([one.decal.from_box for one in read], np.float64).reshape(-1, 4, 4)
    is_flat = flat_boxes(boxes).tolist()
    flat = [one.decal.name for one, flat in zip(read, is_flat, strict=True) if flat]
    failed: dict[str, list[str]] = {}
    for one in read:
        for sentence in one.problems:
            failed.setdefault(sentence, []).append(one.decal.name)
    problems = [f"{sentence} Without it: {listed(names)}." for sentence, names in failed.items()]
    decal_pixels.keep_only(image for image in bpy.data.images if image.name in _versions)
    decals = Decals.of(one.decal for one, flat in zip(read, is_flat, strict=True) if not flat)
    return Gathered(decals, ((no_extent(flat),) if flat else ()) + tuple(problems))


def baked_boxes(
    scene: bpy.types.Scene, world_owner: bpy.types.Object
) -> "tuple[list[PatchBox], list[bpy.types.Object]]":
    """The boxes of the scene's decals in the voxel space of an object's world, and whose they are: of those that are
    visible and show anything, in the order in which they are laid on."""
    from ..voxel.mesh.decal_patches import ANY_COSINE, PatchBox

    owners = [owner for owner in decals_in(scene) if owner.visible_get()]
    gathered, to_world = gather(owners).decals, np.array(world_owner.matrix_world, np.float64)
    if not len(gathered.items) or not np.linalg.det(to_world):
        return [], []
    shown = gathered.seen_from(to_world)
    boxes = [
        PatchBox(
            to_box,
            np.cos(item.max_angle) if item.max_angle < np.pi else ANY_COSINE,
            bool(item.layers & DecalLayer.BLOCKY),
            bool(item.layers & DecalLayer.SMOOTH),
        )
        for item, to_box in zip(shown.items, shown.to_box, strict=True)
    ]
    owner_of = {_known[owner.session_uid].decal: owner for owner in owners}
    return boxes, [owner_of[item] for item in shown.items]


def box_of(owner: bpy.types.Object) -> NDArray[np.float64]:
    """(4, 4) float64: from a decal's box to Blender's world space. The display size counts, as the box is drawn."""
    matrix = np.array(owner.matrix_world, np.float64)
    matrix[:, :3] *= owner.empty_display_size
    return matrix


class _Read(NamedTuple):
    """An object's decal, and what is wrong with its images, in sentences."""

    decal: Decal
    problems: tuple[str, ...]


_known: dict[int, _Read] = {}
"""By the object's session uid: what was read since it changed last."""

_versions: dict[str, Hashable] = {}
"""Of the images that they have, by name."""


def _read(owner: bpy.types.Object) -> _Read:
    settings = of_object(owner).decal
    problems: list[str] = []
    layers = sum(DecalLayer[name] for name in settings.layers)
    decal = Decal(
        owner.name,
        box_of(owner),
        _image(settings.image, problems, is_normal_map=False),
        _image(settings.normal_map, problems, is_normal_map=True),
        tuple(settings.tint),
        settings.color_mix,
        settings.normal_mix,
        settings.upper_fade,
        settings.lower_fade,
        settings.distance_begin,
        settings.distance_length,
        settings.max_angle,
        **({} if layers == _EVERY_LAYER else {"layers": layers}),
    )
    _known[owner.session_uid] = _Read(decal, tuple(problems))
    return _known[owner.session_uid]


def _image(image: bpy.types.Image | None, problems: list[str], *, is_normal_map: bool) -> DecalImage | None:
    """Its pixels; None, with a sentence among the problems, where it has none."""
    if image is None:
        return None
    if image.name not in _versions:
        _versions[image.name] = decal_pixels.version_of(image)
    try:
        return decal_pixels.decal_image(image, _versions[image.name], is_normal_map=is_normal_map)
    except VoxelwrightError as error:
        problems.append(str(error))
        return None


def _is_visible(owner: bpy.types.Object, context: bpy.types.Context) -> bool:
    space: Any = context.space_data
    return owner.visible_get(view_layer=context.view_layer, viewport=space)


def _is_version(name: str, version: Hashable) -> bool:
    image: bpy.types.Image | None = bpy.data.images.get(name)
    return image is not None and decal_pixels.version_of(image) == version


def _forget_all() -> None:
    """Read all anew when they are asked for."""
    _gathered.clear()
    _known.clear()
    _versions.clear()


def _forget(owner: bpy.types.ID) -> None:
    _gathered.clear()
    _known.pop(owner.session_uid, None)


def _after_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Forget what may have changed. Selecting, hiding and deleting change scenes."""
    for update in depsgraph.updates if _gathered or _known else ():
        changed = update.id.original
        if isinstance(changed, bpy.types.Object):
            if is_decal(changed):
                _forget(changed)
        elif isinstance(changed, bpy.types.Scene | bpy.types.Collection):
            _gathered.clear()


change_listeners.append(_forget)

HANDLERS = {
    "depsgraph_update_post": guarded(_after_update, 2),
    "frame_change_post": guarded(_forget_all),
    "undo_post": guarded(_forget_all),
    "redo_post": guarded(_forget_all),
    "load_post": guarded(_forget_all),
}
"""Our handlers by the name of their list in bpy.app.handlers."""
