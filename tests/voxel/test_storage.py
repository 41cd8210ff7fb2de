# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds as bytes, version 0 of docs/formats/world.md: written by hand, round trips, and everything hostile."""

import itertools
import json
import random
import struct
import tracemalloc
import zlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.limits import MAX_CHUNK_COORD, MAX_WORLD_CHUNKS
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Recipe, Settings
from voxelwright.voxel.storage import world_from_bytes, world_to_bytes
from voxelwright.voxel.world import World, as_chunk, edit_of_chunks, new_world

STONE = Material("stone", (128, 126, 124), roughness=0.8)
PALETTE = Palette.of({1: STONE, 255: Material("glass · Glas · 玻璃", (180, 200, 220), opacity=0.25, smooth=True)})
STONE_TEXT = (
    b'{"1": {"name": "stone", "color": [128, 126, 124], "roughness": 0.8, "metallic": 0.0, "emission": 0.0, '
    b'"opacity": 1.0, "ior": 1.45, "smooth": false, "texture": "grain", "texture_scale": 4.0, '
    b'"texture_contrast": 0.3, "toping": "none", "bleeds": true, "resists": false}}'
)
NOISE = as_chunk(np.random.default_rng(1).integers(256, 1 << 16, CHUNK_SHAPE).astype(np.uint16))

coords = st.tuples(*[st.integers(-3, 3) | st.sampled_from([-MAX_CHUNK_COORD, MAX_CHUNK_COORD])] * 3)
voxels = st.just(0) | st.integers(0x0100, 0xFFFF)
cells = st.tuples(*[st.integers(0, 31)] * 3)
contents = st.tuples(voxels, st.dictionaries(cells, voxels, max_size=4))


def chunk_of(content):
    dense = np.full(CHUNK_SHAPE, content[0], np.uint16)
    for cell, voxel in content[1].items():
        dense[cell] = voxel
    return as_chunk(dense)


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


def same_world(a, b):
    return (
        (a.palette, a.settings) == (b.palette, b.settings)
        and a.coords() == b.coords()
        and all(np.array_equal(a.chunk(coord), b.chunk(coord)) for coord in a.coords())
    )


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
    return world_to_bytes(new_world({(-1, 0, 5): as_chunk(dense), (0, 0, 0): 0x0100}, Palette.of({1: STONE})))


# --- What is written -------------------------------------------------------------------------------------------


def test_a_file_by_hand():
    world = new_world({(-1, 2, 300): 0x0105, (0, 0, 0): 0x0100}, Palette.of({1: STONE}))
    head = head_of(STONE_TEXT)
    data = sealed(
        b"VOXELWRT" + b"\0\0\0\0" + struct.pack("<I", len(head)) + b"\2\0\0\0" + head
        + b"\xff\xff\xff\xff" + b"\2\0\0\0" + b"\x2c\1\0\0" + b"\5\1" + b"\0\0\0\0"
        + b"\0\0\0\0" + b"\0\0\0\0" + b"\0\0\0\0" + b"\0\1" + b"\0\0\0\0"
    )  # fmt: skip
    assert world_to_bytes(world) == data
    assert same_world(world_from_bytes(data), world)


def test_an_array_by_hand():
    raw = bytearray(65536)
    at = 2 * ((3 * 32 + 5) * 32 + 7)
    raw[at : at + 2] = b"\xcd\xab"  # little-endian, x the slowest axis, z the fastest
    world = world_from_bytes(file_of([(1, 0, 0, 0, zlib.compress(bytes(raw), 9))]))
    assert world.voxel(32 + 3, 5, 7) == 0xABCD
    assert world.material_counts()[1:].sum() == 1
    written = world_to_bytes(world)
    at = 20 + len(head_of())
    assert struct.unpack_from("<iiiH", written, at) == (1, 0, 0, 0)
    n_bytes = struct.unpack_from("<I", written, at + 14)[0]
    assert len(written) == at + 18 + n_bytes + 4
    assert zlib.decompress(written[at + 18 : -4]) == raw


def test_every_voxel_value_survives():
    values = np.arange(256, 1 << 16).astype(np.uint16)
    dense = np.zeros(2 * 32**3, np.uint16)
    dense[: len(values)] = values
    chunks = {(i, 0, 0): as_chunk(half.reshape(CHUNK_SHAPE)) for i, half in enumerate(np.split(dense, 2))}
    world = new_world(chunks, PALETTE)
    assert same_world(world_from_bytes(world_to_bytes(world)), world)


@given(st.dictionaries(coords, contents, max_size=4), st.sampled_from([PALETTE, Palette()]))
def test_round_trip(chunks, palette):
    world = new_world({coord: chunk_of(content) for coord, content in chunks.items()}, palette)
    again = world_from_bytes(world_to_bytes(world))
    assert same_world(again, world)
    assert world_to_bytes(again) == world_to_bytes(world)
    for coord in again.coords():
        assert type(again.chunk(coord)) is type(world.chunk(coord))
        assert isinstance(again.chunk(coord), int) or not again.chunk(coord).flags.writeable


def test_equal_worlds_give_equal_bytes_however_they_came_about():
    world = new_world({(0, 0, 0): NOISE, (5, 0, 0): 0x0100}, PALETTE)
    other = new_world({(5, 0, 0): NOISE}, Palette())
    edit = edit_of_chunks(other, {(5, 0, 0): 0x0100, (0, 0, 0): NOISE.copy(), (9, 9, 9): NOISE}, PALETTE)
    other.apply(edit)
    other.apply(edit_of_chunks(other, {(9, 9, 9): 0}))
    assert world_to_bytes(other) == world_to_bytes(world)


def test_materials_of_equal_numbers_give_equal_bytes():
    palettes = [Palette.of({1: Material("a", (1, 2, 3), opacity=v, emission=w)}) for v, w in [(1, 0), (1.0, -0.0)]]
    assert world_to_bytes(World(palettes[0])) == world_to_bytes(World(palettes[1]))


def test_the_largest_palette_fits():
    longest = {
        i: Material("\U0001f5ff" * 60, (255, 255, 255), roughness=1 / 3, metallic=2 / 3, emission=999.0000000001 / 3)
        for i in range(1, 256)
    }
    world = World(Palette.of(longest))
    assert world_from_bytes(world_to_bytes(world)).palette == world.palette


def test_an_empty_world():
    world = world_from_bytes(world_to_bytes(World()))
    assert world.coords() == []
    assert world.palette == Palette()


# --- Odd, and kept ---------------------------------------------------------------------------------------------


def test_voxels_without_a_material_become_plain_air():
    # Meshers take them for air by their material; bounds, counts and chunks that "are not air" must agree with that.
    raw = np.zeros(CHUNK_SHAPE, np.uint16)
    raw[0, 0, 0], raw[1, 2, 3] = 0x00FF, 0x0110
    records = [(0, 0, 0, 0, zlib.compress(raw.tobytes())), (1, 0, 0, 0x0010, b"")]
    records += [(2, 0, 0, 0, zlib.compress(np.full(CHUNK_SHAPE, 0x0080, np.uint16).tobytes()))]
    world = world_from_bytes(file_of(records))
    assert world.coords() == [(0, 0, 0)]
    assert world.bounds() == ((1, 2, 3), (1, 2, 3))
    assert world.voxel(0, 0, 0) == 0
    assert world.voxel(1, 2, 3) == 0x0110


def test_voxels_whose_material_the_palette_lacks_are_kept():
    # Refusing them would take a world away for a palette entry, which an edit can put back.
    world = new_world({(0, 0, 0): 0x0900, (1, 0, 0): NOISE}, Palette.of({1: STONE}))
    assert same_world(world_from_bytes(world_to_bytes(world)), world)


def test_chunks_may_come_in_any_order_and_uniform_ones_packed():
    packed = zlib.compress(np.full(CHUNK_SHAPE, 0x0100, np.uint16).tobytes())
    world = world_from_bytes(file_of([(4, 0, 0, 0, packed), (-4, 0, 0, 0x0200, b""), (0, 0, 0, 0, b"")]))
    assert world.coords() == [(-4, 0, 0), (4, 0, 0)]
    assert world.chunk((4, 0, 0)) == 0x0100


# --- Refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [b"", b"VOXELWRT", b"VOX \x96\0\0\0MAIN" + bytes(60), b"\x89PNG\r\n\x1a\n" + bytes(60), b"voxelwrt" + bytes(60)],
)
def test_foreign_files_are_refused(data):
    assert_damaged(data, match=r"^This is not a Voxelwright world \(\.vxw\) file\.$")


@pytest.mark.parametrize("version", [1, 7, 0xFFFF_FFFF])
def test_newer_versions_are_refused(version):
    match = f"has format version {version} and this Voxelwright reads up to 0; update Voxelwright"
    assert_damaged(file_of([], version=version), match=match)
    assert_damaged(file_of([], version=version)[:-1] + b"?", match=match)  # whatever checksum it may have


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


SHARP = [
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"\1\0\0\0",
    b"\0\0\1\0",
    b"NaN",
    b"{}",
    b"[",
    b"1e999",
]


def mutated(rng, data):
    """Some bytes of data changed, left out, repeated or put in."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data))
        kind = rng.randrange(5)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.randrange(256)
        elif kind == 2:
            sharp = rng.choice(SHARP)
            data[at : at + len(sharp)] = sharp
        elif kind == 3:
            del data[at : at + rng.choice([1, 4, 18, 100])]
        else:
            data[at:at] = data[at : at + rng.choice([1, 18, 40])]
        if not data:
            return b"\0"
    return bytes(data)


def test_mutations_behind_a_right_checksum_give_a_world_or_an_error(small_file):
    rng = random.Random(1)
    header = 20
    head_end = header + struct.unpack_from("<I", small_file, 12)[0]
    raw = zlib.decompress(small_file[head_end + 18 : -4 - 18])
    outcomes = Counter()
    for i in range(4000):
        body = small_file[:-4]
        if i % 4 == 0:
            body = mutated(rng, body)
        elif i % 4 == 1:  # the head alone, its length made right, so that JSON and materials are reached
            text = mutated(rng, body[header:head_end])
            body = body[:12] + struct.pack("<I", len(text)) + body[16:20] + text + body[head_end:]
        elif i % 4 == 2:  # the chunks alone
            body = body[:head_end] + mutated(rng, body[head_end:])
        else:  # voxels, packed anew
            body = file_of([(0, 0, 0, 0, zlib.compress(mutated(rng, raw), 1))])[:-4]
        try:
            world = world_from_bytes(sealed(body))
        except VoxelwrightError as error:
            assert str(error).endswith(".")
            assert "\n" not in str(error)
            outcomes[str(error)] += 1
        else:
            outcomes["world"] += 1
            assert same_world(world_from_bytes(world_to_bytes(world)), world)
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


def test_reading_a_world_takes_little_more_than_the_world():
    data = world_to_bytes(new_world({(i, 0, 0): as_chunk(np.roll(NOISE, i, 0)) for i in range(30)}, PALETTE))
    tracemalloc.start()
    try:
        world = world_from_bytes(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(world.coords()) == 30
    assert peak < 1.5 * 30 * 65536


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
    ],
)
def test_hostile_settings_are_refused(settings):
    with pytest.raises(VoxelwrightError) as error:
        world_from_bytes(file_of([], head_of(settings=settings)))
    assert str(error.value).endswith(".")


def test_settings_are_kept():
    settings = Settings(0.25, Recipe('name = "Hills"', (100, 60, 256), -7, 0.5, (("a.b", 2.5),)))
    world = new_world({(0, 0, 0): 0x0100}, Palette.of({1: STONE}), settings)
    assert world_from_bytes(world_to_bytes(world)).settings == settings
