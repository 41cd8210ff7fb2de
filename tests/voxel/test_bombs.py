# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files that ask for much: lying sizes, deep nesting, huge counts, frames that unfold into far more.

Each gets a sentence or what little it holds, soon and in little memory. Those of .vox files are in test_vox_bad.py.
"""

import struct
import zlib
from functools import cache

import numpy as np
import pytest
import zstandard

from voxelwright.voxel.formats import png
from voxelwright.voxel.formats.heightmap import read_heightmap
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.journal import HEADER, read_journal, snapshot_record, step_record
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.storage import world_from_bytes, world_to_bytes
from voxelwright.voxel.world import World, as_chunk, new_world

MAX_BYTES = 256 << 20
HEAD = b'{"palette": {}, "settings": {"smoothing": 0.0, "recipe": null}}'
WORLD = world_to_bytes(World())


# --- How they are made --------------------------------------------------------------------------------------------


@cache
def zeros_frame(n_bytes, said=True):
    """A zstd frame of that many zeros, made a piece at a time."""
    packer = zstandard.ZstdCompressor(write_content_size=said).compressobj(size=n_bytes if said else -1)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(n_bytes >> 20)) + packer.flush()


def lying_frame(n_bytes, claimed):
    """A frame of that many zeros that claims to hold fewer."""
    frame = zeros_frame(n_bytes)
    assert frame[4] >> 6 == 2, "its size takes four bytes"
    at = 5 + (not frame[4] >> 5 & 1)
    return frame[:at] + struct.pack("<I", claimed) + frame[at + 4 :]


def windowed_frame(window_byte):
    """A frame of two bytes that asks for a window of 2^(10 + window_byte / 8) bytes."""
    return b"\x28\xb5\x2f\xfd" + bytes([0b10_0_00_000, window_byte]) + struct.pack("<I", 2) + b"\x11\x00\x00ab"


def file_of(*sections, n_sections=None):
    rows = b"".join(
        struct.pack("<4sQI", tag, more[0] if more else len(body), 0 if tag == b"VOXL" else zlib.crc32(body))
        for tag, body, *more in sections
    )
    header = b"VOXELWRT\1\0\0\0" + struct.pack("<I", n_sections or len(sections))
    return header + struct.pack("<I", zlib.crc32(header + rows)) + rows + b"".join(body for _, body, *_ in sections)


def head_file(head):
    return file_of((b"HEAD", head), (b"TABL", zstandard.compress(b"")), (b"VOXL", b""))


def palette_file(palette):
    return head_file(HEAD.replace(b"{}", palette, 1))


def table_file(table, payload=b""):
    return file_of((b"HEAD", HEAD), (b"TABL", table), (b"VOXL", payload))


def table(n, length=0, check=0x0100):
    columns = np.zeros((5, n), "<u4")
    columns[0], columns[1], columns[3], columns[4] = np.arange(n) // 256, np.arange(n) % 256, length, check
    return columns.tobytes()


def chunk_file(frame):
    return table_file(zstandard.compress(table(1, len(frame), zlib.crc32(frame))), frame)


def version_0_file(records, head=HEAD, n_chunks=None, head_bytes=None):
    n_chunks, head_bytes = n_chunks or len(records), head_bytes or len(head)
    body = b"VOXELWRT" + struct.pack("<III", 0, head_bytes, n_chunks) + head
    body += b"".join(struct.pack("<iiiHI", 0, 0, 0, 0, len(packed)) + packed for packed in records)
    return body + struct.pack("<I", zlib.crc32(body))


def record(kind, *parts, world_id=b"a"):
    body = bytes([kind, len(world_id)]) + world_id + b"".join(parts)
    length = struct.pack("<Q", len(body))
    return length + struct.pack("<I", zlib.crc32(length + body)) + body


def edit(before, after, table_bytes=b"", payload=b"", head=b"", n_chunks=None):
    n_chunks = len(table_bytes) // 20 if n_chunks is None else n_chunks
    return record(2, struct.pack("<qqII", before, after, len(head), n_chunks), head, table_bytes, payload)


def journal(*records):
    return HEADER + snapshot_record("a", 0, WORLD) + b"".join(records)


def many_edited_chunks():
    """Edits of more chunks than a world holds, none uniform, with one frame for all."""
    point = np.zeros(CHUNK_SHAPE, np.uint16)
    point[0, 0, 0] = 0x0100
    data = world_to_bytes(new_world({(0, 0, 0): as_chunk(point)}, World().palette))
    frame = data[-struct.unpack_from("<4sQ", data, 52)[1] :]
    edits = []
    for i in range(40):
        columns = np.frombuffer(table(2000, len(frame), zlib.crc32(frame)), "<u4").reshape(5, -1).copy()
        columns[2] = i
        edits.append(edit(i, i + 1, columns.tobytes(), frame * 2000))
    return journal(*edits)


def png_file(width, height, idat, depth=8):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0))
    return png.SIGNATURE + head + chunk(b"IDAT", idat) + chunk(b"IEND", b"")


@cache
def zlib_zeros(n_bytes):
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(n_bytes >> 20)) + packer.flush()


# --- What they are ------------------------------------------------------------------------------------------------

SECTIONS = (b"HEAD", HEAD), (b"TABL", zstandard.compress(b"")), (b"VOXL", b"")
WORLDS = {
    "4 billion sections": lambda: file_of(*SECTIONS, n_sections=0xFFFF_FFFF),
    "a head of 2^63 bytes": lambda: file_of((b"HEAD", HEAD, 1 << 63), *SECTIONS[1:]),
    "a table of 2^63 bytes": lambda: file_of(SECTIONS[0], (b"TABL", b"", 1 << 63), SECTIONS[2]),
    "voxels of 2^63 bytes": lambda: file_of(*SECTIONS[:2], (b"VOXL", b"", 1 << 63)),
    "2 million lists within each other": lambda: palette_file(b"[" * 2_000_000 + b"]" * 2_000_000),
    "half a million objects within each other": lambda: palette_file(b'{"1":' * 500_000),
    "brackets in a text that does not end": lambda: head_file(b'{"' + b"[" * 4_000_000),
    "quotes that all are escaped": lambda: head_file(b'{"' + b'\\"' * 2_000_000),
    "a million empty lists": lambda: palette_file(b"[" + b"[]," * 1_000_000 + b"[]]"),
    "300,000 materials": lambda: palette_file(b"{%s}" % b",".join(b'"%d":{}' % i for i in range(300_000))),
    "a number of 4 million digits": lambda: palette_file(b"9" * 4_000_000),
    "a fraction of 4 million digits": lambda: palette_file(b"0." + b"9" * 4_000_000),
    "a table that unfolds into 512 MiB": lambda: table_file(zeros_frame(1 << 29)),
    "a table that unfolds into more than it says": lambda: table_file(lying_frame(1 << 29, 1_310_720)),
    "a table that does not say its size": lambda: table_file(zeros_frame(1 << 29, said=False)),
    "more chunks than a world holds": lambda: table_file(zstandard.compress(table(65_537))),
    "65,536 chunks of 4 GiB each": lambda: table_file(zstandard.compress(table(65_536, 0xFFFF_FFFF))),
    "65,536 chunks that are not there": lambda: table_file(zstandard.compress(table(65_536, 1000))),
    "65,536 uniform chunks": lambda: table_file(zstandard.compress(table(65_536))),
    "a chunk that unfolds into 512 MiB": lambda: chunk_file(zeros_frame(1 << 29)),
    "a chunk that unfolds into more than it says": lambda: chunk_file(lying_frame(1 << 29, 65_538)),
    "a chunk that does not say its size": lambda: chunk_file(zeros_frame(1 << 29, said=False)),
    "a chunk that asks for a window of 2 GiB": lambda: chunk_file(windowed_frame(21 << 3)),
    "a chunk that asks for a window of 2 TiB": lambda: chunk_file(windowed_frame(31 << 3)),
    "version 0: a chunk that unfolds into 512 MiB": lambda: version_0_file([zlib_zeros(1 << 29)]),
    "version 0: 4 billion chunks": lambda: version_0_file([], n_chunks=0xFFFF_FFFF),
    "version 0: a head of 4 GiB": lambda: version_0_file([], head_bytes=0xFFFF_FFFF),
    "version 0: half a million lists": lambda: version_0_file([], HEAD.replace(b"{}", b"[" * 500_000)),
}
JOURNALS = {
    "a record of 2^63 bytes": lambda: journal(struct.pack("<QI", 1 << 63, 0)),
    "400,000 records": lambda: journal(step_record("a", 0) * 400_000),
    "30,000 edits and as many jumps through them all": lambda: journal(
        *(edit(i, i + 1) for i in range(30_000)), (step_record("a", 0) + step_record("a", 30_000)) * 15_000
    ),
    "edits that take 30,000 others back, again and again": lambda: journal(
        *(edit(i, i + 1) for i in range(30_000)), (step_record("a", 0) + edit(0, 1)) * 15_000
    ),
    "4 billion chunks": lambda: journal(edit(0, 1, n_chunks=0xFFFF_FFFF)),
    "more chunks at once than a world holds": lambda: journal(edit(0, 1, table(65_537))),
    "more chunks one after the other than a world holds": many_edited_chunks,
    "a chunk that unfolds into 512 MiB": lambda: journal(
        edit(0, 1, table(1, len(zeros_frame(1 << 29)), zlib.crc32(zeros_frame(1 << 29))), zeros_frame(1 << 29))
    ),
    "a deep palette": lambda: journal(edit(0, 1, head=b"[" * 4_000_000)),
    "10,000 worlds": lambda: journal(*(snapshot_record(f"w{i}", 0, WORLD) for i in range(10_000))),
    "a world whose table unfolds into 512 MiB": lambda: (
        HEADER + snapshot_record("a", 0, table_file(zeros_frame(1 << 29)))
    ),
}
PICTURES = {
    "data that unfolds into 512 MiB": lambda: png_file(1, 1, zlib_zeros(1 << 29)),
    "4 billion columns": lambda: png_file(0xFFFF_FFFF, 1, b""),
    "8192 × 8192 pixels of nothing": lambda: png_file(8192, 8192, zlib.compress(b"")),
    "more than may be decoded": lambda: png_file(16_384, 16_384, zlib.compress(b""), depth=16),
}


def check(outcome, peak_memory, read, data):
    n_bytes, result = peak_memory(lambda: outcome(read, data))
    assert n_bytes < MAX_BYTES, f"{n_bytes >> 20} MiB"
    return result


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """The kernel of the PNG reader is compiled before anything is measured."""
    read_heightmap(png_file(1, 1, zlib.compress(b"\0\0")))


@pytest.mark.parametrize("name", WORLDS)
def test_worlds(name, outcome, peak_memory):
    result = check(outcome, peak_memory, world_from_bytes, WORLDS[name]())
    harmless = {"voxels of 2^63 bytes": 0, "65,536 uniform chunks": 65_536, "65,536 chunks that are not there": 0}
    if isinstance(result, str):
        assert name not in harmless
    else:
        assert name in harmless or "chunk" in name
        assert result.world.n_chunks == harmless.get(name, 0)
        assert bool(result.damaged) == (name not in ("voxels of 2^63 bytes", "65,536 uniform chunks"))


@pytest.mark.parametrize("name", JOURNALS)
def test_journals(name, outcome, peak_memory):
    def read_all(data):
        for world in read_journal(data).worlds.values():
            result = finish(world.loading())
            assert result.world.n_chunks == 0
        return result

    result = check(outcome, peak_memory, read_all, JOURNALS[name]())
    refused = (
        "more chunks at once than a world holds",
        "more chunks one after the other than a world holds",
        "a deep palette",
        "a world whose table unfolds into 512 MiB",
    )
    assert isinstance(result, str) == (name in refused)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(name, outcome, peak_memory):
    assert isinstance(check(outcome, peak_memory, read_heightmap, PICTURES[name]()), str)
