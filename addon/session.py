# SPDX-License-Identifier: GPL-3.0-or-later
"""Which world belongs to which object; undo and saving.

A world lives in memory, with the journal of its edits, under the id that its empty carries. Blender's own undo sees
only an int property, the revision: the number of edits in effect. After each undo or redo the journal is walked to
the revision that Blender restored. No reference to an object is kept: undo replaces them all.

While a file is saved, each world's bytes stand in a property of a text data-block that its empty refers to; those that
are in memory too are taken off again afterwards, because undo copies everything that Blender holds.

A duplicated empty shares the world until one of the two is changed or baked; then that one gets a world of its own.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy

from ..voxel.errors import VoxelwrightError
from ..voxel.storage import world_from_bytes, world_to_bytes
from ..voxel.world import Chunk, Coord, Edit, World, content, edit_of_chunks, same_chunk
from .properties import of_object

_BYTES_KEY = "voxelwright_world"
_MAX_STORED_BYTES = (1 << 31) - 1
"""Blender aborts on a larger property."""


class Frame(NamedTuple):
    """A frame of an animation: its phase, and whether it lacks what takes long."""

    phase: float
    reduced: bool


@dataclass
class _Entry:
    """A world in memory, and how it came to be what it is since it was loaded, at the revision first."""

    world: World
    first: int = 0
    journal: list[Edit] = field(default_factory=list)
    n_applied: int = 0
    """journal[:n_applied] are the edits in effect, the rest can be redone."""

    covered: dict[Coord, Chunk] = field(default_factory=dict)
    """The world's own chunks where a frame of an animation is shown over them."""

    frame: Frame | None = None
    """The frame that is shown."""

    @property
    def revision(self) -> int:
        return self.first + self.n_applied

    def show(self, frame: Frame, edit: Edit) -> None:
        """Show a frame, by the edit from what is seen to it. It is neither undone nor saved."""
        self.world.apply(edit)
        self.frame = frame
        for delta in edit.deltas:
            own = self.covered.pop(delta.coord, delta.before)
            if not same_chunk(own, delta.after):
                self.covered[delta.coord] = own

    def uncover(self) -> None:
        """Show no frame."""
        if self.covered:
            self.world.apply(edit_of_chunks(self.world, self.covered))
            self.covered.clear()
        self.frame = None

    def own_world(self) -> World:
        """The world without a frame of an animation; a copy where one is shown."""
        if not self.covered:
            return self.world
        copy = World()
        copy.apply(content(self.world))
        copy.apply(edit_of_chunks(copy, self.covered))
        return copy

    def commit(self, edit: Edit) -> None:
        self.uncover()
        self.world.apply(edit)
        del self.journal[self.n_applied :]
        self.journal.append(edit)
        self.n_applied += 1

    def walk_to(self, revision: int) -> None:
        self.uncover()
        n_applied = min(max(revision - self.first, 0), len(self.journal))
        while self.n_applied > n_applied:
            self.world.apply(self.journal[self.n_applied - 1].inverse())
            self.n_applied -= 1
        while self.n_applied < n_applied:
            self.world.apply(self.journal[self.n_applied])
            self.n_applied += 1


class Target:
    """The object that a job was started for, by what survives undo: its name and its world."""

    def __init__(self, owner: bpy.types.Object) -> None:
        self._name, self._world_id = owner.name, world_id(owner)

    def owner(self, scene: bpy.types.Scene) -> bpy.types.Object:
        """The object. Raises VoxelwrightError where it is no longer in the scene."""
        owner: bpy.types.Object | None = scene.objects.get(self._name)
        if owner is None or world_id(owner) != self._world_id:
            raise VoxelwrightError(f'"{self._name}" is no longer in the scene; undo that and try again.')
        return owner


_entries: dict[str, _Entry] = {}
_stored: dict[str, bytes] = {}
"""Worlds of the open file that nobody has asked for yet, as they came from the file."""

_undone: set[str] = set()
"""Worlds whose creation is undone: Blender can only reach them by redo, until something new is done."""

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
    # Not view_layer.objects: that has gaps where something was just deleted.
    for other in context.selected_objects:
        other.select_set(False)
    owner.select_set(True)
    context.view_layer.objects.active = owner
    return owner


def world_of(owner: bpy.types.Object) -> World:
    """The object's world as it is seen, loaded where it has not been; a frame of its animation may be in it.

    Raises VoxelwrightError where the file does not hold it.
    """
    return _entry_of(owner).world


def own_world_of(owner: bpy.types.Object) -> World:
    """The object's world without any frame of its animation, which is what edits are made from. Do not change it."""
    return _entry_of(owner).own_world()


def frame_of(owner: bpy.types.Object) -> Frame | None:
    """The frame of an animation that is shown of the object's world."""
    entry = _entries.get(of_object(owner).world_id)
    return entry.frame if entry is not None else None


def show_frame(owner: bpy.types.Object, frame: Frame | None, edit: Edit | None) -> None:
    """Show a frame of an animation, by the edit from world_of() to it; or, with None, none."""
    entry = _entry_of(owner)
    if frame is None or edit is None:
        entry.uncover()
    else:
        entry.show(frame, edit)


def loaded_ids() -> set[str]:
    """The ids of the worlds in memory."""
    return set(_entries)


def loaded_world(owner: bpy.types.Object) -> World | None:
    """The object's world where it is in memory already; never loads, so that a panel may ask."""
    entry = _entries.get(of_object(owner).world_id)
    return entry.world if entry is not None else None


def commit(owner: bpy.types.Object, edit: Edit) -> None:
    """Apply an edit, made from own_world_of(), to the object's world and put it on the journal.

    A frame of an animation that is shown goes. The caller's operator pushes the undo step.

    Raises VoxelwrightError, with nothing changed, where the object is linked from another file.
    """
    if owner.library is not None:
        raise VoxelwrightError(f'"{owner.name}" is linked from another file; make it local before you change it.')
    make_single(owner)
    entry = _entry_of(owner)
    if edit:
        entry.commit(edit)
    of_object(owner).revision = entry.revision
    # Something new is done: what was undone before cannot be redone any more.
    for world_id in _undone - _carried():
        _entries.pop(world_id, None)
    _undone.clear()


def make_single(owner: bpy.types.Object) -> None:
    """Give the object a world of its own where another object carries the same one."""
    group = of_object(owner)
    others = (other for other in bpy.data.objects if other != owner)
    if owner.library is not None or all(of_object(other).world_id != group.world_id for other in others):
        return
    world = World()
    world.apply(content(own_world_of(owner)))
    group.world_id, group.storage = uuid.uuid4().hex, None
    _entries[group.world_id] = _Entry(world, first=group.revision)


def _entry_of(owner: bpy.types.Object) -> _Entry:
    world_id = of_object(owner).world_id
    if world_id in _entries:
        return _entries[world_id]
    data = _stored.get(world_id) or _bytes_in(owner)
    try:
        if data is None:
            raise VoxelwrightError(
                f'The voxels of "{owner.name}" are not in this file; open an older save or a backup.'
            )
        loaded = world_from_bytes(data)
        if loaded.damaged:
            print(f'"{owner.name}": {loaded.damage}')
        entry = _Entry(loaded.world, first=of_object(owner).revision)
    except VoxelwrightError as error:
        _problems[world_id] = str(error)
        raise
    _entries[world_id] = entry
    _stored.pop(world_id, None)
    return entry


def _bytes_in(owner: bpy.types.Object) -> bytes | None:
    """The world's bytes that came with the object's storage from a file, where they are still there."""
    storage = of_object(owner).storage
    data = storage.get(_BYTES_KEY) if storage is not None else None
    return data if isinstance(data, bytes) else None


# --- Handlers. Whatever goes wrong in one becomes a line on the console; Blender goes on, with the other handlers. ---


def handler(function: Callable[[], None]) -> Callable[..., None]:
    """A function as Blender calls its handlers, which never raises."""

    @bpy.app.handlers.persistent
    def guarded(*_: object) -> None:
        try:
            function()
        except Exception as error:
            print(f"Voxelwright: {function.__name__.strip('_')} failed, please report it: {error!r}")

    return guarded


def _carried() -> set[str]:
    """The ids of the worlds that objects carry."""
    return {of_object(owner).world_id for owner in bpy.data.objects}


def _before_undo() -> None:
    # A world may also be carried by none because its object was deleted, which undo takes back: only those that go
    # with this undo are undone.
    _undone.update(_carried() & _entries.keys())


def _after_undo() -> None:
    _undone.difference_update(_carried())
    for owner in bpy.data.objects:
        entry = _entries.get(of_object(owner).world_id)
        if entry is not None:
            entry.walk_to(of_object(owner).revision)


def _after_load() -> None:
    for store in (_entries, _stored, _undone, _problems):
        store.clear()
    _take_bytes()


def _after_import() -> None:
    """Worlds that came with appended objects: one that this file has already, under the same id, is another state of
    it and becomes a world of its own."""
    known = _entries.keys() | _stored.keys()
    for owner in bpy.data.objects:
        if owner.library is None and of_object(owner).world_id in known and _bytes_in(owner) is not None:
            of_object(owner).world_id = uuid.uuid4().hex
    _take_bytes()


def _take_bytes() -> None:
    for owner in bpy.data.objects:
        data = _bytes_in(owner)
        if data is not None:
            _stored[of_object(owner).world_id] = data
    _drop_bytes()


def _before_save() -> None:
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
    data = world_to_bytes(entry.own_world()) if entry is not None else _stored.get(group.world_id)
    if data is None:
        return  # still in the storage, or lost before
    if len(data) > _MAX_STORED_BYTES:
        raise VoxelwrightError("they take more than 2 GiB; split the world into several.")
    if group.storage is None:
        group.storage = bpy.data.texts.new(f".{owner.name} voxels")
    # Bytes that are put in place of others end at their first zero (Blender 5.2).
    group.storage.pop(_BYTES_KEY, None)
    group.storage[_BYTES_KEY] = data


def _drop_bytes() -> None:
    """Take the bytes off the storages of all worlds that are in memory."""
    for owner in bpy.data.objects:
        group = of_object(owner)
        in_memory = group.world_id in _entries or group.world_id in _stored
        if (
            in_memory
            and group.storage is not None
            and group.storage.library is None
            and group.storage.get(_BYTES_KEY) is not None
        ):
            del group.storage[_BYTES_KEY]


HANDLERS = {
    "undo_pre": handler(_before_undo),
    "undo_post": handler(_after_undo),
    "redo_post": handler(_after_undo),
    "load_post": handler(_after_load),
    "blend_import_post": handler(_after_import),
    "save_pre": handler(_before_save),
    "save_post": handler(_drop_bytes),
    "save_post_fail": handler(_drop_bytes),
}
"""Our handlers by the name of their list in bpy.app.handlers."""


def put_away() -> None:
    """When the extension is disabled: leave all worlds in their storage, from where they load when it is enabled
    again, and forget them here."""
    _before_save()
    for store in (_entries, _stored, _undone, _problems):
        store.clear()
