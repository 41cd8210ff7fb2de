# SPDX-License-Identifier: GPL-3.0-or-later
"""Version 0 of worlds as bytes, which is only read: files by hand, the frozen sample, and everything hostile."""

import itertools
import json
import random
import struct
import tracemalloc
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.limits import MAX_CHUNK_COORD, MAX_WORLD_CHUNKS
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.storage import world_from_bytes, world_to_bytes
from voxelwright.voxel.world import as_chunk, new_world

STONE = Material("stone", (128, 126, 124), roughness=0.8)
PALETTE = Palette.of({1: STONE, 255: Material("glass · Glas · 玻璃", (180, 200, 220), opacity=0.25, smooth=True)})
STONE_TEXT = (
    b'{"1": {"name": "stone", "color": [128, 126, 124], "roughness": 0.8, "metallic": 0.0, "emission": 0.0, '
    b'"opacity": 1.0, "ior": 1.45, "smooth": false, "texture": "grain", "texture_scale": 4.0, '
    b'"texture_contrast": 0.3, "toping": "none", "bleeds": true, "resists": false}}'
)
NOISE = as_chunk(np.random.default_rng(1).integers(256, 1 << 16, CHUNK_SHAPE).astype(np.uint16))


def sealed(body):
    """A body with its checksum."""
    return body + struct.pack("<I", zlib.crc32(body))


PLAIN = b'{"smoothing": 0.0, "recipe": null}'


def head_of(palette=b"{}", settings=PLAIN):
    """The text before the chunks."""
    return b'{"palette": ' + palette + b', "settings": ' + settings + b"}"


def file_of(records, head=None, n_chunks=None, magic=b"VOXELWRT", version=0, head_bytes=None):
    """A file by hand; records are (x, y, z, value, packed bytes)."""
    head = head_of() if head is None else head
    header = struct.pack(
        "<8sIII",
        magic,
        version,
        len(head) if head_bytes is None else head_bytes,
        len(records) if n_chunks is None else n_chunks,
    )
    body = header + head
    for x, y, z, value, packed in records:
        body += struct.pack("<iiiHI", x, y, z, value, len(packed)) + packed
    return sealed(body)


def assert_damaged(data, match="damaged"):
    with pytest.raises(VoxelwrightError, match=match) as error:
        world_from_bytes(data)
    text = str(error.value)
    assert text[0].isupper()
    assert text.endswith(".")
    assert ". " not in text


@pytest.fixture
def small_file():
    """Of one uniform chunk and one that is not, and short enough for every truncation of it."""
    dense = np.zeros(CHUNK_SHAPE, np.uint16)
    dense[:, :, :9] = 0x0103
    records = [(-1, 0, 5, 0, zlib.compress(dense.tobytes(), 1)), (0, 0, 0, 0x0100, b"")]
    return file_of(records, head_of(STONE_TEXT))


# --- What is read ----------------------------------------------------------------------------------------------


def test_the_frozen_sample_opens(sample_world, same_world):
    world, damaged = world_from_bytes((Path(__file__).parent / "samples" / "version_0.vxw").read_bytes())
    assert damaged == ()
    assert same_world(world, sample_world)


def test_a_file_by_hand(same_world):
    world = new_world({(-1, 2, 300): 0x0105, (0, 0, 0): 0x0100}, Palette.of({1: STONE}))
    head = head_of(STONE_TEXT)
    data = sealed(
        b"VOXELWRT" + b"\0\0\0\0" + struct.pack("<I", len(head)) + b"\2\0\0\0" + head
        + b"\xff\xff\xff\xff" + b"\2\0\0\0" + b"\x2c\1\0\0" + b"\5\1" + b"\0\0\0\0"
        + b"\0\0\0\0" + b"\0\0\0\0" + b"\0\0\0\0" + b"\0\1" + b"\0\0\0\0"
    )  # fmt: skip
    assert same_world(world_from_bytes(data).world, world)


def test_an_array_by_hand():
    raw = bytearray(65536)
    at = 2 * ((3 * 32 + 5) * 32 + 7)
    raw[at : at + 2] = b"\xcd\xab"  # little-endian, x the slowest axis, z the fastest
    world = world_from_bytes(file_of([(1, 0, 0, 0, zlib.compress(bytes(raw), 9))])).world
    assert world.voxel(32 + 3, 5, 7) == 0xABCD
    assert world.material_counts()[1:].sum() == 1


# --- Odd, and kept ---------------------------------------------------------------------------------------------


def test_voxels_without_a_material_become_plain_air():
    # Meshers take them for air by their material; bounds, counts and chunks that "are not air" must agree with that.
    raw = np.zeros(CHUNK_SHAPE, np.uint16)
    raw[0, 0, 0], raw[1, 2, 3] = 0x00FF, 0x0110
    records = [(0, 0, 0, 0, zlib.compress(raw.tobytes())), (1, 0, 0, 0x0010, b"")]
    records += [(2, 0, 0, 0, zlib.compress(np.full(CHUNK_SHAPE, 0x0080, np.uint16).tobytes()))]
    world = world_from_bytes(file_of(records)).world
    assert world.coords() == [(0, 0, 0)]
    assert world.bounds() == ((1, 2, 3), (1, 2, 3))
    assert world.voxel(0, 0, 0) == 0
    assert world.voxel(1, 2, 3) == 0x0110


def test_chunks_may_come_in_any_order_and_uniform_ones_packed():
    packed = zlib.compress(np.full(CHUNK_SHAPE, 0x0100, np.uint16).tobytes())
    world = world_from_bytes(file_of([(4, 0, 0, 0, packed), (-4, 0, 0, 0x0200, b""), (0, 0, 0, 0, b"")])).world
    assert world.coords() == [(-4, 0, 0), (4, 0, 0)]
    assert world.chunk((4, 0, 0)) == 0x0100


# --- Refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [b"", b"VOXELWRT", b"VOX \x96\0\0\0MAIN" + bytes(60), b"\x89PNG\r\n\x1a\n" + bytes(60), b"voxelwrt" + bytes(60)],
)
def test_foreign_files_are_refused(data):
    assert_damaged(data, match=r"^This is not a Voxelwright world \(\.vxw\) file\.$")


def test_every_truncation_is_refused(small_file):
    for length in range(len(small_file)):
        with pytest.raises(VoxelwrightError):
            world_from_bytes(small_file[:length])
        if length < len(small_file) - 4:
            with pytest.raises(VoxelwrightError):
                world_from_bytes(sealed(small_file[:length]))


def test_every_flipped_bit_is_noticed(small_file):
    for i in range(8 * len(small_file)):
        data = bytearray(small_file)
        data[i // 8] ^= 1 << i % 8
        with pytest.raises(VoxelwrightError):
            world_from_bytes(bytes(data))


def test_mutations_behind_a_right_checksum_give_a_world_or_a_sentence(small_file, seeds, mutated, outcome, same_world):
    header = 20
    head_end = header + struct.unpack_from("<I", small_file, 12)[0]
    raw = zlib.decompress(small_file[head_end + 18 : -4 - 18])
    outcomes = Counter()
    for seed in seeds(3000, 100_000):
        rng = random.Random(seed)
        body = small_file[:-4]
        if seed % 4 == 0:
            body = mutated(rng, body)
        elif seed % 4 == 1:  # the head alone, its length made right, so that JSON and materials are reached
            text = mutated(rng, body[header:head_end])
            body = body[:12] + struct.pack("<I", len(text)) + body[16:20] + text + body[head_end:]
        elif seed % 4 == 2:  # the chunks alone
            body = body[:head_end] + mutated(rng, body[head_end:])
        else:  # voxels, packed anew
            body = file_of([(0, 0, 0, 0, zlib.compress(mutated(rng, raw), 1))])[:-4]
        found = outcome(world_from_bytes, sealed(body))
        if isinstance(found, str):
            outcomes[found] += 1
        else:
            outcomes["world"] += 1
            assert same_world(world_from_bytes(world_to_bytes(found.world)).world, found.world)
    assert outcomes["world"] > 100
    assert len(outcomes) > 20, "too few of the checks were reached"


PACKED = zlib.compress(NOISE.tobytes(), 1)


@pytest.mark.parametrize(
    "data",
    {
        "more chunks than said": file_of([(0, 0, 0, 256, b"")] * 2, n_chunks=1),
        "fewer chunks than said": file_of([(0, 0, 0, 256, b"")], n_chunks=2),
        "a chunk twice": file_of([(0, 0, 0, 256, b""), (0, 0, 0, 512, b"")]),
        "too far": file_of([(0, -MAX_CHUNK_COORD - 1, 0, 256, b"")]),
        "farthest": file_of([(0, 0, -(1 << 31), 256, b"")]),
        "no zlib": file_of([(0, 0, 0, 0, b"stone")]),
        "too short inside": file_of([(0, 0, 0, 0, zlib.compress(bytes(65535)))]),
        "too long inside": file_of([(0, 0, 0, 0, zlib.compress(bytes(65537)))]),
        "nothing inside": file_of([(0, 0, 0, 0, zlib.compress(b""))]),
        "an end cut off": file_of([(0, 0, 0, 0, PACKED[:-1])]),
        "a checksum inside that is wrong": file_of([(0, 0, 0, 0, PACKED[:-1] + bytes([PACKED[-1] ^ 1]))]),
        "something after the end": file_of([(0, 0, 0, 0, PACKED + b"\0")]),
        "a head beyond the file": file_of([], head_bytes=100),
        "a head of 4 GB": file_of([], head_bytes=0xFFFF_FFFF),
        "no head": file_of([], head=b""),
        "a head too long": file_of([], head=b"{" + b" " * (1 << 20) + b"}"),
    }.items(),
    ids=lambda item: item[0],
)
def test_lies_are_refused(data):
    assert_damaged(
        data[1], match=r"^This world file is damaged, its parts do not fit together; restore it from a backup\.$"
    )


def test_too_many_chunks_are_refused_by_the_header():
    assert_damaged(file_of([], n_chunks=MAX_WORLD_CHUNKS + 1), match="claims 65537 chunks, a world has at most 65536")


def material(**changes):
    return {"name": "stone", "color": [1, 2, 3], **changes}


@pytest.mark.parametrize(
    "palette",
    [
        b"",
        b"nonsense",
        b"\xff\xfe\x00",
        b"null",
        b"3",
        b'"1"',
        b"[]",
        b"[" * 500_000,
        b'{"1":' * 100_000,
        b'{"1": ' + b"9" * 10_000 + b"}",
        b'{"' + b"9" * 10_000 + b'": {}}',
        json.dumps({"1": None}).encode(),
        json.dumps({"1": []}).encode(),
        json.dumps({"1": "stone"}).encode(),
        json.dumps({"1": ["name", "color"]}).encode(),
        json.dumps({"": material()}).encode(),
        json.dumps({"one": material()}).encode(),
        json.dumps({"1.0": material()}).encode(),
        json.dumps({"01": material()}).encode(),
        json.dumps({"1 ": material()}).encode(),
        json.dumps({"1": material(), "+1": material()}).encode(),
        json.dumps({"\u0661": material()}).encode(),
        json.dumps({"0": material()}).encode(),
        json.dumps({"-1": material()}).encode(),
        json.dumps({"256": material()}).encode(),
        json.dumps({"1": material(roughness=float("nan"))}).encode(),
        json.dumps({"1": material(ior=float("inf"))}).encode(),
        json.dumps({"1": material(opacity=10**300)}).encode(),
        json.dumps({"1": material(smooth=1)}).encode(),
        json.dumps({"1": material(color=[True, 2, 3])}).encode(),
        json.dumps({"1": material(color="123")}).encode(),
        json.dumps({"1": material(name="\ud800")}).encode(),
        json.dumps({"1": material(toping={})}).encode(),
        json.dumps({"1": material(glow=1)}).encode(),
        json.dumps({"1": material(**{"k" * 100_000: 1})}).encode(),
        json.dumps({"1": material(color=[0] * 100_000)}).encode(),
    ],
    ids=itertools.count(),
)
def test_hostile_palettes_are_refused(palette):
    with pytest.raises(VoxelwrightError) as error:
        world_from_bytes(file_of([], head_of(palette)))
    text = str(error.value)
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 400


def test_a_chunk_that_unfolds_into_far_more_takes_no_memory():
    bomb = file_of([(0, 0, 0, 0, zlib.compress(bytes(200_000_000), 9))])
    assert len(bomb) < 300_000
    tracemalloc.start()
    try:
        assert_damaged(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


RECIPE = b'{"smoothing": 0, "recipe": {"preset": "", "size": [1, 2, 3], "seed": 1, "phase": %s, "adjusted": %s}}'


@pytest.mark.parametrize(
    "settings",
    [
        b"null",
        b"{}",
        b'{"smoothing": 0.0}',
        b'{"smoothing": 2, "recipe": null}',
        b'{"smoothing": true, "recipe": null}',
        b'{"smoothing": NaN, "recipe": null}',
        b'{"smoothing": 0, "recipe": null, "more": 1}',
        b'{"smoothing": 0, "recipe": []}',
        b'{"smoothing": 0, "recipe": {"preset": "", "size": [1, 2], "seed": 1, "phase": 0, "adjusted": []}}',
        b'{"smoothing": 0, "recipe": {"preset": "", "size": [1, 2, 3.5], "seed": 1, "phase": 0, "adjusted": []}}',
        b'{"smoothing": 0, "recipe": {"preset": 5, "size": [1, 2, 3], "seed": 1, "phase": 0, "adjusted": []}}',
        b'{"smoothing": 0, "recipe": {"preset": "", "size": [1, 2, 3], "seed": 1, "phase": Infinity, "adjusted": []}}',
        b'{"smoothing": 0, "recipe": {"preset": "", "size": [1, 2, 3], "seed": 1, "phase": 0, "adjusted": [["a"]]}}',
        RECIPE % (b"1" + b"0" * 400, b"[]"),
        RECIPE % (b"0", b'[["a", NaN]]'),
    ],
)
def test_hostile_settings_are_refused(settings):
    with pytest.raises(VoxelwrightError) as error:
        world_from_bytes(file_of([], head_of(settings=settings)))
    assert str(error.value).endswith(".")
