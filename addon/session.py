# SPDX-License-Identifier: GPL-3.0-or-later
"""Which world belongs to which object; undo and saving.

A world lives in memory, with the journal of its edits, under the id that its empty carries. Blender's own undo sees
only an int property, the revision: the number of edits in effect. After each undo or redo the journal is walked to
the revision that Blender restored. No reference to an object is kept: undo replaces them all.

While a file is saved, each world's bytes stand in a property of a text data-block that its empty refers to; they are
taken off again afterwards, because undo copies everything that Blender holds.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy

from ..voxel.errors import VoxelwrightError
from ..voxel.storage import world_from_bytes, world_to_bytes
from ..voxel.world import Edit, World, content
from .properties import of_object

_BYTES_KEY = "voxelwright_world"
_MAX_STORED_BYTES = (1 << 31) - 1
"""Blender aborts on a larger property."""


@dataclass
class _Entry:
    """A world in memory, and how it came to be what it is since it was loaded, at the revision first."""

    world: World
    first: int = 0
    journal: list[Edit] = field(default_factory=list)
    n_applied: int = 0
    """journal[:n_applied] are the edits in effect, the rest can be redone."""

    @property
    def revision(self) -> int:
        return self.first + self.n_applied

    def commit(self, edit: Edit) -> None:
        self.world.apply(edit)
        del self.journal[self.n_applied :]
        self.journal.append(edit)
        self.n_applied += 1

    def walk_to(self, revision: int) -> None:
        n_applied = min(max(revision - self.first, 0), len(self.journal))
        while self.n_applied > n_applied:
            self.world.apply(self.journal[self.n_applied - 1].inverse())
            self.n_applied -= 1
        while self.n_applied < n_applied:
            self.world.apply(self.journal[self.n_applied])
            self.n_applied += 1


_entries: dict[str, _Entry] = {}
_stored: dict[str, bytes] = {}
"""Worlds of the open file that nobody has asked for yet, as they came from the file."""

_problems: dict[str, str] = {}
"""What could not be loaded or saved, a sentence by world id, for the panel."""


def problem_of(owner: bpy.types.Object) -> str:
    """A sentence about what went wrong with this object's world, or ""."""
    return _problems.get(of_object(owner).world_id, "")


def world_id(owner: bpy.types.Object) -> str:
    """The id of the world that the object carries, or ""."""
    return of_object(owner).world_id


def is_world(owner: bpy.types.Object | None) -> bool:
    """Whether the object carries a world."""
    return owner is not None and bool(of_object(owner).world_id)


def active_world_object(context: bpy.types.Context) -> bpy.types.Object | None:
    """The object whose world the user means: the active object, the nearest of its parents that carries one, or else
    the scene's only world."""
    candidate = context.active_object
    while candidate is not None and not is_world(candidate):
        candidate = candidate.parent
    if candidate is None:
        owners = [o for o in context.scene.objects if is_world(o)]
        candidate = owners[0] if len(owners) == 1 else None
    return candidate


def owner_in(scene: bpy.types.Scene, world_id: str) -> bpy.types.Object:
    """The object in the scene that carries this world. Raises VoxelwrightError where it has been deleted."""
    for candidate in scene.objects:
        if of_object(candidate).world_id == world_id:
            return candidate
    raise VoxelwrightError("The world was deleted in the meantime; undo that and try again.")


def new_world_object(context: bpy.types.Context, name: str, world: World) -> bpy.types.Object:
    """A new empty at the origin of the scene that carries a world with this content, made active.

    The content becomes the first edit of the world's journal, so that undo and redo pass over its creation.
    """
    owner = bpy.data.objects.new(name, None)
    owner.empty_display_type = "ARROWS"
    owner.empty_display_size = 8.0
    of_object(owner).world_id = uuid.uuid4().hex
    of_object(owner).storage = bpy.data.texts.new(f".{name} voxels")
    context.collection.objects.link(owner)
    _entries[of_object(owner).world_id] = _Entry(World())
    commit(owner, content(world))
    for other in context.view_layer.objects:
        other.select_set(False)
    owner.select_set(True)
    context.view_layer.objects.active = owner
    return owner


def world_of(owner: bpy.types.Object) -> World:
    """The object's world, loaded where it has not been. Raises VoxelwrightError where the file does not hold it."""
    return _entry_of(owner).world


def loaded_world(owner: bpy.types.Object) -> World | None:
    """The object's world where it is in memory already; never loads, so that a panel may ask."""
    entry = _entries.get(of_object(owner).world_id)
    return entry.world if entry is not None else None


def commit(owner: bpy.types.Object, edit: Edit) -> None:
    """Apply an edit to the object's world and put it on the journal. The caller's operator pushes the undo step."""
    entry = _entry_of(owner)
    if edit:
        entry.commit(edit)
    for other in _owners(of_object(owner).world_id):
        of_object(other).revision = entry.revision


def _owners(world_id: str) -> Iterator[bpy.types.Object]:
    """All objects that carry this world: a duplicated empty shares it."""
    return (o for o in bpy.data.objects if of_object(o).world_id == world_id)


def _entry_of(owner: bpy.types.Object) -> _Entry:
    world_id = of_object(owner).world_id
    if world_id in _entries:
        return _entries[world_id]
    data = _stored.get(world_id) or _bytes_in(of_object(owner).storage)
    if data is None:
        raise VoxelwrightError(f'The voxels of "{owner.name}" are not in this file; open an older save or a backup.')
    entry = _Entry(world_from_bytes(data), first=of_object(owner).revision)
    _entries[world_id] = entry
    _stored.pop(world_id, None)
    return entry


def _bytes_in(storage: bpy.types.Text | None) -> bytes | None:
    data = storage.get(_BYTES_KEY) if storage is not None else None
    return data if isinstance(data, bytes) else None


# --- Handlers. Blender calls them; whatever goes wrong in one becomes a sentence in the panel, never an exception. ---


@bpy.app.handlers.persistent
def _after_undo(*_: object) -> None:
    for owner in bpy.data.objects:
        entry = _entries.get(of_object(owner).world_id)
        if entry is not None:
            entry.walk_to(of_object(owner).revision)


@bpy.app.handlers.persistent
def _after_load(*_: object) -> None:
    _entries.clear()
    _stored.clear()
    _problems.clear()
    for owner in bpy.data.objects:
        data = _bytes_in(of_object(owner).storage)
        if data is not None:
            _stored[of_object(owner).world_id] = data
    _drop_bytes()


@bpy.app.handlers.persistent
def _before_save(*_: object) -> None:
    for owner in bpy.data.objects:
        if is_world(owner) and owner.library is None:
            try:
                _store(owner)
                _problems.pop(of_object(owner).world_id, None)
            except Exception as error:  # a save must go on, with all other worlds
                _problems[of_object(owner).world_id] = f'The voxels of "{owner.name}" were not saved: {error}'
                print(_problems[of_object(owner).world_id])


def _store(owner: bpy.types.Object) -> None:
    group = of_object(owner)
    entry = _entries.get(group.world_id)
    data = world_to_bytes(entry.world) if entry is not None else _stored.get(group.world_id)
    if data is None:
        return
    if len(data) > _MAX_STORED_BYTES:
        raise VoxelwrightError("they take more than 2 GiB; split the world into several.")
    if group.storage is None:
        group.storage = bpy.data.texts.new(f".{owner.name} voxels")
    group.storage[_BYTES_KEY] = data


@bpy.app.handlers.persistent
def _after_save(*_: object) -> None:
    _drop_bytes()


def _drop_bytes() -> None:
    for text in bpy.data.texts:
        if text.library is None and text.get(_BYTES_KEY) is not None:
            del text[_BYTES_KEY]


HANDLERS = {
    "undo_post": _after_undo,
    "redo_post": _after_undo,
    "load_post": _after_load,
    "save_pre": _before_save,
    "save_post": _after_save,
    "save_post_fail": _after_save,
}
"""Our handlers by the name of their list in bpy.app.handlers."""


def put_away() -> None:
    """When the extension is disabled: leave all worlds in their storage, from where they load when it is enabled
    again, and forget them here."""
    _before_save()
    for store in (_entries, _stored, _problems):
        store.clear()
