# SPDX-License-Identifier: GPL-3.0-or-later
"""Version 0 of worlds as bytes, which is read for ever and no longer written."""

import struct
import zlib

import numpy as np

from ..errors import VoxelwrightError
from ..layout import AIR, CHUNK_SHAPE, CHUNK_VOXELS, MATERIAL_SHIFT, VOXEL_DTYPE
from ..limits import MAX_CHUNK_COORD, MAX_WORLD_CHUNKS
from ..world import Chunk, Coord, World, as_chunk, new_world
from .head import damaged, head_from_bytes

_HEADER = struct.Struct("<8sIII")  # magic, version, bytes of the head, chunks
_CHUNK = struct.Struct("<iiiHI")  # coordinates, value where uniform, bytes that follow (0 where uniform)
_CHECKSUM = struct.Struct("<I")  # CRC-32 of all before it
_CHUNK_BYTES = CHUNK_VOXELS * VOXEL_DTYPE.itemsize
_MAX_HEAD_BYTES = 1 << 20


def read_version_0(data: bytes) -> World:
    """The world in bytes that begin as version 0 does. It has one checksum for all: whatever is wrong is one
    VoxelwrightError."""
    end = len(data) - _CHECKSUM.size
    if end < _HEADER.size or _CHECKSUM.unpack_from(data, end)[0] != zlib.crc32(memoryview(data)[:end]):
        raise VoxelwrightError("This world file is damaged, its checksum does not match; restore it from a backup.")
    _, _, head_bytes, n_chunks = _HEADER.unpack_from(data)
    if n_chunks > MAX_WORLD_CHUNKS:
        raise VoxelwrightError(
            f"This file claims {n_chunks} chunks, a world has at most {MAX_WORLD_CHUNKS}; restore it from a backup."
        )
    at = _HEADER.size + head_bytes
    if at > end:
        raise damaged()
    palette, settings = head_from_bytes(data[_HEADER.size : at], _MAX_HEAD_BYTES)
    chunks: dict[Coord, Chunk] = {}
    for _ in range(n_chunks):
        if at + _CHUNK.size > end:
            raise damaged()
        x, y, z, value, n_bytes = _CHUNK.unpack_from(data, at)
        at += _CHUNK.size
        if n_bytes > end - at or max(abs(x), abs(y), abs(z)) > MAX_CHUNK_COORD or (x, y, z) in chunks:
            raise damaged()
        uniform = value if value >> MATERIAL_SHIFT else AIR
        chunks[x, y, z] = _read_chunk(data[at : at + n_bytes]) if n_bytes else uniform
        at += n_bytes
    if at != end:
        raise damaged()
    return new_world(chunks, palette, settings)


def _read_chunk(packed: bytes) -> Chunk:
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, _CHUNK_BYTES + 1)  # a byte more than may come, or the end goes unread
    except zlib.error:
        raise damaged() from None
    if len(raw) != _CHUNK_BYTES or not unpacker.eof or unpacker.unused_data:
        raise damaged()
    voxels = np.frombuffer(raw, VOXEL_DTYPE).reshape(CHUNK_SHAPE)
    return as_chunk(np.where(voxels >> MATERIAL_SHIFT, voxels, VOXEL_DTYPE.type(AIR)))
