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
from .layout import CHUNK_SHAPE, CHUNK_VOXELS, VOXEL_DTYPE
from .limits import MAX_WORLD_CHUNKS
from .palette import Palette, material_from_table, material_to_table
from .world import Chunk, Coord, World, as_chunk, new_world

MAGIC = b"VOXELWRT"
VERSION = 0

_HEADER = struct.Struct("<8sIII")  # magic, version, bytes of the palette, chunks
_CHUNK = struct.Struct("<iiiHI")  # coordinates, value where uniform, bytes that follow (0 where uniform)
_CHECKSUM = struct.Struct("<I")  # CRC-32 of all before it
_CHUNK_BYTES = CHUNK_VOXELS * VOXEL_DTYPE.itemsize
_MAX_PALETTE_BYTES = 1 << 20
_MAX_COORD = 1 << 20


def world_to_bytes(world: World) -> bytes:
    """The world as a .vxw file's bytes. Equal worlds give equal bytes."""
    palette = json.dumps({str(i): material_to_table(m) for i, m in world.palette.items()}).encode()
    coords = world.coords()
    parts = [_HEADER.pack(MAGIC, VERSION, len(palette), len(coords)), palette]
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
    """The world in a .vxw file's bytes. Raises VoxelwrightError where they are not one, damaged, or too new."""
    if len(data) < _HEADER.size + _CHECKSUM.size or data[: len(MAGIC)] != MAGIC:
        raise VoxelwrightError("This is not a Voxelwright world (.vxw) file.")
    _, version, palette_bytes, n_chunks = _HEADER.unpack_from(data)
    if version > VERSION:
        raise VoxelwrightError(f"This world has format version {version}; this Voxelwright reads up to {VERSION}. Update it.")
    if _CHECKSUM.unpack_from(data, len(data) - _CHECKSUM.size)[0] != zlib.crc32(data[: -_CHECKSUM.size]):
        raise VoxelwrightError("This world file is damaged: its checksum does not match. Restore it from a backup.")
    if palette_bytes > _MAX_PALETTE_BYTES or n_chunks > MAX_WORLD_CHUNKS:
        raise VoxelwrightError(f"This world file claims {n_chunks} chunks; the limit is {MAX_WORLD_CHUNKS}.")
    end = len(data) - _CHECKSUM.size
    at = _HEADER.size + palette_bytes
    if at > end:
        raise _damaged()
    palette = _read_palette(data[_HEADER.size : at])
    chunks: dict[Coord, Chunk] = {}
    for _ in range(n_chunks):
        if at + _CHUNK.size > end:
            raise _damaged()
        x, y, z, value, n_bytes = _CHUNK.unpack_from(data, at)
        at += _CHUNK.size
        if n_bytes > end - at or max(abs(x), abs(y), abs(z)) > _MAX_COORD or (x, y, z) in chunks:
            raise _damaged()
        chunks[x, y, z] = _read_chunk(data[at : at + n_bytes]) if n_bytes else value
        at += n_bytes
    if at != end:
        raise _damaged()
    return new_world(chunks, palette)


def _damaged() -> VoxelwrightError:
    return VoxelwrightError("This world file is damaged: its parts do not fit together. Restore it from a backup.")


def _read_palette(data: bytes) -> Palette:
    try:
        table = json.loads(data)
        return Palette.of({int(index): material_from_table(entry) for index, entry in table.items()})
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise _damaged() from None


def _read_chunk(packed: bytes) -> Chunk:
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, _CHUNK_BYTES)
    except zlib.error:
        raise _damaged() from None
    if len(raw) != _CHUNK_BYTES or not unpacker.eof:
        raise _damaged()
    return as_chunk(np.frombuffer(raw, VOXEL_DTYPE).reshape(CHUNK_SHAPE))
