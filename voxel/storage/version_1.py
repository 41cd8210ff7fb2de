# SPDX-License-Identifier: GPL-3.0-or-later
"""Version 1 of worlds as bytes: a head that must be whole, then chunks of which each has a checksum of its own."""

import struct
import zlib
from collections.abc import Generator
from dataclasses import dataclass

from ..errors import VoxelwrightError
from ..jobs import Job, Progress
from ..limits import MAX_WORLD_CHUNKS, MAX_WORLD_HEAD_BYTES, MAX_WORLD_SECTIONS
from ..palette import Palette
from ..settings import Settings
from ..world import Chunk, Coord, World, new_world
from .chunks import (
    ENTRY_BYTES,
    Entry,
    compress,
    decompress,
    pack_entry,
    table_from_bytes,
    table_to_bytes,
    unpack_entry,
)
from .head import damaged, head_from_bytes, head_to_bytes

MAGIC = b"VOXELWRT"
MAJOR = 1
MINOR = 0

_HEADER = struct.Struct("<8sHHII")  # magic, major, minor, sections, CRC-32 of all before it and of the sections' list
_SECTION = struct.Struct("<4sQI")  # tag, bytes, CRC-32 of them
_UNCHECKED = struct.calcsize("<8sHHI")
_HEAD, _TABLE, _VOXELS = b"HEAD", b"TABL", b"VOXL"
_SLICE = 64
"""Chunks between two reports of progress: some 20 ms."""


def write_version_1(world: World) -> Job[bytes]:
    """The world's bytes. Equal worlds give equal bytes, with the same zstd."""
    head = head_to_bytes(world.palette, world.settings)
    coords = world.coords()
    entries: list[Entry] = []
    parts: list[bytes] = []
    n_bytes = 0
    for i, coord in enumerate(coords):
        if i % _SLICE == 0:
            yield Progress(i / len(coords), "Writing the world")
        entry, packed = pack_entry(coord, world.chunk(coord), n_bytes)
        n_bytes = entry.end
        entries.append(entry)
        parts.append(packed)
    table = compress(table_to_bytes(entries))
    sections = [
        _SECTION.pack(_HEAD, len(head), zlib.crc32(head)),
        _SECTION.pack(_TABLE, len(table), zlib.crc32(table)),
        _SECTION.pack(_VOXELS, n_bytes, 0),
    ]
    header = _HEADER.pack(MAGIC, MAJOR, MINOR, len(sections), 0)[:_UNCHECKED]
    check = struct.pack("<I", zlib.crc32(b"".join((header, *sections))))
    return b"".join((header, check, *sections, head, table, *parts))


@dataclass(frozen=True, slots=True)
class _Contents:
    """What is known once the head is read and right: all but the voxels."""

    palette: Palette
    settings: Settings
    entries: list[Entry]
    payload: memoryview
    """May be cut short."""


def read_version_1(data: bytes | memoryview) -> Generator[Progress, None, tuple[World, tuple[Coord, ...]]]:
    """The world and the coordinates of damaged chunks, which are left out of it. Raises VoxelwrightError where the
    head is damaged."""
    contents = _read_head(memoryview(data))
    chunks: dict[Coord, Chunk] = {}
    lost: list[Coord] = []
    for i, entry in enumerate(contents.entries):
        if i % _SLICE == 0:
            yield Progress(i / len(contents.entries), "Reading the world")
        try:
            chunks[entry.coord] = unpack_entry(entry, contents.payload)
        except VoxelwrightError:
            lost.append(entry.coord)
    return new_world(chunks, contents.palette, contents.settings), tuple(lost)


def _read_head(data: memoryview) -> _Contents:
    if len(data) < _HEADER.size:
        raise damaged()
    *_, n_sections, check = _HEADER.unpack_from(data)
    at = _HEADER.size + n_sections * _SECTION.size
    if n_sections > MAX_WORLD_SECTIONS or at > len(data):
        raise damaged()
    if zlib.crc32(data[_HEADER.size : at], zlib.crc32(data[:_UNCHECKED])) != check:
        raise VoxelwrightError("This world file is damaged, its head does not match; restore it from a backup.")
    found: dict[bytes, memoryview] = {}
    for tag, n_bytes, section_check in _SECTION.iter_unpack(data[_HEADER.size : at]):
        section = data[at : at + n_bytes]
        at += n_bytes
        if tag in found:
            raise damaged()
        if tag in (_HEAD, _TABLE) and (len(section) != n_bytes or zlib.crc32(section) != section_check):
            raise VoxelwrightError("This world file is damaged, its head does not match; restore it from a backup.")
        found[tag] = section
    if not {_HEAD, _TABLE, _VOXELS} <= set(found) or len(found[_HEAD]) > MAX_WORLD_HEAD_BYTES:
        raise damaged()
    palette, settings = head_from_bytes(bytes(found[_HEAD]))
    # One entry more than a world holds may come, so that too many are told as such.
    table = decompress(found[_TABLE], (MAX_WORLD_CHUNKS + 1) * ENTRY_BYTES)
    return _Contents(palette, settings, table_from_bytes(table), found[_VOXELS])
