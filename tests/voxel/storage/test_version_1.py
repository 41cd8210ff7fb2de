# SPDX-License-Identifier: GPL-3.0-or-later
"""Version 1 of worlds as bytes: files by hand, the frozen sample, round trips, damage told by its place."""

import random
import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.jobs import finish
from voxelwright.voxel.layout import CHUNK_SHAPE
from voxelwright.voxel.limits import MAX_CHUNK_COORD, MAX_WORLD_HEAD_BYTES, MAX_ZSTD_WINDOW_BYTES
from voxelwright.voxel.palette import Material, Palette
from voxelwright.voxel.settings import Recipe, Settings
from voxelwright.voxel.storage import reading, world_from_bytes, world_to_bytes, writing
from voxelwright.voxel.world import World, as_chunk, edit_of_chunks, new_world

STONE = Material("stone", (128, 126, 124), roughness=0.8)
PALETTE = Palette.of({1: STONE, 255: Material("glass · Glas · 玻璃", (180, 200, 220), opacity=0.25, smooth=True)})
NOISE = as_chunk(np.random.default_rng(1).integers(256, 1 << 16, CHUNK_SHAPE).astype(np.uint16))
HEAD = b'{"palette": {}, "settings": {"smoothing": 0.0, "recipe": null}}'

coords = st.tuples(*[st.integers(-3, 3) | st.sampled_from([-MAX_CHUNK_COORD, MAX_CHUNK_COORD])] * 3)
voxels = st.just(0) | st.integers(0x0100, 0xFFFF)
cells = st.tuples(*[st.integers(0, 31)] * 3)
few_voxels = st.tuples(voxels, st.dictionaries(cells, voxels, max_size=6))
many_values = st.tuples(st.integers(1, 400), st.integers(0, 1 << 32))
palettes = st.sampled_from([PALETTE, Palette()])
recipes = st.builds(
    Recipe,
    st.text(max_size=30),
    st.tuples(*[st.integers(1, 4096)] * 3),
    st.integers(),
    st.floats(-1e300, 1e300),
    st.lists(st.tuples(st.text(max_size=9), st.floats(-1e300, 1e300)), max_size=3).map(tuple),
)
world_settings = st.builds(Settings, st.floats(0, 1), st.none() | recipes)


def chunk_of(content):
    if isinstance(content[1], dict):
        dense = np.full(CHUNK_SHAPE, content[0], np.uint16)
        for cell, voxel in content[1].items():
            dense[cell] = voxel
    else:
        rng = np.random.default_rng(content[1])
        values = rng.integers(256, 1 << 16, content[0]).astype(np.uint16)
        dense = values[rng.integers(0, content[0], CHUNK_SHAPE)]
    return as_chunk(dense)


worlds = st.builds(
    lambda chunks, palette, known: new_world({at: chunk_of(c) for at, c in chunks.items()}, palette, known),
    st.dictionaries(coords, few_voxels | many_values, max_size=4),
    palettes,
    world_settings,
)


def table_of(*entries):
    """entries are (x, y, z, bytes, checksum)."""
    columns = zip(*entries, strict=True) if entries else ()
    return b"".join(struct.pack("<I", value & 0xFFFF_FFFF) for column in columns for value in column)


def file_of(sections, magic=b"VOXELWRT", version=(1, 0), n_sections=None):
    """A file by hand; sections are (tag, bytes), or (tag, bytes, length that is claimed)."""
    rows = b"".join(
        struct.pack("<4sQI", tag, more[0] if more else len(body), 0 if tag == b"VOXL" else zlib.crc32(body))
        for tag, body, *more in sections
    )
    header = struct.pack("<8sHHI", magic, *version, len(sections) if n_sections is None else n_sections)
    return header + struct.pack("<I", zlib.crc32(header + rows)) + rows + b"".join(body for _, body, *_ in sections)


def world_file(entries=(), payload=b"", head=HEAD, **changes):
    """A file by hand of a head, a table of (x, y, z, bytes, checksum) and the voxels' bytes."""
    table = zstandard.compress(table_of(*entries))
    return file_of([(b"HEAD", head), (b"TABL", table), (b"VOXL", payload)], **changes)


def one_chunk(frame, coord=(0, 0, 0)):
    return world_file([(*coord, len(frame), zlib.crc32(frame))], frame)


def packed(values, bits, numbers):
    """A chunk's frame by hand, number by number."""
    body = bytearray(32**3 * bits // 8)
    for i, number in numbers.items():
        body[i * bits // 8] |= number << i * bits % 8
    return zstandard.compress(struct.pack(f"<H{len(values)}H", len(values), *values) + body)


# --- What is written and read -------------------------------------------------------------------------------------


def test_the_frozen_sample_opens(sample_world, same_world):
    loaded = world_from_bytes((Path(__file__).parent / "samples" / "version_1.vxw").read_bytes())
    assert loaded.damaged == ()
    assert loaded.damage == ""
    assert same_world(loaded.world, sample_world)


def test_a_file_by_hand(same_world):
    frame = packed([0x0000, 0x0103, 0x0210], 2, {0: 1, 33: 2, 32767: 1})
    data = world_file([(-1, 2, 300, 0, 0x0105), (0, 0, 0, len(frame), zlib.crc32(frame)), (0, 0, 1, 0, 0x0100)], frame)
    world, damaged = world_from_bytes(data)
    assert damaged == ()
    assert world.coords() == [(-1, 2, 300), (0, 0, 0), (0, 0, 1)]
    assert (world.chunk((-1, 2, 300)), world.chunk((0, 0, 1))) == (0x0105, 0x0100)
    assert (world.voxel(0, 0, 0), world.voxel(0, 1, 1), world.voxel(31, 31, 31)) == (0x0103, 0x0210, 0x0103)
    assert np.count_nonzero(world.chunk((0, 0, 0))) == 3
    assert not world.chunk((0, 0, 0)).flags.writeable
    assert zstandard.decompress(table_section(world_to_bytes(world))) == zstandard.decompress(table_section(data))


def table_section(data):
    """The second of the three sections of a file."""
    rows = list(struct.iter_unpack("<4sQI", data[20 : 20 + 48]))
    assert [row[0] for row in rows] == [b"HEAD", b"TABL", b"VOXL"]
    return data[68 + rows[0][1] :][: rows[1][1]]


@pytest.mark.parametrize(("n_values", "bits"), [(2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8), (257, 16)])
def test_a_chunk_takes_the_fewest_bits(n_values, bits):
    values = 0x0100 + 3 * (np.arange(32**3) % n_values)
    world = new_world({(0, 0, 0): as_chunk(values.astype(np.uint16).reshape(CHUNK_SHAPE))}, PALETTE)
    data = world_to_bytes(world)
    sizes = [row[1] for row in struct.iter_unpack("<4sQI", data[20:68])]
    unpacked = zstandard.decompress(data[-sizes[2] :])
    listed = n_values if bits < 16 else 0
    assert len(unpacked) == 2 + 2 * listed + 32**3 * bits // 8
    np.testing.assert_array_equal(np.frombuffer(unpacked, "<u2", 1 + listed), [listed, *sorted(set(values))[:listed]])
    np.testing.assert_array_equal(world_from_bytes(data).world.chunk((0, 0, 0)).ravel(), values)


def test_random_worlds_survive(repeats, same_world):
    @settings(max_examples=repeats(500, 20_000), deadline=None, suppress_health_check=list(HealthCheck))
    @given(worlds)
    def survives(world):
        data = world_to_bytes(world)
        again, damaged = world_from_bytes(data)
        assert damaged == ()
        assert same_world(again, world)
        assert world_to_bytes(again) == data
        for coord in again.coords():
            assert type(again.chunk(coord)) is type(world.chunk(coord))

    survives()


def test_every_voxel_value_survives(same_world):
    values = np.arange(256, 1 << 16).astype(np.uint16)
    dense = np.zeros(2 * 32**3, np.uint16)
    dense[: len(values)] = values
    chunks = {(i, 0, 0): as_chunk(half.reshape(CHUNK_SHAPE)) for i, half in enumerate(np.split(dense, 2))}
    world = new_world(chunks, PALETTE)
    assert same_world(world_from_bytes(world_to_bytes(world)).world, world)


def test_equal_worlds_give_equal_bytes_however_they_came_about():
    world = new_world({(0, 0, 0): NOISE, (5, 0, 0): 0x0100}, PALETTE)
    other = new_world({(5, 0, 0): NOISE}, Palette())
    edit = edit_of_chunks(other, {(5, 0, 0): 0x0100, (0, 0, 0): NOISE.copy(), (9, 9, 9): NOISE}, PALETTE)
    other.apply(edit)
    other.apply(edit_of_chunks(other, {(9, 9, 9): 0}))
    assert world_to_bytes(other) == world_to_bytes(world)


def test_settings_and_materials_of_equal_numbers_give_equal_bytes():
    numbers = [(1, 0, 90), (1.0, -0.0, 90.0)]
    worlds = [
        World(
            Palette.of({1: Material("a", (1, 2, 3), opacity=one, emission=zero)}),
            Settings(one, Recipe("", (1, 2, 3), 4, zero, (("a.b", number),))),
        )
        for one, zero, number in numbers
    ]
    assert worlds[0].settings == worlds[1].settings
    assert world_to_bytes(worlds[0]) == world_to_bytes(worlds[1])


def test_the_longest_palette_and_recipe_fit():
    longest = {
        i: Material("\U0001f5ff" * 60, (255, 255, 255), roughness=1 / 3, metallic=2 / 3, emission=999.0000000001 / 3)
        for i in range(1, 256)
    }
    numbers = tuple(("\U0001f5ff" * 100, -1e300 / 3) for _ in range(1000))
    recipe = Recipe("\U0001f5ff" * 100_000, (4096, 4096, 4096), 10**4000, -1e300 / 3, numbers)
    world = World(Palette.of(longest), Settings(1 / 3, recipe))
    again = world_from_bytes(world_to_bytes(world)).world
    assert (again.palette, again.settings) == (world.palette, world.settings)


def test_an_empty_world():
    world = world_from_bytes(world_to_bytes(World())).world
    assert world.coords() == []
    assert world.palette == Palette()


def test_uniform_chunks_are_almost_free():
    coords = [(x, y, z) for x in range(32) for y in range(32) for z in range(64)]
    data = world_to_bytes(new_world(dict.fromkeys(coords, 0x0100), PALETTE))
    assert len(data) < len(coords)
    assert len(world_from_bytes(data).world.coords()) == len(coords)


def test_jobs_tell_how_far_they_are(small_world):
    world = new_world({(i, 0, 0): 0x0100 for i in range(200)}, PALETTE)
    for job in (writing(world), reading(world_to_bytes(world))):
        fractions = []
        finish(job, lambda progress, fractions=fractions: fractions.append(progress.fraction))
        assert len(fractions) == 4
        assert fractions == sorted(fractions)
        assert 0 <= fractions[0] < fractions[-1] <= 1


def test_reading_a_world_takes_little_more_than_the_world():
    data = world_to_bytes(new_world({(i, 0, 0): as_chunk(np.roll(NOISE, i, 0)) for i in range(30)}, PALETTE))
    tracemalloc.start()
    try:
        world = world_from_bytes(data).world
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(world.coords()) == 30
    assert peak < 1.5 * 30 * 65536


# --- Odd, and kept ------------------------------------------------------------------------------------------------


def test_voxels_without_a_material_become_plain_air():
    # Meshers take them for air by their material; bounds, counts and chunks that "are not air" must agree with that.
    raw = np.zeros(CHUNK_SHAPE, np.uint16)
    raw[0, 0, 0], raw[1, 2, 3] = 0x00FF, 0x0110
    written = world_to_bytes(new_world({(0, 0, 0): as_chunk(raw), (2, 0, 0): 0x0001}, PALETTE))
    by_hand = one_chunk(packed([0x0010, 0x0300], 1, {0: 1}))
    plain = one_chunk(zstandard.compress(b"\0\0" + np.full(CHUNK_SHAPE, 0x0080, np.uint16).tobytes()))
    world = world_from_bytes(written).world
    assert world.coords() == [(0, 0, 0)]
    assert (world.voxel(0, 0, 0), world.voxel(1, 2, 3)) == (0, 0x0110)
    assert world_from_bytes(by_hand).world.bounds() == ((0, 0, 0), (0, 0, 0))
    assert world_from_bytes(plain).world.coords() == []


def test_voxels_whose_material_the_palette_lacks_are_kept(same_world):
    # Refusing them would take a world away for a palette entry, which an edit can put back.
    world = new_world({(0, 0, 0): 0x0900, (1, 0, 0): NOISE}, Palette.of({1: STONE}))
    assert same_world(world_from_bytes(world_to_bytes(world)).world, world)


def test_sections_of_later_minor_versions_are_passed_over():
    sections = [(b"TABL", zstandard.compress(table_of((0, 0, 0, 0, 0x0100)))), (b"THMB", b"a picture"), (b"HEAD", HEAD)]
    world, damaged = world_from_bytes(file_of([*sections, (b"VOXL", b"")], version=(1, 7)))
    assert damaged == ()
    assert world.coords() == [(0, 0, 0)]


# --- Damage -------------------------------------------------------------------------------------------------------


def held_to(original, loaded):
    """That a world has all chunks of the original but those that are told as damaged, and nothing else."""
    world, damaged = loaded
    assert (world.palette, world.settings) == (original.palette, original.settings)
    assert set(damaged) <= set(original.coords())
    assert world.coords() == sorted(set(original.coords()) - set(damaged))
    assert all(np.array_equal(world.chunk(coord), original.chunk(coord)) for coord in world.coords())


def head_bytes(data):
    """How many of a file's bytes are no chunks: they must be whole."""
    return len(data) - next(size for tag, size, _ in struct.iter_unpack("<4sQI", data[20:68]) if tag == b"VOXL")


def test_a_damaged_chunk_is_told_by_its_place_and_the_others_load(small_world):
    data = bytearray(world_to_bytes(small_world))
    data[-1] ^= 1
    loaded = world_from_bytes(bytes(data))
    assert loaded.damaged == (max(c for c in small_world.coords() if not isinstance(small_world.chunk(c), int)),)
    assert loaded.damage == (
        "1 of the world's chunks is damaged and left out, at (5, -1, 10), in chunks of 32 voxels; "
        "restore the file from a backup if you have one."
    )
    held_to(small_world, loaded)
    loaded = world_from_bytes(data[: head_bytes(data)])
    assert len(loaded.damaged) == sum(not isinstance(small_world.chunk(c), int) for c in small_world.coords())
    assert "chunks are damaged and left out, at (-3, 0, 0), (0, -1, 0)" in loaded.damage
    held_to(small_world, loaded)


def test_every_flipped_bit_of_the_head_is_noticed(small_world, outcome):
    data = world_to_bytes(small_world)
    for i in range(8 * head_bytes(data)):
        broken = bytearray(data)
        broken[i // 8] ^= 1 << i % 8
        assert isinstance(outcome(world_from_bytes, bytes(broken)), str), f"bit {i}"


def test_flipped_bits_of_the_body_damage_the_chunk_that_they_are_in(small_world, seeds, outcome):
    data = world_to_bytes(small_world)
    start = head_bytes(data)
    for seed in seeds(5000, 500_000):
        rng = random.Random(seed)
        broken = bytearray(data)
        n_flips = rng.choice([1, 1, 2, 40])
        for _ in range(n_flips):
            i = rng.randrange(8 * start, 8 * len(data))
            broken[i // 8] ^= 1 << i % 8
        loaded = outcome(world_from_bytes, bytes(broken))
        held_to(small_world, loaded)
        assert 1 - (n_flips > 1) <= len(loaded.damaged) <= n_flips


def test_what_a_truncated_file_lacks_is_told(small_world, seeds, outcome):
    data = world_to_bytes(small_world)
    lengths = {random.Random(seed).randrange(len(data)) for seed in seeds(2000, 100_000)}
    for length in sorted(lengths | set(range(4097))):
        found = outcome(world_from_bytes, data[:length])
        if length < head_bytes(data):
            assert isinstance(found, str), length
        else:
            held_to(small_world, found)
            assert found.damaged, length


# --- Refused ------------------------------------------------------------------------------------------------------


def assert_refused(data, match):
    with pytest.raises(VoxelwrightError, match=match) as error:
        world_from_bytes(data)
    text = str(error.value)
    assert text[0].isupper()
    assert text.endswith(".")
    assert ". " not in text


@pytest.mark.parametrize(
    "data",
    [b"", b"VOXELWRT", b"VOX \x96\0\0\0MAIN" + bytes(60), b"\x89PNG\r\n\x1a\n" + bytes(60), b"voxelwrt" + bytes(60)],
)
def test_foreign_files_are_refused(data):
    assert_refused(data, r"^This is not a Voxelwright world \(\.vxw\) file\.$")


@pytest.mark.parametrize("version", [(2, 0), (7, 3), (0xFFFF, 0xFFFF)])
def test_newer_versions_are_refused(version):
    match = f"has format version {version[0]}.{version[1]} and this Voxelwright reads up to 1; update Voxelwright"
    assert_refused(world_file(version=version), match)
    assert_refused(world_file(version=version)[:12], match)  # whatever comes behind


SECTIONS = [(b"HEAD", HEAD), (b"TABL", zstandard.compress(b"")), (b"VOXL", b"")]
LIES = {
    "no sections": file_of([]),
    "no head": file_of(SECTIONS[1:]),
    "no table": file_of([SECTIONS[0], SECTIONS[2]]),
    "no voxels": file_of(SECTIONS[:2]),
    "a section twice": file_of([*SECTIONS, SECTIONS[2]]),
    "more sections than bytes": file_of(SECTIONS, n_sections=60),
    "4 billion sections": file_of(SECTIONS, n_sections=0xFFFF_FFFF),
    "a table that is no zstd": file_of([SECTIONS[0], (b"TABL", b"stone"), SECTIONS[2]]),
    "half an entry": file_of([SECTIONS[0], (b"TABL", zstandard.compress(bytes(19))), SECTIONS[2]]),
    "a chunk twice": world_file([(0, 0, 0, 0, 256), (0, 0, 0, 0, 512)]),
    "chunks out of order": world_file([(1, 0, 0, 0, 256), (0, 9, 9, 0, 512)]),
    "too far": world_file([(0, -MAX_CHUNK_COORD - 1, 0, 0, 256)]),
    "farthest": world_file([(0, 0, -(1 << 31), 0, 256)]),
    "a voxel of 17 bits": world_file([(0, 0, 0, 0, 1 << 16)]),
    "an empty head": world_file(head=b""),
    "a deep head": world_file(head=b'{"palette": ' + b"[" * 17 + b"]" * 17 + b', "settings": {}}'),
}


@pytest.mark.parametrize("name", LIES)
def test_lies_are_refused(name):
    assert_refused(
        LIES[name], r"^This world file is damaged, its parts do not fit together; restore it from a backup\.$"
    )


CHUNK_LIES = {
    "no zstd": b"stone",
    "nothing inside": zstandard.compress(b""),
    "one byte": zstandard.compress(b"\1"),
    "too few plain voxels": zstandard.compress(bytes(65537)),
    "too many plain voxels": zstandard.compress(bytes(65539)),
    "too few numbers": zstandard.compress(struct.pack("<HHH", 2, 0, 256) + bytes(4095)),
    "too many numbers": zstandard.compress(struct.pack("<HHH", 2, 0, 256) + bytes(4097)),
    "a palette of 257": zstandard.compress(struct.pack("<258H", 257, *range(256, 513)) + bytes(32768)),
    "a number beyond the palette": packed([0, 256, 512], 2, {99: 3}),
    "a size that is not said": zstandard.ZstdCompressor(write_content_size=False).compress(bytes(65538)),
    "a frame cut short": packed([0, 256], 1, {5: 1})[:-3],
    "a skippable frame": struct.pack("<II", 0x184D2A50, 8) + bytes(8),
}


@pytest.mark.parametrize("name", CHUNK_LIES)
def test_chunks_that_are_none_are_damaged_chunks(name):
    world, damaged = world_from_bytes(one_chunk(CHUNK_LIES[name], coord=(4, 5, 6)))
    assert damaged == ((4, 5, 6),)
    assert world.coords() == []


@pytest.mark.parametrize(("window", "is_read"), [(MAX_ZSTD_WINDOW_BYTES, True), (2 * MAX_ZSTD_WINDOW_BYTES, False)])
def test_windows_at_the_limit_and_beyond(window, is_read):
    raw = struct.pack("<HHHB", 2, 0, 0x0100, 1) + bytes(4095)
    header = bytes([0b10_000000, window.bit_length() - 11 << 3]) + struct.pack("<I", len(raw))
    frame = b"\x28\xb5\x2f\xfd" + header + struct.pack("<I", len(raw) << 3 | 1)[:3] + raw
    assert zstandard.get_frame_parameters(frame).window_size == window
    world, damaged = world_from_bytes(one_chunk(frame))
    assert (damaged == ()) == is_read
    assert world.voxel(0, 0, 0) == (0x0100 if is_read else 0)


def test_mutations_behind_right_checksums_give_a_world_or_a_sentence(seeds, mutated, outcome, same_world):
    head = world_to_bytes(World(PALETTE, Settings(0.25, Recipe("preset", (1, 2, 3), 4, 0.5, (("a", 1),)))))
    head = head[68 : 68 + struct.unpack_from("<4sQ", head, 20)[1]]
    raw = zstandard.decompress(packed([0, 0x0103, 0x0210], 2, {i: 1 + i % 2 for i in range(0, 1000, 7)}))
    table = table_of((-1, 2, 3, 0, 0x0105), (0, 0, 0, 9, 9), (5, 5, 5, 0, 0x0200))
    outcomes = set()
    for seed in seeds(3000, 300_000):
        rng = random.Random(seed)
        frame = zstandard.compress(mutated(rng, raw) if seed % 3 == 0 else raw)
        text = mutated(rng, head) if seed % 3 == 1 else head
        packed_table = zstandard.compress(mutated(rng, table)) if seed % 3 == 2 else zstandard.compress(table)
        loaded = outcome(world_from_bytes, file_of([(b"HEAD", text), (b"TABL", packed_table), (b"VOXL", frame)]))
        if isinstance(loaded, str):
            outcomes.add(loaded)
        else:
            assert same_world(world_from_bytes(world_to_bytes(loaded.world)).world, loaded.world)
        again = outcome(world_from_bytes, one_chunk(frame))
        outcomes.add(again.damaged)
    assert {(), ((0, 0, 0),)} <= outcomes
    assert len(outcomes) > 15, "too few of the checks were reached"


def test_a_head_as_long_as_may_be():
    longest = HEAD + b" " * (MAX_WORLD_HEAD_BYTES - len(HEAD))
    assert world_from_bytes(world_file(head=longest)).world.coords() == []
    assert_refused(world_file(head=longest + b" "), "damaged")
