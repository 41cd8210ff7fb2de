# SPDX-License-Identifier: GPL-3.0-or-later
"""A world as bytes, version 0: what .vxw files and .blend files hold. docs/formats/world.md specifies it to the byte.

Version 0 comes without the promise that later versions read it. Reading is bounded and sceptical: every claimed
size is checked before anything is allocated, and whatever is wrong becomes one VoxelwrightError.
"""

import json
import struct
import zlib

import numpy as np

from .errors import VoxelwrightError
from .layout import AIR, CHUNK_SHAPE, CHUNK_VOXELS, MATERIAL_SHIFT, VOXEL_DTYPE
from .limits import MAX_CHUNK_COORD, MAX_WORLD_CHUNKS
from .palette import Palette, material_from_table, material_to_table
from .settings import Settings, settings_from_table, settings_to_table
from .world import Chunk, Coord, World, as_chunk, new_world

MAGIC = b"VOXELWRT"
VERSION = 0

_HEADER = struct.Struct("<8sIII")  # magic, version, bytes of the head, chunks
_CHUNK = struct.Struct("<iiiHI")  # coordinates, value where uniform, bytes that follow (0 where uniform)
_CHECKSUM = struct.Struct("<I")  # CRC-32 of all before it
_CHUNK_BYTES = CHUNK_VOXELS * VOXEL_DTYPE.itemsize
_MAX_HEAD_BYTES = 1 << 20


def world_to_bytes(world: World) -> bytes:
    """The world as a .vxw file's bytes. Equal worlds give equal bytes, with the same zlib."""
    palette = {str(i): material_to_table(m) for i, m in world.palette.items()}
    head = json.dumps({"palette": palette, "settings": settings_to_table(world.settings)}).encode()
    coords = world.coords()
    parts = [_HEADER.pack(MAGIC, VERSION, len(head), len(coords)), head]
    for coord in coords:
        chunk = world.chunk(coord)
        if isinstance(chunk, int):
            parts.append(_CHUNK.pack(*coord, chunk, 0))
        else:
            packed = zlib.compress(chunk.tobytes(), 1)
            parts += [_CHUNK.pack(*coord, 0, len(packed)), packed]
    data = b"".join(parts)
    return data + _CHECKSUM.pack(zlib.crc32(data))


def world_from_bytes(data: bytes) -> World:
    """The world in a .vxw file's bytes. Raises VoxelwrightError where they are not one, damaged, or too new.

    Voxels without a material become plain air, whatever their other bits. Voxels whose material the palette lacks are
    kept: an edit of the palette can still give them one.
    """
    if len(data) < _HEADER.size + _CHECKSUM.size or data[: len(MAGIC)] != MAGIC:
        raise VoxelwrightError("This is not a Voxelwright world (.vxw) file.")
    _, version, head_bytes, n_chunks = _HEADER.unpack_from(data)
    if version > VERSION:
        raise VoxelwrightError(
            f"This world has format version {version} and this Voxelwright reads up to {VERSION}; update Voxelwright."
        )
    end = len(data) - _CHECKSUM.size
    if _CHECKSUM.unpack_from(data, end)[0] != zlib.crc32(memoryview(data)[:end]):
        raise VoxelwrightError("This world file is damaged, its checksum does not match; restore it from a backup.")
    if n_chunks > MAX_WORLD_CHUNKS:
        raise VoxelwrightError(
            f"This file claims {n_chunks} chunks, a world has at most {MAX_WORLD_CHUNKS}; restore it from a backup."
        )
    at = _HEADER.size + head_bytes
    if head_bytes > _MAX_HEAD_BYTES or at > end:
        raise _damaged()
    palette, settings = _read_head(data[_HEADER.size : at])
    chunks: dict[Coord, Chunk] = {}
    for _ in range(n_chunks):
        if at + _CHUNK.size > end:
            raise _damaged()
        x, y, z, value, n_bytes = _CHUNK.unpack_from(data, at)
        at += _CHUNK.size
        if n_bytes > end - at or max(abs(x), abs(y), abs(z)) > MAX_CHUNK_COORD or (x, y, z) in chunks:
            raise _damaged()
        uniform = value if value >> MATERIAL_SHIFT else AIR
        chunks[x, y, z] = _read_chunk(data[at : at + n_bytes]) if n_bytes else uniform
        at += n_bytes
    if at != end:
        raise _damaged()
    return new_world(chunks, palette, settings)


def _damaged() -> VoxelwrightError:
    return VoxelwrightError("This world file is damaged, its parts do not fit together; restore it from a backup.")


def _read_head(data: bytes) -> tuple[Palette, Settings]:
    try:
        head = json.loads(data)
        if set(head) != {"palette", "settings"}:
            raise _damaged()
        table, settings = head["palette"], settings_from_table(head["settings"])
        materials = {int(index): material_from_table(entry) for index, entry in table.items()}
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise _damaged() from None
    if [str(index) for index in materials] != list(table):  # " 1" and "01" would be a second 1
        raise _damaged()
    return Palette.of(materials), settings


def _read_chunk(packed: bytes) -> Chunk:
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, _CHUNK_BYTES + 1)  # a byte more than may come, or the end goes unread
    except zlib.error:
        raise _damaged() from None
    if len(raw) != _CHUNK_BYTES or not unpacker.eof or unpacker.unused_data:
        raise _damaged()
    voxels = np.frombuffer(raw, VOXEL_DTYPE).reshape(CHUNK_SHAPE)
    return as_chunk(np.where(voxels >> MATERIAL_SHIFT, voxels, VOXEL_DTYPE.type(AIR)))
