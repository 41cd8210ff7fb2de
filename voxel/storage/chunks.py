# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks as bytes: a palette of the voxels that occur and their numbers, packed to few bits, in a zstd frame.

docs/formats/world.md specifies them to the byte. No kernels: saving and recovering must not wait for a compiler.
"""

import zlib
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..layout import AIR, CHUNK_SHAPE, CHUNK_VOXELS, MATERIAL_SHIFT, VOXEL_DTYPE
from ..limits import MAX_CHUNK_COORD, MAX_WORLD_CHUNKS, MAX_ZSTD_WINDOW_BYTES
from ..world import Chunk, Coord, as_chunk
from .head import damaged

ENTRY_BYTES = 20
"""A chunk's share of a table."""

_PLAIN_BYTES = CHUNK_VOXELS * VOXEL_DTYPE.itemsize
_MAX_UNPACKED_BYTES = 2 + _PLAIN_BYTES
_MAX_PALETTE = 256
_LEVEL = 3
_WIDE: dict[int, np.dtype[Any]] = {1: np.dtype("c16"), 2: np.dtype("u8"), 4: np.dtype("u4"), 8: VOXEL_DTYPE}
"""By the bits of a number, a dtype as large as the voxels that a byte packs."""


class Entry(NamedTuple):
    """Where a chunk's bytes are: start and end in the payload, and their CRC-32. An empty span is a uniform chunk,
    whose voxel takes the checksum's place."""

    coord: Coord
    start: int
    end: int
    check: int


def compress(data: bytes) -> bytes:
    """data as one zstd frame that says its size."""
    return _zstd()[0].compress(data)


def decompress(frame: bytes | memoryview, max_bytes: int) -> bytes:
    """What a zstd frame holds. Raises VoxelwrightError where it is none, does not say its size, would unfold into more
    than max_bytes, or asks for a large window; nothing is allocated before that is known."""
    import zstandard

    try:
        head = zstandard.get_frame_parameters(frame)
        # A size that is not said is the largest number there is.
        if head.content_size > max_bytes or head.window_size > MAX_ZSTD_WINDOW_BYTES:
            raise damaged()
        return _zstd()[1].decompress(frame) if head.content_size else b""
    except zstandard.ZstdError:
        raise damaged() from None


@cache
def _zstd() -> Any:
    """A compressor and a decompressor: making them takes longer than a chunk. Imported here, as enabling the extension
    must not wait for it."""
    import zstandard

    return zstandard.ZstdCompressor(level=_LEVEL), zstandard.ZstdDecompressor()


# --- One chunk --------------------------------------------------------------------------------------------------


def pack_chunk(voxels: NDArray[np.uint16]) -> bytes:
    """The bytes of a (32, 32, 32) uint16 array."""
    wide = voxels.ravel().astype(np.intp)
    seen = np.zeros(1 << 16, np.bool_)
    seen[wide] = True
    values = np.flatnonzero(seen)
    if len(values) > _MAX_PALETTE:
        return compress(b"\0\0" + voxels.astype(VOXEL_DTYPE).tobytes())
    numbers = np.zeros(1 << 16, np.uint8)
    numbers[values] = np.arange(len(values))
    bits = _bits(len(values))
    digits = numbers.take(wide).reshape(-1, 8 // bits)
    packed = digits[:, 0].copy()
    for i in range(1, 8 // bits):
        packed |= digits[:, i] << np.uint8(bits * i)
    head = np.array([len(values), *values], VOXEL_DTYPE)
    return compress(head.tobytes() + packed.tobytes())


def unpack_chunk(frame: bytes | memoryview) -> Chunk:
    """The inverse of pack_chunk, but that voxels without a material become plain air. Raises VoxelwrightError for bytes
    that are no chunk."""
    data = decompress(frame, _MAX_UNPACKED_BYTES)
    n_values = int.from_bytes(data[:2], "little")
    if n_values == 0:
        if len(data) != _MAX_UNPACKED_BYTES:
            raise damaged()
        return as_chunk(_without_odd_air(np.frombuffer(data, VOXEL_DTYPE, offset=2).reshape(CHUNK_SHAPE)))
    if n_values > _MAX_PALETTE:
        raise damaged()
    head, bits = 2 + 2 * n_values, _bits(n_values)
    if len(data) != head + CHUNK_VOXELS * bits // 8:
        raise damaged()
    values = np.zeros(1 << bits, VOXEL_DTYPE)
    values[:n_values] = _without_odd_air(np.frombuffer(data, VOXEL_DTYPE, n_values, 2))
    packed = np.frombuffer(data, np.uint8, offset=head).astype(np.intp)
    digits = _digits(bits)
    sound = (digits < n_values).all(axis=1)
    if not sound.all() and not sound.take(packed).all():
        raise damaged()
    voxels = values[digits].view(_WIDE[bits]).ravel().take(packed)  # all voxels of a byte at once
    return as_chunk(voxels.view(VOXEL_DTYPE).reshape(CHUNK_SHAPE))


def _without_odd_air(voxels: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """The voxels with plain air for those without a material, whatever their other bits: all who draw take them so."""
    return np.where(voxels >> MATERIAL_SHIFT, voxels, VOXEL_DTYPE.type(AIR))


def _bits(n_values: int) -> int:
    """Bits that a number below n_values, at most 256, takes: 1, 2, 4 or 8."""
    return next(bits for bits in (1, 2, 4, 8) if n_values <= 1 << bits)


@cache
def _digits(bits: int) -> NDArray[np.uint8]:
    """(256, 8 / bits): the numbers that each byte packs, the first in its lowest bits."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return np.arange(256, dtype=np.uint8)[:, None] >> shifts & np.uint8((1 << bits) - 1)


# --- Many chunks: a table and a payload ---------------------------------------------------------------------------


def pack_entry(coord: Coord, chunk: Chunk, start: int) -> tuple[Entry, bytes]:
    """A chunk's entry of a table, and its bytes, which begin at start in the payload."""
    if isinstance(chunk, int):
        return Entry(coord, start, start, chunk), b""
    packed = pack_chunk(chunk)
    return Entry(coord, start, start + len(packed), zlib.crc32(packed)), packed


def unpack_entry(entry: Entry, payload: memoryview) -> Chunk:
    """The chunk of an entry. Raises VoxelwrightError where its bytes are missing or not those that were written."""
    if entry.start == entry.end:
        return entry.check if entry.check >> MATERIAL_SHIFT else AIR
    packed = payload[entry.start : entry.end]
    if len(packed) != entry.end - entry.start or zlib.crc32(packed) != entry.check:
        raise damaged()
    return unpack_chunk(packed)


def table_to_bytes(entries: Iterable[Entry]) -> bytes:
    """The entries as five columns of 32-bit numbers: x, y, z, length, checksum."""
    rows = [(*e.coord, e.end - e.start, e.check) for e in entries]
    columns = np.array(rows, np.int64).reshape(-1, 5).T
    return columns.astype("<u4").tobytes()  # wraps negative coordinates to their two's complement


def table_from_bytes(data: bytes | memoryview) -> list[Entry]:
    """The inverse of table_to_bytes. Raises VoxelwrightError where the table is none, lists more chunks than a world
    holds, one of them twice, out of order or too far away, or a voxel of more than 16 bits."""
    n, rest = divmod(len(data), ENTRY_BYTES)
    if n > MAX_WORLD_CHUNKS:
        raise VoxelwrightError(
            f"This file claims {n} chunks, a world has at most {MAX_WORLD_CHUNKS}; restore it from a backup."
        )
    if rest:
        raise damaged()
    columns = np.frombuffer(data, "<u4").reshape(5, n)
    coords = columns[:3].view("<i4").astype(np.int64)
    lengths, checks = columns[3].astype(np.int64), columns[4]
    if (np.abs(coords) > MAX_CHUNK_COORD).any() or (checks[lengths == 0] >> 16).any():
        raise damaged()
    in_order: list[Coord] = [(x, y, z) for x, y, z in coords.T.tolist()]
    if any(a >= b for a, b in pairwise(in_order)):
        raise damaged()
    ends = np.cumsum(lengths)
    return list(map(Entry, in_order, (ends - lengths).tolist(), ends.tolist(), checks.tolist()))
