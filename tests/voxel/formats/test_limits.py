# SPDX-License-Identifier: GPL-3.0-or-later
"""Each limit of foreign formats at its value and one beyond. Those that would take long are set lower for the test."""

import struct
import zlib

import numpy as np
import pytest

from voxelwright.voxel import limits
from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.formats import png, vox, vox_scene
from voxelwright.voxel.formats.png import read_png, read_png_header, write_png
from voxelwright.voxel.formats.vox import read_vox


def point(builder):
    return builder.model((1, 1, 1), [(0, 0, 0, 1)])


def chain(builder, depth):
    """A scene whose shape lies that many levels deep."""
    transforms = [builder.transform(i, i + 1) for i in range(depth - 1)]
    return builder.file(point(builder), *transforms, builder.shape(depth - 1, 0))


def row(builder, n, step=1):
    """A scene of n points, step apart."""
    nodes = [builder.transform(i + 2, 1, {"_t": f"{step * i} 0 0"}) for i in range(n)]
    return builder.file(point(builder), builder.group(0, *range(2, n + 2)), builder.shape(1, 0), *nodes)


def at_origin(builder, place):
    return builder.file(point(builder), builder.transform(0, 1, {"_t": f"0 {place} 0"}), builder.shape(1, 0))


VOX_CASES = {
    # name: (module, value for the test, file of n)
    "MAX_WORLD_EDGE": (vox_scene, None, at_origin),
    "MAX_VOX_DEPTH": (vox_scene, None, chain),
    "MAX_VOX_NODES, models": (vox, 5, lambda b, n: b.file(point(b) * n)),
    "MAX_VOX_NODES, nodes": (vox, 5, lambda b, n: row(b, n - 2)),
    "MAX_VOX_NODES, uses": (vox_scene, 9, lambda b, n: b.file(point(b), b.group(0, *[1] * (n - 1)), b.shape(1, 0))),
    "MAX_VOX_ITEMS": (vox, 10, lambda b, n: b.file(point(b), *[b.chunk("junk")] * (n - 2))),
    "MAX_VOX_PLACED_VOXELS": (vox_scene, 20, row),
    "MAX_IMPORT_CHUNKS": (vox_scene, 7, lambda b, n: row(b, n, step=32)),
}


@pytest.mark.parametrize("name", VOX_CASES)
def test_vox_files_at_the_limit_and_one_beyond(vox, monkeypatch, name):
    module, limit, build = VOX_CASES[name]
    key = name.partition(",")[0]
    if limit is None:
        limit = getattr(limits, key)
    else:
        monkeypatch.setattr(module, key, limit)
    assert read_vox(build(vox, limit)).coords()
    with pytest.raises(VoxelwrightError) as error:
        read_vox(build(vox, limit + 1))
    assert str(limit) in str(error.value)
    assert any(words in str(error.value) for words in ("; split", "; flatten", "; move", "or split")), "what to do"


def header_of(width, height, depth=8):
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    return png.SIGNATURE + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))


def test_edges_of_images_at_the_limit_and_one_beyond():
    edge = limits.MAX_IMAGE_EDGE
    assert read_png_header(header_of(edge, 1)).width == edge
    assert read_png_header(header_of(1, edge)).height == edge
    for size in ((edge + 1, 1), (1, edge + 1)):
        with pytest.raises(VoxelwrightError, match="at most 16384 a side are read; scale it down"):
            read_png_header(header_of(*size))


def test_bytes_of_images_at_the_limit_and_one_beyond(monkeypatch):
    assert limits.MAX_IMAGE_EDGE**2 == limits.MAX_IMAGE_BYTES, "the largest square of bytes may be read"
    read_png_header(header_of(limits.MAX_IMAGE_EDGE, limits.MAX_IMAGE_EDGE))
    monkeypatch.setattr(png, "MAX_IMAGE_BYTES", 6000)
    assert read_png_header(header_of(60, 50, 16)).decoded_bytes == 6000
    monkeypatch.setattr(png, "MAX_IMAGE_BYTES", 5999)
    with pytest.raises(VoxelwrightError, match="are read; scale it down or save it with fewer channels"):
        read_png_header(header_of(60, 50, 16))


def test_chunks_of_a_png_at_the_limit_and_one_beyond(monkeypatch):
    image = write_png(np.zeros((2, 2), np.uint8))
    extra = struct.pack(">I", 0) + b"teXt" + struct.pack(">I", zlib.crc32(b"teXt"))
    monkeypatch.setattr(png, "MAX_PNG_CHUNKS", 5)
    assert read_png(image[:33] + 2 * extra + image[33:]).samples.shape == (2, 2, 1)
    with pytest.raises(VoxelwrightError, match="more than 5 chunks"):
        read_png(image[:33] + 3 * extra + image[33:])
