# SPDX-License-Identifier: GPL-3.0-or-later
"""The decals of scenes: empties, each of which projects an image onto all worlds in its box.

They are gathered when they are first asked for, and again after anything of them has changed.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..gpu_backend.decals import Decal, Decals, flat_boxes, listed, no_extent
from ..gpu_backend.records import DecalLayer
from ..voxel.errors import VoxelwrightError
from . import decal_pixels
from .decal_properties import VOXELWRIGHT_PG_decal, change_listeners
from .guarding import guarded
from .properties import of_object

if TYPE_CHECKING:
    from ..voxel.mesh.decal_patches import PatchBox

_MAX_WORLDS = 64
_EVERY_LAYER = sum(DecalLayer)


@dataclass(frozen=True)
class Gathered:
    """Decals in Blender's world space, what is wrong with others, in sentences, and the versions of the images by their
    names."""

    decals: Decals
    problems: tuple[str, ...]
    versions: dict[str, Hashable]
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
    known = _gathered.get(key)
    if known is None or not all(_is_version(*item) for item in known.versions.items()):
        known = _gathered[key] = gather([o for o in decals_in(context.scene) if _is_visible(o, context)])
    return known


def gather(owners: list[bpy.types.Object]) -> Gathered:
    """These objects' decals, in that order."""
    boxes = np.array([box_of(owner) for owner in owners]).reshape(-1, 4, 4)
    flat = flat_boxes(boxes)
    problems = (
        [no_extent([o.name for o, is_flat in zip(owners, flat.tolist(), strict=True) if is_flat])] if any(flat) else []
    )
    images = _Images()
    items = [
        _decal(owner, box, images)
        for owner, box, is_flat in zip(owners, boxes, flat.tolist(), strict=True)
        if not is_flat
    ]
    decal_pixels.keep_only(images.uids)
    return Gathered(Decals.of(items), (*problems, *images.sentences()), images.versions)


def baked_boxes(
    scene: bpy.types.Scene, world_owner: bpy.types.Object
) -> "tuple[list[PatchBox], list[bpy.types.Object]]":
    """The boxes of the scene's decals in the voxel space of an object's world, and whose they are: of those that are
    visible and show anything, in the order in which they are laid on."""
    from ..voxel.mesh.decal_patches import ANY_COSINE, PatchBox

    owners = [owner for owner in decals_in(scene) if owner.visible_get()]
    by_name = {owner.name: owner for owner in owners}
    shown = gather(owners).decals.seen_from(np.array(world_owner.matrix_world, np.float64))
    boxes = [
        PatchBox(
            to_box,
            np.cos(item.max_angle) if item.max_angle < np.pi else ANY_COSINE,
            bool(item.layers & DecalLayer.BLOCKY),
            bool(item.layers & DecalLayer.SMOOTH),
        )
        for item, to_box in zip(shown.items, shown.to_box, strict=True)
    ]
    return boxes, [by_name[item.name] for item in shown.items]


def box_of(owner: bpy.types.Object) -> NDArray[np.float64]:
    """(4, 4) float64: from a decal's box to Blender's world space. The display size counts, as the box is drawn."""
    matrix = np.array(owner.matrix_world, np.float64)
    matrix[:, :3] *= owner.empty_display_size
    return matrix


class _Images:
    """Images as decals ask for them, each read once."""

    def __init__(self) -> None:
        self.versions: dict[str, Hashable] = {}
        self.uids: set[int] = set()
        self._read: dict[tuple[int, bool], Any] = {}
        self._failed: dict[str, list[str]] = {}

    def get(self, image: bpy.types.Image | None, decal: str, *, is_normal_map: bool) -> Any:
        if image is None:
            return None
        key = image.session_uid, is_normal_map
        if key not in self._read:
            self.uids.add(image.session_uid)
            self.versions[image.name] = decal_pixels.version_of(image)
            try:
                self._read[key] = decal_pixels.decal_image(image, is_normal_map=is_normal_map)
            except VoxelwrightError as error:
                self._read[key] = str(error)
        if isinstance(self._read[key], str):
            self._failed.setdefault(self._read[key], []).append(decal)
            return None
        return self._read[key]

    def sentences(self) -> list[str]:
        return [f"{sentence} Without it: {listed(names)}." for sentence, names in self._failed.items()]


def _decal(owner: bpy.types.Object, box: NDArray[np.float64], images: _Images) -> Decal:
    settings: VOXELWRIGHT_PG_decal = of_object(owner).decal
    layers = sum(DecalLayer[name] for name in settings.layers)
    return Decal(
        owner.name,
        box,
        images.get(settings.image, owner.name, is_normal_map=False),
        images.get(settings.normal_map, owner.name, is_normal_map=True),
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


def _is_visible(owner: bpy.types.Object, context: bpy.types.Context) -> bool:
    space: Any = context.space_data
    return owner.visible_get(view_layer=context.view_layer, viewport=space)


def _is_version(name: str, version: Hashable) -> bool:
    image: bpy.types.Image | None = bpy.data.images.get(name)
    return image is not None and decal_pixels.version_of(image) == version


def _forget() -> None:
    _gathered.clear()


def _after_update(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Forget what was gathered where anything may have changed of it. Selecting, hiding and deleting change scenes."""
    if _gathered and any(_concerns_decals(update.id.original) for update in depsgraph.updates):
        _forget()


def _concerns_decals(changed: bpy.types.ID) -> bool:
    if isinstance(changed, bpy.types.Object):
        return is_decal(changed)
    return isinstance(changed, bpy.types.Scene | bpy.types.Collection)


change_listeners.append(_forget)

HANDLERS = {
    "depsgraph_update_post": guarded(_after_update, 2),
    "frame_change_post": guarded(_forget),
    "undo_post": guarded(_forget),
    "redo_post": guarded(_forget),
    "load_post": guarded(_forget),
}
"""Our handlers by the name of their list in bpy.app.handlers."""
