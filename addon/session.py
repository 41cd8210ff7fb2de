# SPDX-License-Identifier: GPL-3.0-or-later
"""Which world belongs to which object; undo and saving.

A world lives in memory, with the journal of its edits, under the id that its empty carries. Blender's own undo sees
only an int property, the revision: the name of the world's state. After each undo or redo the journal is walked to
the revision that Blender restored. No reference to an object is kept: undo replaces them all.

While a file is saved, each world's bytes stand in a property of a text data-block that its empty refers to; those that
are in memory too are taken off again afterwards, because undo copies everything that Blender holds.

A duplicated empty shares the world until one of the two is changed or baked; then that one gets a world of its own.
"""

import uuid
from collections.abc import Iterable

import bpy

from ..voxel.errors import VoxelwrightError
from ..voxel.jobs import finish
from ..voxel.storage import Loaded, world_from_bytes
from ..voxel.world import Edit, World, content
from . import blend_storage, journal_files, preferences
from .guarding import guarded
from .history import Frame, History
from .properties import of_object
from .recorder import Recorder, folder, snapshot_of


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


_entries: dict[str, History] = {}
_stored: dict[str, tuple[int, bytes]] = {}
"""Worlds of the open file that nobody has asked for yet, as they came from the file: revision and bytes."""

_undone: set[str] = set()
"""Worlds whose creation is undone: Blender can only reach them by redo, until something new is done."""

_problems: dict[str, str] = {}
"""What could not be loaded or saved, a sentence by world id, for the panel."""

recorder = Recorder()


def problem_of(owner: bpy.types.Object) -> str:
    """A sentence about what went wrong with this object's world, or ""."""
    return _problems.get(of_object(owner).world_id, "") or recorder.problem


def world_id(owner: bpy.types.Object) -> str:
    """The id of the world that the object carries, or ""."""
    return of_object(owner).world_id


def is_world(owner: bpy.types.Object | None) -> bool:
    """Whether the object carries a world."""
    # Asked first, as it takes a part of the time: scenes may have many thousand objects.
    return owner is not None and owner.type == "EMPTY" and bool(of_object(owner).world_id)


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
    _entries[of_object(owner).world_id] = History(World())
    commit(owner, content(world))
    # Not view_layer.objects: that has gaps where something was just deleted.
    for other in context.selected_objects:
        other.select_set(False)
    owner.select_set(True)
    context.view_layer.objects.active = owner
    return owner


def world_of(owner: bpy.types.Object) -> World:
    """The object's world as it is seen, loaded where it has not been; something else may be shown over it.

    Raises VoxelwrightError where the file does not hold it.
    """
    return _entry_of(owner).world


def own_world_of(owner: bpy.types.Object) -> World:
    """The object's world without what is shown over it, which is what edits are made from. Do not change it."""
    return _entry_of(owner).own_world()


def frame_of(owner: bpy.types.Object) -> Frame | None:
    """The frame of an animation that is shown of the object's world."""
    entry = _entries.get(of_object(owner).world_id)
    return entry.frame if entry is not None else None


def show(owner: bpy.types.Object, edit: Edit, frame: Frame | None = None) -> None:
    """Show something else over the object's world, by the edit from world_of() to it: a frame of an animation, or what
    a tool is about to do. It goes before any edit, undo or save."""
    _entry_of(owner).show(edit, frame)


def uncover(owner: bpy.types.Object) -> None:
    """Show the object's world itself."""
    _entry_of(owner).uncover()


def is_covered(owner: bpy.types.Object) -> bool:
    """Whether a tool shows over the object's world what it is about to do."""
    entry = _entries.get(of_object(owner).world_id)
    return entry is not None and bool(entry.covered) and entry.frame is None


def is_lost(owner: bpy.types.Object) -> bool:
    """Whether it is known that the object's world cannot be loaded."""
    world_id = of_object(owner).world_id
    return world_id in _problems and world_id not in _entries and world_id not in _stored


def loaded_ids() -> set[str]:
    """The ids of the worlds in memory."""
    return set(_entries)


def loaded_world(owner: bpy.types.Object) -> World | None:
    """The object's world where it is in memory already; never loads, so that a panel may ask."""
    entry = _entries.get(of_object(owner).world_id)
    return entry.world if entry is not None else None


def commit(owner: bpy.types.Object, edit: Edit) -> None:
    """Apply an edit, made from own_world_of(), to the object's world and put it on the journal.

    What is shown over the world goes. The caller's operator pushes the undo step.

    Raises VoxelwrightError, with nothing changed, where the object is linked from another file.
    """
    check_editable(owner)
    make_single(owner)
    world_id, entry = of_object(owner).world_id, _entry_of(owner)
    if edit:
        recorder.know(world_id, entry)
        if entry.commit(edit, preferences.choices().undo_mib << 20):
            _say_once_that_steps_are_forgotten()
        recorder.edited(world_id, entry.applied[-1])
        recorder.shorten(_entries)
    of_object(owner).revision = entry.revision
    # Something new is done: what was undone before cannot be redone any more.
    for undone in _undone - _carried():
        _entries.pop(undone, None)
    _undone.clear()


def check_editable(owner: bpy.types.Object) -> None:
    """Raise VoxelwrightError where the object, and so its world, is linked from another file, be it overridden: what is
    changed would be gone when this file is opened again."""
    if _is_linked(owner):
        raise VoxelwrightError(f'"{owner.name}" is linked from another file; make it local before you change it.')


def _is_linked(owner: bpy.types.Object) -> bool:
    return owner.library is not None or owner.override_library is not None


def make_single(owner: bpy.types.Object) -> None:
    """Give the object a world of its own where another object carries the same one."""
    group = of_object(owner)
    others = (other for other in bpy.data.objects if other != owner)
    if _is_linked(owner) or all(of_object(other).world_id != group.world_id for other in others):
        return
    world = World()
    world.apply(content(own_world_of(owner)))
    group.world_id, group.storage = uuid.uuid4().hex, None
    _entries[group.world_id] = History(world, first=group.revision)
    recorder.know(group.world_id, _entries[group.world_id])


def replace_world(owner: bpy.types.Object, world: World) -> None:
    """Give the object another world, with this content, where its own cannot be loaded."""
    group = of_object(owner)
    group.world_id, group.storage = uuid.uuid4().hex, None
    _entries[group.world_id] = History(World())
    commit(owner, content(world))


def _say_once_that_steps_are_forgotten() -> None:
    if not _forgotten:
        _forgotten.append(True)
        print(
            "Voxelwright has forgotten the oldest steps of undo, which took more memory than the preferences allow; "
            "raise Undo Memory there for more."
        )


_forgotten: list[bool] = []


def _entry_of(owner: bpy.types.Object) -> History:
    group = of_object(owner)
    if group.world_id in _entries:
        return _entries[group.world_id]
    data = _stored[group.world_id][1] if group.world_id in _stored else blend_storage.get(group)
    try:
        loaded = world_from_bytes(data) if data is not None else _from_journals(owner)
    except VoxelwrightError as error:
        _problems[group.world_id] = str(error)
        raise
    if loaded.damaged:
        _problems[group.world_id] = loaded.damage
    entry = _entries[group.world_id] = History(loaded.world, first=group.revision)
    if data is None:
        recorder.know(group.world_id, entry)
    elif not loaded.damaged:
        entry.saved = group.revision, data
    _stored.pop(group.world_id, None)
    return entry


def _from_journals(owner: bpy.types.Object) -> Loaded:
    """A world whose bytes the file does not hold: Blender saves some files by itself and says so to nobody. Raises
    VoxelwrightError where no journal has it either."""
    group = of_object(owner)
    found = journal_files.find(folder(), group.world_id, group.revision)
    if found is None:
        raise VoxelwrightError(f'The voxels of "{owner.name}" are not in this file; open an older save or a backup.')
    return finish(found.loading())


# --- Handlers ------------------------------------------------------------------------------------------------------


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
        group = of_object(owner)
        entry = _entries.get(group.world_id)
        if entry is None:
            continue
        recorder.walked(group.world_id, entry.walk_to(group.revision))
        if owner.library is None and group.revision != entry.revision:
            group.revision = entry.revision  # forgotten; whatever Blender saves by itself shall find what there is


def _after_load() -> None:
    for store in (_entries, _stored, _undone, _problems):
        store.clear()
    _take_bytes()
    # What was left open may still be asked for, by a file that Blender saved by itself.
    recorder.begin(_snapshots(bpy.data.objects), keep=True)


def _snapshots(owners: Iterable[bpy.types.Object]) -> Iterable[journal_files.Snapshot]:
    """The worlds of the open file, once each, where their bytes are at hand or can be made."""
    seen: set[str] = set()
    for owner in owners:
        group = of_object(owner)
        if not group.world_id or group.world_id in seen or owner.library is not None:
            continue
        seen.add(group.world_id)
        if group.world_id in _entries:
            yield snapshot_of(group.world_id, _entries[group.world_id])
        elif group.world_id in _stored:
            yield group.world_id, *_stored[group.world_id]


def _after_import() -> None:
    """Worlds that came with appended or pasted objects: one that this file has already, under the same id, is another
    state of it and becomes a world of its own."""
    known = {world_id: revision for world_id, (revision, _) in _stored.items()}
    known.update((world_id, entry.revision) for world_id, entry in _entries.items())
    for owner in bpy.data.objects:
        group = of_object(owner)
        if owner.library is not None or group.world_id not in known:
            continue
        if blend_storage.get(group) is not None:
            group.world_id = uuid.uuid4().hex
        elif group.revision != known[group.world_id]:
            _separate(owner)
    _take_bytes()


def _separate(owner: bpy.types.Object) -> None:
    """Give a pasted object the world as it was when the object was copied, which has gone on since."""
    group = of_object(owner)
    try:
        entry = History(_from_journals(owner).world, first=group.revision)
    except VoxelwrightError:
        entry = None  # which is told once somebody asks for the world
    group.world_id, group.storage = uuid.uuid4().hex, None
    if entry is not None:
        _entries[group.world_id] = entry
        recorder.know(group.world_id, entry)


def _take_bytes() -> None:
    for owner in bpy.data.objects:
        data = blend_storage.get(of_object(owner))
        if data is not None:
            _stored[of_object(owner).world_id] = of_object(owner).revision, data
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
    if entry is not None:
        blend_storage.put(group, owner.name, snapshot_of(group.world_id, entry)[2])
    elif group.world_id in _stored:  # else it is still in the storage, or lost before
        blend_storage.put(group, owner.name, _stored[group.world_id][1])


def _after_save(path: str) -> None:
    _drop_bytes()
    if path and path == bpy.data.filepath:  # else a copy or the startup file: the open one stays unsaved
        recorder.begin(_snapshots(bpy.data.objects), keep=bool(_problems))


def _drop_bytes() -> None:
    """Take the bytes off the storages of all worlds that are in memory."""
    for owner in bpy.data.objects:
        group = of_object(owner)
        if group.world_id in _entries or group.world_id in _stored:
            blend_storage.take_off(group)


HANDLERS = {
    "undo_pre": guarded(_before_undo),
    "undo_post": guarded(_after_undo),
    "redo_post": guarded(_after_undo),
    "load_post": guarded(_after_load),
    "blend_import_post": guarded(_after_import),
    "save_pre": guarded(_before_save),
    "save_post": guarded(_after_save, 1),
    "save_post_fail": guarded(_drop_bytes),
}
"""Our handlers by the name of their list in bpy.app.handlers."""


def put_away() -> None:
    """When the extension is disabled: leave all worlds in their storage, from where they load when it is enabled
    again, and forget them here."""
    _before_save()
    recorder.close(keep=True)
    for store in (_entries, _stored, _undone, _problems):
        store.clear()
