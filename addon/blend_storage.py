# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's bytes in a .blend file: properties of a text data-block that its empty refers to.

They stand there while a file is saved, and are taken off again after that, because undo copies everything that Blender
holds. The data-block comes along where the empty is linked or appended.
"""

from collections.abc import Iterator

import bpy

from .properties import VOXELWRIGHT_PG_object

_KEY = "voxelwright_world"
MAX_PART_BYTES = 1 << 30
"""Blender aborts on a property of 2 GiB and more."""


def _keys() -> Iterator[str]:
    """The names of the parts' properties."""
    yield _KEY
    number = 1
    while True:
        yield f"{_KEY}_{number}"
        number += 1


def put(group: VOXELWRIGHT_PG_object, name: str, data: bytes) -> None:
    """Put a world's bytes into its storage, which is made where there is none, or only one in another file."""
    if group.storage is None or group.storage.library is not None:
        group.storage = bpy.data.texts.new(f".{name} voxels")
    take_off(group)
    for key, start in zip(_keys(), range(0, len(data), MAX_PART_BYTES), strict=False):
        # Only where there is no such property: bytes put in place of others end at their first zero (Blender 5.2).
        group.storage[key] = data[start : start + MAX_PART_BYTES]


def get(group: VOXELWRIGHT_PG_object) -> bytes | None:
    """The bytes in the storage, where they are there."""
    if group.storage is None:
        return None
    parts = []
    for key in _keys():
        part = group.storage.get(key)
        if not isinstance(part, bytes):
            break
        parts.append(part)
    return b"".join(parts) if parts else None


def take_off(group: VOXELWRIGHT_PG_object) -> None:
    """Take the bytes off the storage; a linked one is left alone."""
    if group.storage is None or group.storage.library is not None:
        return
    for key in _keys():
        if group.storage.get(key) is None:
            return
        del group.storage[key]
